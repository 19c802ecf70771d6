"""The errors that kveval raises on purpose. Each says what was wrong, where, and what to do.

KVEvalError
├── UsageError            a command line or configuration that cannot be run    exit 2
│   ├── TaskError         a task file or data file with faults                  exit 2
│   ├── LengthError       a length that does not fit the task or the model      exit 2
│   └── ModelError        a model folder or package that cannot be used         exit 2
├── RunDirectoryError     a run directory that is damaged or of another run     exit 2
└── EngineError           an engine that did not start, or died                 exit 3
"""


class KVEvalError(Exception):
    """Root of all errors that kveval raises on purpose; its text can be shown to users."""

    exit_code = 2


class UsageError(KVEvalError):
    """A command line or configuration that cannot be run."""


class TaskError(UsageError):
    """A task file or data file with faults; the text names the file and every bad line."""


class LengthError(UsageError):
    """A length that does not fit the task or the model; the text gives a limit or a length that works."""


class ModelError(UsageError):
    """A model folder or model package that cannot be used."""


class RunDirectoryError(KVEvalError):
    """A run directory that is damaged, or that belongs to another run."""


class EngineError(KVEvalError):
    """An engine that did not start, or died; the text quotes the engine's own root cause."""

    exit_code = 3


def first_line(error: Exception) -> str:
    """Return the first line of the message of another library's exception."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
