"""What a run tells whoever watches it. Library code never prints."""

from typing import Protocol

from kveval.store.run_records import EngineFacts


class Progress(Protocol):
    """Hears how a run gets on. Work is counted in tokens that an engine has to compute, about."""

    def stage(self, text: str) -> None:
        """Something begins that takes a while."""

    def note(self, text: str) -> None:
        """Something that whoever started the run should know."""

    def planned(self, work: int, done: int) -> None:
        """The work of the whole run, and how much of it an earlier run has done."""

    def arm_started(self, name: str, samples: int, facts: EngineFacts) -> None:
        """An engine is up, and `samples` are about to be sent to it."""

    def finished(self, work: int, *, failed: bool) -> None:
        """One sample is on disk."""

    def arm_failed(self, name: str, reason: str) -> None:
        """An arm ended early."""
