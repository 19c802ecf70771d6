"""The interface through which a run reports its progress. Library code never prints."""

from typing import Protocol

from kveval.store.run_records import EngineFacts


class Progress(Protocol):
    """Receives the progress of a run. Work is an approximate number of tokens that an engine has to compute."""

    def stage(self, text: str) -> None:
        """Report the start of a step that takes some time."""

    def note(self, text: str) -> None:
        """Report something that the user should know."""

    def planned(self, work: int, done: int) -> None:
        """Report the work of the whole run, and how much of it is already done."""

    def arm_started(self, name: str, samples: int, facts: EngineFacts) -> None:
        """Report that an engine has started and that `samples` are about to be sent to it."""

    def finished(self, work: int, *, failed: bool) -> None:
        """Report that one sample is on disk."""

    def arm_failed(self, name: str, reason: str) -> None:
        """Report that an arm ended early."""
