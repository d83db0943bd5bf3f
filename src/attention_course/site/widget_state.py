"""What a page needs to know of its widgets, out of what the notebook stores.

A notebook stores every model of every widget, layouts included, and a widget's source once
for each copy of it. The page gets the models that ``widget-host.js`` runs, each source once.
"""

import copy
import html
import json
from typing import Any

STATE = "application/vnd.jupyter.widget-state+json"
VIEW = "application/vnd.jupyter.widget-view+json"
_SOURCES = ("_esm", "_css")


def models(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return the stored models of a notebook by id: an empty dict if there are none."""
    return (metadata.get("widgets") or {}).get(STATE, {}).get("state", {})


def compact(stored: dict[str, Any]) -> dict[str, Any]:
    """Return the models that the page's host runs, without repeated sources or fallbacks.

    Args:
        stored: the models by id, as a notebook stores them.

    Returns:
        Models by id. A source that an earlier model has reads ``{"same_as": its id}``.

    >>> compact({"a": {"state": {"_esm": "x", "n": 1}}, "b": {"state": {"_esm": "x"}}})["b"]
    {'state': {'_esm': {'same_as': 'a'}}}
    """
    kept: dict[str, Any] = {}
    first: dict[Any, str] = {}
    for model_id, model in stored.items():
        state = model.get("state", {})
        if "_esm" not in state:
            continue
        state = {key: state[key] for key in state if key in _SOURCES or _is_own(key)}
        for key in _SOURCES:
            if state.get(key):
                owner = first.setdefault((key, state[key]), model_id)
                state[key] = state[key] if owner == model_id else {"same_as": owner}
        kept[model_id] = {"state": copy.deepcopy(state)}
    return kept


def _is_own(key: str) -> bool:
    return not key.startswith("_") and key not in {"fallback", "layout", "tooltip", "tabbable"}


def state_script(stored: dict[str, Any]) -> str:
    """Return the script element that hands the models to the page."""
    body = json.dumps(
        {"version_major": 2, "version_minor": 0, "state": compact(stored)},
        separators=(",", ":"),
        ensure_ascii=False,
    ).replace("</", "<\\/")
    return f'<script type="{STATE}">{body}</script>'


def place_html(model_id: str, stored: dict[str, Any]) -> str:
    """Return the element in which a widget will live, with what stands there until it does.

    Args:
        model_id: the id in the notebook's view output.
        stored: the models by id, as the notebook stores them.

    Returns:
        A ``div`` with the widget's ``fallback`` in it.

    Raises:
        ValueError: if the notebook holds no such widget, no code for it or no fallback.
    """
    state = stored.get(model_id, {}).get("state", {})
    for key, meaning in (("_esm", "code"), ("fallback", "fallback")):
        if not state.get(key):
            raise ValueError(
                f"place_html: stored must hold the {meaning} of widget {model_id}, got "
                f"{sorted(state) or 'no such widget'}"
            )
    key = html.escape(str(state.get("key") or ""))
    fallback = state["fallback"].replace("<pre>", '<pre translate="no">')
    return (
        f'<div class="ac-widget" data-model-id="{html.escape(model_id)}" data-ac-key="{key}">'
        f'<div class="ac-fallback">{fallback}</div></div>'
    )
