"""What can go wrong before an engine answers."""


class EngineMissing(RuntimeError):
    """vLLM or the model's weights are not usable here; the message says which command to run."""


class ControllerFailed(RuntimeError):
    """The controller gave no answer; the message says what to do. Nothing was recorded."""
