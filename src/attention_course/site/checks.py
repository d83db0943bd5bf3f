"""Warnings, fatal in the strict build, for notebooks that must not be published."""

import json
from typing import Any

from sphinx.application import Sphinx
from sphinx.util import logging

_LOGGER = logging.getLogger(__name__)


def errors_in(notebook: dict[str, Any]) -> list[str]:
    """Return one sentence for each stored error that its cell does not announce.

    Args:
        notebook: the notebook's JSON.

    >>> cell = {"outputs": [{"output_type": "error", "ename": "KeyError", "evalue": "3"}]}
    >>> errors_in({"cells": [cell]})
    ['cell 1 raised KeyError: 3']
    """
    return [
        f"cell {number} raised {output.get('ename')}: {output.get('evalue')}"
        for number, cell in enumerate(notebook.get("cells", []), start=1)
        if "raises-exception" not in cell.get("metadata", {}).get("tags", [])
        for output in cell.get("outputs", [])
        if output.get("output_type") == "error"
    ]


def warn_of_errors(app: Sphinx, docname: str, source: list[str]) -> None:
    """Turn the stored errors of a notebook into warnings (Sphinx's ``source-read``)."""
    if not str(app.env.doc2path(docname)).endswith(".ipynb"):
        return
    for sentence in errors_in(json.loads(source[0])):
        _LOGGER.warning(sentence, location=docname, type="attention_course", subtype="error")
