"""What can go wrong before an engine answers."""


class EngineMissing(RuntimeError):
    """vLLM or the model's weights are not usable here; the message says which command to run."""
