"""The cell that sets up a chapter's or an assignment's notebook."""

# `python tools/stamp.py` writes the public address and the version here.
COURSE = "attention-course @ git+https://github.com/-set-owner-/attention-measured@v0.6.0"
# Stands in the address until it is stamped; it cannot be anybody's account.
UNSET = "-set-owner-"

_NOWHERE = """\
    where = "no public address yet: run `make lab` in the course's folder"
    raise ImportError(where) from None
"""
_FROM_HERE = """\
    %pip install -q --no-deps "{wheel}"
    import attention_course as ac
"""
_MISSING = """\
# plotly or anywidget, where the host has none
if missing := ac.missing_packages():
    %pip install -q {missing}
"""
_CELL = """\
try:
    import attention_course as ac
except ImportError:{why}
{otherwise}{missing}ac.check_environment({arguments})"""


def setup_cell(course: str = COURSE, torch: bool = True, drawing: bool = True) -> str:
    """Return the source of the cell.

    Args:
        course: whose wheel pip is to install where it is missing, ``... @ git+URL@vVERSION``.
        torch: whether the notebook needs torch.
        drawing: whether it draws: an assignment needs NumPy alone.
    """
    otherwise, why = _FROM_HERE, "  # on Colab: this version, from its release"
    if UNSET in course:
        otherwise, why = _NOWHERE, ""
    version = version_of(course)
    arguments = [f'"{version}"']
    arguments += [] if torch else ["torch=False"]
    arguments += [] if drawing else ["drawing=False"]
    return _CELL.format(
        why=why,
        otherwise=otherwise.format(wheel=wheel_of(course)),
        missing=_MISSING if drawing else "",
        arguments=", ".join(arguments),
    )


def version_of(course: str) -> str:
    """Return the version at the end of ``... @ git+URL@vVERSION``."""
    return course.rpartition("@v")[2]


def wheel_of(course: str) -> str:
    """Return what pip is to install of that version: the release's wheel."""
    url, version = course.partition("git+")[2].rpartition("@")[0], version_of(course)
    wheel = f"attention_course-{version}-py3-none-any.whl"
    return f"attention-course @ {url}/releases/download/v{version}/{wheel}"
