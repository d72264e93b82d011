"""What a signature is."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Signature:
    """One failure, as found in one log.

    raw         the failure's block, for people (lines line_start..line_end, 1-based, inclusive)
    identity    the lines that say which failure it is; only these are normalised and hashed
    normalised  identity after every substitution
    sig_sha     sha256(tool + "\\n" + normalised), hex
    rule        name of the rule that fired, as "<tool>.<rule>"; "generic.tail" where nothing did
    error_found False only where no error was found and the exit code is unknown
    context     job, step, exit_code (None where unknown)
    diagnostics names of what went less than well, such as "rule_set_unmatched", "block_truncated"
    inner       the signature of the tool inside a wrapper (github-actions), else None
    """

    tool: str
    inner_tool: str | None
    raw: str
    line_start: int
    line_end: int
    identity: str
    normalised: str
    sig_sha: str
    rule: str
    error_found: bool
    job: str | None = None
    step: str | None = None
    exit_code: int | None = None
    diagnostics: tuple[str, ...] = ()
    inner: "Signature | None" = None

    @property
    def links(self) -> bool:
        """Whether this signature may link to memories: something is known to have failed."""
        return self.error_found or (self.exit_code or 0) != 0
