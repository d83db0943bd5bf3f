"""One colour, one letter and one shape for each role, everywhere in the course.

Formulas, figures, widgets and tables all read these values; ``site`` writes them into CSS
variables (``--ac-query`` and so on). The six stay apart for colour-blind readers, in grey
and on both themes (a test measures it), and are never the only sign: each role has a letter
and a marker shape too. What has no role is drawn as one of ``SERIES``, apart from the roles
and from one another by the same measure.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Look:
    """How a series looks: a model, a width, a setting.

    Attributes:
        light: hex colour on the light page.
        dark: hex colour on the dark page.
        marker: plotly's name of the marker shape.
    """

    light: str
    dark: str
    marker: str


@dataclass(frozen=True)
class Role(Look):
    """How one role looks.

    Attributes:
        letter: the symbol used in formulas and labels.
    """

    letter: str


ROLES = {
    "query": Role("#1d3aa1", "#6f8bed", "circle", "q"),
    "key": Role("#b25c40", "#f58345", "square", "k"),
    "value": Role("#1e7261", "#72e0a5", "diamond", "v"),
    "score": Role("#654e01", "#efe36c", "triangle-up", "e"),
    "weight": Role("#651756", "#e8a3d2", "star", "α"),
    "context": Role("#101010", "#f5f5f5", "hexagon", "c"),
}

# What plays no role, in the order in which a figure takes them.
SERIES = {
    "series-1": Look("#234343", "#b3d3cb", "circle"),
    "series-2": Look("#a0474e", "#d77997", "triangle-down"),
    "series-3": Look("#0e6dc8", "#54aae9", "square"),
    "series-4": Look("#633004", "#f1c582", "cross"),
    "series-5": Look("#55770f", "#6ba367", "diamond"),
    "series-6": Look("#524b72", "#d0c6f4", "x"),
}

# Page and text: light theme, dark theme.
NEUTRALS = {
    "paper": ("#ffffff", "#14181e"),
    "raised": ("#f5f4f1", "#1f252d"),
    "ink": ("#1d1d1b", "#e9e7e2"),
    "soft": ("#5c5a55", "#a9a69e"),
    "line": ("#d9d6cf", "#353c46"),
    "edge": ("#8a867d", "#7a818c"),
}

# The pale end of both colour maps, near the colour of the page: light theme, dark theme.
FAINT = ("#f7f4f6", "#231f23")

# One map for weights, from nothing to one; one for signed quantities, zero in the middle.
# On the dark page both start near black, so that "much" is always what stands out.
SEQUENTIAL = {
    "light": [FAINT[0], "#ddc5d5", "#c397b6", "#a76a97", "#884077", "#651756"],
    "dark": [FAINT[1], "#463642", "#6d4f64", "#956888", "#bf84ad", "#e8a3d2"],
}
DIVERGING = {
    "light": ["#8a3312", "#b5715c", "#d8b2a7", FAINT[0], "#a7b6e0", "#5c79c7", "#1d3aa1"],
    "dark": ["#f58345", "#ac5e39", "#643e31", FAINT[1], "#3f4567", "#5d6eb3", "#6f8bed"],
}

# What a figure's colours become on the dark page.
DARK = (
    {look.light: look.dark for looks in (ROLES, SERIES) for look in looks.values()}
    | dict(zip(SEQUENTIAL["light"], SEQUENTIAL["dark"], strict=True))
    | dict(zip(DIVERGING["light"], DIVERGING["dark"], strict=True))
    | dict(NEUTRALS.values())
)
