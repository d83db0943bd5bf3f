"""Which course this grader goes with: the one that speaks its version of the protocol."""

# What attention_course.exercises.protocol.version() says; a change is examined by this grader's
# tests before it is written here.
SPEAKS = "8a67621433dd"


def require_course() -> None:
    """Make sure that grader and course fit each other.

    Raises:
        ValueError: if they do not; says which versions they are and how to mend it.
    """
    try:
        from attention_course.exercises import protocol

        theirs = f"version {protocol.version()}"
    except ImportError as error:
        theirs = f"none ({error})"
    if theirs != f"version {SPEAKS}":
        raise ValueError(
            f"this grader speaks version {SPEAKS} of the exercises' protocol, the course that "
            f"is installed {theirs}: install both from one clone of the course, by make grader"
        )
