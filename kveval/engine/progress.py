"""Events of a run for whoever watches it. Library code never prints."""

from typing import Protocol

from kveval.store.run_records import EngineFacts


class Progress(Protocol):
    """Receives the events of a run. Work is counted approximately, in tokens that an engine has to compute."""

    def stage(self, text: str) -> None:
        """A slow step begins."""

    def note(self, text: str) -> None:
        """A note for the user."""

    def planned(self, work: int, done: int) -> None:
        """The work of the whole run, and how much of it is already done."""

    def arm_started(self, name: str, samples: int, facts: EngineFacts) -> None:
        """An engine is up, and `samples` are about to be sent to it."""

    def finished(self, work: int, *, failed: bool) -> None:
        """One sample is on disk."""

    def arm_failed(self, name: str, reason: str) -> None:
        """An arm ended early."""
