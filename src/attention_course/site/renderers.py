"""How myst-nb shows the two live outputs: plotly figures and widgets.

Declared as an entry point of ``myst_nb.mime_renderers``. Both leave a sentence and a table
where no script runs; ``static/figures.js`` and ``static/widget-host.js`` do the rest.
"""

from functools import partial
from typing import Any

from docutils import nodes

from attention_course.site import figures, widget_state

PLOTLY = "application/vnd.plotly.v1+json"


class CourseRenderer:
    """The plug-in that myst-nb asks before its own renderers."""

    # Ahead of a figure's or widget's HTML and text forms.
    mime_priority_overrides = (("*", PLOTLY, 5), ("*", widget_state.VIEW, 6))

    @staticmethod
    def handle_mime(renderer: Any, data: Any, inline: bool) -> list[nodes.Node] | None:
        """Return the nodes for an output, or None for a kind that is not ours."""
        if data.mime_type == PLOTLY:
            make, live = partial(figures.figure_html, data.content), "figure"
        elif data.mime_type == widget_state.VIEW:
            live, model_id = "widget", data.content["model_id"]
            models = widget_state.models(renderer.renderer.nb_client.nb_metadata)
            make = partial(widget_state.place_html, model_id, models)
        else:
            return None
        try:
            return [nodes.raw("", make(), format="html", live=live)]
        except ValueError as error:
            renderer.logger.warning(str(error), subtype="attention_course", line=data.line)
            return []
