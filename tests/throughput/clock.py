"""An event loop whose clock stands still while anything is left to do, and then jumps to the next timer."""

import asyncio

SETTLE_S = 0.002
"""Real time that what was written to a socket is given to arrive, before the clock jumps."""


class JumpingLoop(asyncio.SelectorEventLoop):
    def __init__(self):
        super().__init__()
        self._now = 1000.0
        select = self._selector.select

        def jump(timeout=None):
            found = select(0 if timeout == 0 else SETTLE_S)
            if not found and timeout:
                self._now += timeout
            return found

        self._selector.select = jump

    def time(self):
        return self._now


def run(main):
    """Run a coroutine to its end on such a loop."""
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        return runner.run(main)
