"""Everything that a page loads, gathered in one folder; nothing comes from elsewhere.

The folder is built in the doctree folder and handed to Sphinx when the builder is ready.
It must not be called ``_static`` in the source: jupyter-book puts every script that it finds
under such a folder on every page.
"""

import base64
import re
import shutil
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from attention_course.data import packed
from attention_course.data.packed import IN_THE_WORLD, PICTURED
from attention_course.drawing import palette
from attention_course.site.icons import icons_css
from attention_course.site.widget_state import write_sources

SITE = Path(__file__).parent
VENDOR = SITE / "vendor"
FOLDER = "course"  # under _static/
# Scripts of ``static/``, and what a page has in it that uses them.
_USED_BY = {
    "scrolling": r'<pre|class="[^"]*(?:katex|ac-|pst-scrollable)',
    "ticks": r'class="ac-ticks',
    "quiz": r'id="quiz-',
    "kept": r'id="ac-kept"',
    "review": r'id="ac-review"',
    "words": r'class="ac-words"',
    "predictions": r'data-ac-key="predict-',
}
# What the theme's script measures after every change of a page: that one does so, too, but only
# what is laid out, and nothing twice.
_MEASURED = re.compile(r'\["pre",[^]]*\]\.join\(", "\)')
# The trained models that a widget asks for.
MODELS = {
    "world-player": (*IN_THE_WORLD, "world"),
    "recurrent-family": (*(n for n in IN_THE_WORLD if "transformer" not in n), "world"),
    "living-sentence": ("world_words",),
    "image-looker": ("images",),
    "image-asker": ("asker",),
    "picture-teller": PICTURED,
}
PACKED: dict[str, Callable[[], bytes]] = {
    "world_words": packed.pack_words,
    "images": packed.pack_image_model,
    "asker": packed.pack_asker,
    "world": packed.pack_world,
    **{name: partial(packed.pack_of_the_world, name) for name in IN_THE_WORLD},
    **{name: partial(packed.pack_pictured, name) for name in PICTURED},
}


def gather(app: Sphinx) -> None:
    """Collect the page assets and add their folder to Sphinx's (``builder-inited``)."""
    if app.builder.format != "html":
        return
    root = Path(app.doctreedir).parent / "course-assets"
    shutil.rmtree(root, ignore_errors=True)
    folder = root / FOLDER
    shutil.copytree(SITE / "static", folder)
    shutil.copytree(VENDOR / "katex" / "fonts", folder / "fonts")
    for font in (VENDOR / "source-serif").glob("*.woff2"):
        shutil.copy2(font, folder / "fonts")
    for script in ("plotly/plotly-cartesian.min.js", "ts-fsrs/ts-fsrs.umd.js"):
        shutil.copy2(VENDOR / script, folder)
    (folder / "theme.js").write_text(theme_script(), encoding="utf-8")
    (folder / "katex.css").write_text(katex_css(), encoding="utf-8")
    (folder / "course.css").write_text(course_css(), encoding="utf-8")
    app.config.html_static_path.append(str(root))
    app.add_css_file(f"{FOLDER}/course.css", priority=900)


def course_css() -> str:
    """Return the one style sheet of the course: palette, icons, then ``styles/`` in order."""
    sheets = sorted((SITE / "styles").glob("*.css"))
    return "".join([palette_css(), icons_css(), *(s.read_text("utf-8") for s in sheets)])


def theme_script() -> str:
    """Return the theme's script, which then leaves scrollable boxes to ``scrolling.js``."""
    theme = Path(import_module("pydata_sphinx_theme").__file__ or "").parent
    path = theme / "theme" / theme.name / "static" / "scripts" / "pydata-sphinx-theme.js"
    text, found = _MEASURED.subn('"[data-none]"', path.read_text("utf-8"))
    if found != 1:
        raise ExtensionError(f"{path.name}: expected one list of what it measures, got {found}")
    return text


def katex_css() -> str:
    """Return KaTeX's style sheet with only the woff2 fonts, which every browser here reads."""
    text = (VENDOR / "katex" / "katex.min.css").read_text("utf-8")
    return re.sub(r',url\([^)]*\.(?:woff|ttf)\) format\("\w+"\)', "", text)


def palette_css() -> str:
    """Return the palette as CSS variables for both themes, and the pairs to swap in figures."""
    looks: dict[str, palette.Look] = {**palette.ROLES, **palette.SERIES}
    light = {name: look.light for name, look in looks.items()}
    dark = {name: look.dark for name, look in looks.items()}
    for name, pair in palette.NEUTRALS.items():
        light[name], dark[name] = pair
    for name, scale in (("seq", palette.SEQUENTIAL), ("div", palette.DIVERGING)):
        for number, pair in enumerate(zip(*scale.values(), strict=True)):
            light[f"{name}-{number}"], dark[f"{name}-{number}"] = pair
    swap = ",".join(f"{before} {after}" for before, after in palette.DARK.items())
    return (
        f':root{{--ac-swap:"{swap}";{_variables(light)}}}\n'
        f'@media not print{{html[data-theme="dark"]{{{_variables(dark)}}}}}\n'
    )


def _variables(colours: dict[str, str]) -> str:
    return "".join(f"--ac-{name}:{colour};" for name, colour in colours.items())


def load_what_is_needed(app: Sphinx, page: str, _: str, context: Any, doctree: Any) -> None:
    """Load scripts only on pages that use them (``html-page-context``)."""
    app.add_js_file(f"{FOLDER}/storage.js", loading_method="defer", priority=50)
    for name in ("theme", "settle"):
        app.add_js_file(f"{FOLDER}/{name}.js", loading_method="defer")
    for name, place in _USED_BY.items():
        if re.search(place, context.get("body", "")):
            app.add_js_file(f"{FOLDER}/{name}.js", loading_method="defer")
    if doctree is None:
        return
    if len(list(doctree.findall(nodes.section))) > 1:
        app.add_js_file(f"{FOLDER}/place.js", loading_method="defer")
    kinds = {node.get("live") for node in doctree.findall(nodes.raw)}
    app.add_js_file(f"{FOLDER}/folds.js", loading_method="defer", priority=100)
    if "widget" in kinds:
        app.add_js_file(f"{FOLDER}/widget-host.js", loading_method="defer")
    beside = Path(app.outdir) / "_static" / FOLDER
    for node in doctree.findall(nodes.raw):
        write_sources(beside / "widgets", node.get("sources", {}))
    for key, names in MODELS.items():
        if f'data-ac-key="{key}' in context.get("body", ""):
            write_models(beside / "models", names)
    if "figure" in kinds:
        plotly = context["pathto"](f"_static/{FOLDER}/plotly-cartesian.min.js", 1)
        app.add_js_file(
            f"{FOLDER}/figures.js", loading_method="defer", **{"data-plotly": plotly}
        )


def write_models(folder: Path, names: Iterable[str]) -> None:
    """Write the trained weights that a page asks ``widget-host.js`` for, a script each.

    A script, because a page that was opened from disk may fetch nothing else.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        text = base64.b64encode(PACKED[name]()).decode()
        script = f'(globalThis.acModels ??= {{}}).{name} = "{text}";\n'
        (folder / f"{name}.js").write_text(script, encoding="utf-8")
