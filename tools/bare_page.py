"""One widget on a bare HTML page: for the frame benchmark and the widgets' browser tests.

No site, no kernel, no network: a model of six methods is all that a widget needs.
"""

import json
from typing import Any

_PAGE = """<!doctype html>
<html lang="en" data-theme="%(theme)s"><head><meta charset="utf-8"><title>A widget</title>
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<style>
body {
  margin: 16px; max-width: %(width)s; font-family: serif;
  background: %(paper)s; color: %(ink)s;
}
</style>
<style>%(css)s</style></head><body><main><h1>A widget</h1><div id="place"></div></main>
<script type="module">
const state = %(state)s;
const listeners = new Map();
const changed = new Set();
window.model = {
  get: (name) => state[name],
  set(name, value) {
    if (JSON.stringify(state[name]) === JSON.stringify(value)) return;
    state[name] = value;
    for (const react of [...(listeners.get(`change:${name}`) ?? [])]) react();
  },
  on: (event, react) => void listeners.set(event, [...(listeners.get(event) ?? []), react]),
  off(event, react) {
    listeners.set(event, (listeners.get(event) ?? []).filter((r) => r !== react));
  },
  save_changes() { window.saved = (window.saved ?? 0) + 1; },
};
const source = %(esm)s;
const blob = new Blob([source], { type: "text/javascript" });
const widget = (await import(URL.createObjectURL(blob))).default;
window.started = performance.now();
window.end = widget.render({ model: window.model, el: document.getElementById("place") });
</script></body></html>"""


def bare_page(widget: Any, theme: str = "light", width: str = "72rem", **state: Any) -> str:
    """Return a page with the widget; ``state`` overrides traits without any check."""
    return _PAGE % {
        "theme": theme,
        "width": width,
        "paper": "#14181e" if theme == "dark" else "#ffffff",
        "ink": "#e9e7e2" if theme == "dark" else "#1d1d1b",
        "css": widget._css,
        "state": json.dumps(widget.stored() | state),
        "esm": json.dumps(widget._esm).replace("</", "<\\/"),
    }
