"""What is under a cell: text for a terminal and nbval, a closed fold for a page."""

import html


class Output:
    """One output in two forms."""

    def __init__(self, text: str, markup: str):
        self.text, self.markup = text, markup

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.markup


def folded(summary: str, *lines: str) -> str:
    """Return the markup of a small closed fold, a paragraph for each line."""
    inside = "".join(f"<p>{html.escape(line)}</p>" for line in lines)
    head = f"<summary>{html.escape(summary)}</summary>"
    return f'<details class="ac-hold">{head}{inside}</details>'
