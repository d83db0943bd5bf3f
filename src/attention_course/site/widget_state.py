"""What a page needs to know of its widgets, out of what the notebook stores.

A notebook stores every model of every widget, layouts included, and a widget's source once
for each copy of it. The page gets what ``widget-host.js`` needs to run them; their sources lie
beside it, for all pages together, and come when a widget does.
"""

import copy
import hashlib
import html
import json
from pathlib import Path
from typing import Any

STATE = "application/vnd.jupyter.widget-state+json"
VIEW = "application/vnd.jupyter.widget-view+json"
_SOURCES = ("_esm", "_css")


def models(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return the stored models of a notebook by id: an empty dict if there are none."""
    return (metadata.get("widgets") or {}).get(STATE, {}).get("state", {})


def compact(stored: dict[str, Any]) -> dict[str, Any]:
    """Return, by id, the models that the page's host runs, without sources or fallbacks.

    In the place of its code, each has a name of what ``sources`` returns.

    >>> compact({"a": {"state": {"_esm": "x", "n": 1}}, "b": {"state": {}}})
    {'a': {'state': {'n': 1, '_source': 'bda2ff1b58'}}}
    """
    kept: dict[str, Any] = {}
    for model_id, model in stored.items():
        state = model.get("state", {})
        if "_esm" not in state:
            continue
        own = {key: copy.deepcopy(state[key]) for key in state if _is_own(key)}
        kept[model_id] = {"state": own | {"_source": _digest(_source(state))}}
    return kept


def sources(stored: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Return the module and the style of each widget, by a name that only this text has."""
    found = [_source(model["state"]) for model in stored.values() if "_esm" in model["state"]]
    return {_digest(source): source for source in found}


def write_sources(folder: Path, made: dict[str, dict[str, str]]) -> None:
    """Write a script with each source, for ``widget-host.js`` in the folder above.

    A script, because a page that was opened from disk may fetch nothing else.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, source in made.items():
        script = f'(globalThis.acSources ??= {{}})["{name}"] = {json.dumps(source)};\n'
        (folder / f"{name}.js").write_text(script, encoding="utf-8")


def _source(state: dict[str, Any]) -> dict[str, str]:
    return {key: state.get(key) or "" for key in _SOURCES}


def _digest(source: dict[str, str]) -> str:
    return hashlib.sha256(json.dumps(source).encode()).hexdigest()[:10]


def _is_own(key: str) -> bool:
    return not key.startswith("_") and key not in {"fallback", "layout", "tooltip", "tabbable"}


def state_script(models: dict[str, Any]) -> str:
    """Return the script element that hands the compact models to the page."""
    whole = {"version_major": 2, "version_minor": 0, "state": models}
    body = json.dumps(whole, separators=(",", ":"), ensure_ascii=False).replace("</", "<\\/")
    return f'<script type="{STATE}">{body}</script>'


def place_html(model_id: str, stored: dict[str, Any]) -> str:
    """Return the element in which a widget will live, with what is there until it does.

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
