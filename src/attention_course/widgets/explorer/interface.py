"""``explore``: move the controls of any figure on a page that has no kernel.

``ipywidgets.interact`` calls Python at every move. ``explore`` calls it once for every
combination of the controls, when the cell runs, and stores what the figures show in short
arrays; from then on the browser draws, with or without a kernel.
"""

from collections.abc import Callable
from typing import Any

from attention_course.widgets.explorer.controls import read_controls
from attention_course.widgets.explorer.widget import Explore


def explore(
    figure_function: Callable[..., Any],
    /,
    *,
    key: str = "",
    live: bool = False,
    precision: float = 1e-4,
    play: str = "",
    **controls: Any,
) -> Explore:
    """Show the figure that a function returns, with controls for its arguments.

    Called as ``ipywidgets.interact`` is, with the same abbreviations: ``(min, max, step)``
    is a slider, a list or a dict of labels a menu (rising numbers: a slider with these
    stops), a bool a checkbox. The function is called once for each combination. Axes are
    the same for all of them (unless the function fixes a range), so that what moves is the
    data.

    Args:
        figure_function: takes the controls by name; returns a plotly figure of scatter, bar
            or heatmap traces, or a pair (figure, sentence). The sentence is the read-out;
            without one it is the figure's ``layout.meta["alt"]``.
        key: names the widget in links; the function's name unless given.
        live: with a kernel, sliders also stop between the stored values and the function
            is called there; without one they keep to the stored values.
        precision: largest error of a stored number, as a share of the span of its array
            (on a log axis: of the number). The error is never seen: it is below a pixel.
        play: the name of a slider that starts at its first stop and gets a button *Play*, for
            what happens in time: a training, say. Where the reader's system asks for less
            motion, each press is one stop.
        **controls: an abbreviation for each argument of the function.

    Returns:
        The widget. ``widget.value`` is a dictionary of the chosen values: observe it, or
        set some or all of them.

    Raises:
        ValueError: if a control has no values, if what is to be played is no slider, if
            there are more than 1000 combinations, if the function fails (the combination is
            named), if a figure has what cannot be drawn, or if more than 400 kB would have to
            be stored.

    Source:
        Interface: ``ipywidgets.interact``.

    >>> import plotly.graph_objects as go
    >>> def power(n=2):
    ...     return go.Figure(go.Scatter(y=[1, 2**n])), f"2 to the power {n} is {2**n}."
    >>> explore(power, n=[1, 2, 3]).sentence
    '2 to the power 2 is 4.'
    """
    if not 1e-7 <= precision <= 0.01:
        raise ValueError(f"explore: precision must be from 1e-7 to 0.01, got {precision!r}")
    found = read_controls(figure_function, controls)
    sliders = [control.name for control in found if control.kind == "slider"]
    if play and play not in sliders:
        raise ValueError(
            f"explore: play must name a slider ({', '.join(sliders)}), got {play!r}"
        )
    return Explore(figure_function, found, key=key, live=live, precision=precision, play=play)
