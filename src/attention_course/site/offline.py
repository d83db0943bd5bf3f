"""An assignment as one file for a browser: double click, solve, check, save, hand in.

It is made of the notebook that students get and of nothing else of the assignment, so it can
hold nothing of it that the notebook does not. Python, NumPy and the course's ``check`` lie in
it as base64; ``check`` compares with public examples, stored as a teacher's own exercise has
them in a notebook: no solution and no named mistake is inside.
What the page saves is that notebook with the answers filled in.
"""

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from attention_course.exercises import Exercise, exercise_named
from attention_course.exercises.examples import as_text
from attention_course.site import assets
from attention_course.site.mathematics import prepare_display, set_formula
from attention_course.site.tryit import (
    MARKER,
    VENDOR,
    about,
    as_script,
    course_files,
    course_zip,
    served,
)

# How the notebook's own cells check an answer; a teacher's own exercise brings its examples.
_CHECK = re.compile(r'^check\(\w+, "([^"\n]+)"\)', re.M)
_OWN = re.compile(r'^check\(\w+, own_exercise\(r"""\n(.*?)\n"""\)\)', re.M | re.S)
_WRITTEN = re.compile(r"\s*<!--\s*WRITTEN\s+(\S+?)\s*-->")
# Where solutions stand, and what needs these folders.
_ANSWERS = tuple(f"attention_course/{part}/" for part in ("reference", "assembled", "data"))
_NOT_SHOWN = re.compile(r"try:\n    import attention_course|check\(|# Public ex")
_SCRIPT_ENDS = re.compile(r"<(?=/script|script|!--)", re.I)
_FONT = re.compile(r"url\((fonts/[^)]+)\)")
_INSIDE = "attention_course/exercises/"
_BANK = f"{_INSIDE}bank/"
# Which draws of the inputs a page brings: attempts take them in turn. Others have longer axes,
# and three times the size.
DRAWS = 0, 3, 6
LARGE = "; that a large input takes no longer than it may is measured when the answer is graded"

# The question is the notebook's own: with all of the exercise's inputs, and a student's name.
ELSEWHERE = (
    "This page cannot ask that: save your answers below, open the saved notebook in Jupyter or "
    "Colab, and run its last cell of this exercise there before you hand it in."
)


def offline_page(notebook: str, name: str) -> str:
    """Return the page of an assignment, a notebook with exercises of the course."""
    if not (VENDOR / "pyodide").is_dir():
        raise ValueError("offline: Python for the page lies in a clone of the course alone")
    cells = _cells(notebook, name)
    sources = "\n".join(source for kind, source in cells if kind == "code")
    asked = [exercise_named(found) for found in _CHECK.findall(sources)]
    shown = [
        one for one in asked if one.uses == "numpy" and not all(p.read for p in one.probes)
    ]
    examples = {one.slug: public_sets(one) for one in shown}
    examples |= {json.loads(text)["slug"]: [text] for text in _OWN.findall(sources)}
    if not examples:
        raise ValueError(f"offline: {name}: no cell checks an exercise in NumPy")
    from jinja2 import Template  # Sphinx brings it

    parts = list(_parts(cells, examples))
    digest = hashlib.sha256(notebook.encode()).hexdigest()
    given = {"notebook": notebook, "file": name, "key": f"assignment {digest[:12]}"}
    files = served(course_zip(course_of(examples)))
    static = Path(__file__).parent / "static"
    scripts = [
        about(files),
        f"globalThis.acAssignment = {json.dumps(given)};",
        (VENDOR / "codemirror" / "codemirror.min.js").read_text("utf-8"),
        *(
            (static / script).read_text("utf-8")
            for script in ("python.js", "storage.js", "running.js", "tryit.js")
        ),
        *(as_script(file, content) for file, content in files.items()),
    ]
    titles = re.findall(r"^# (.+)$", "\n".join(source for _, source in cells), re.M)
    template = Path(__file__).parent / "templates" / "offline.html"
    return Template(template.read_text("utf-8")).render(
        title=titles[0] if titles else name,
        file=name,
        nonce=digest[12:36],
        style=_style(any("katex" in part for part in parts)),
        unchecked=LARGE if any(probe.large for one in asked for probe in one.probes) else "",
        parts=parts,
        licences=_licences(),
        scripts=[_SCRIPT_ENDS.sub(r"\\x3c", script) for script in scripts],
    )


def public_sets(exercise: Exercise) -> list[str]:
    """Return inputs that everybody may see and what is right for them, as often as drawn."""
    return [public_examples(replace(exercise, draw=draw)) for draw in DRAWS]


def public_examples(exercise: Exercise) -> str:
    """Return one set of them; none is large."""
    public = (replace(probe, public=True) for probe in exercise.probes if not probe.large)
    return as_text(replace(exercise, probes=tuple(public)))


def course_of(examples: dict[str, list[str]]) -> dict[str, bytes]:
    """Return what the page has of the course: ``check`` and these examples, no solution."""
    kept = {
        name: content
        for name, content in course_files().items()
        if not name.startswith(_ANSWERS)
        and (not name.startswith(_BANK) or name == f"{_BANK}__init__.py")
    }
    for slug, sets in sorted(examples.items()):
        for number, text in enumerate(sets):
            kept[f"{_INSIDE}handed_out/{slug}.{number}.json"] = text.encode()
    return kept


def _cells(notebook: str, name: str) -> list[tuple[str, str]]:
    """Return the kind and the source of each cell."""
    try:
        cells = json.loads(notebook)["cells"]
        return [(cell["cell_type"], "".join(cell["source"])) for cell in cells]
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"offline: {name} must be a notebook as release writes it") from error


def _parts(cells: list[tuple[str, str]], examples: dict[str, list[str]]) -> Iterator[str]:
    """Yield what is on the page of each cell; it sets up and checks by itself."""
    markdown = _markdown()
    for kind, source in cells:
        marker, written = MARKER.match(source), _WRITTEN.match(source)
        if kind == "markdown" and written:
            name = html.escape(written[1])
            yield (
                f'<textarea data-item="{name}" aria-label="Your answer: {name}" disabled>'
                '</textarea><p class="ac-try-status" role="status"></p>'
            )
        elif kind == "markdown":
            yield markdown.render(source)
        elif marker:
            yield _exercise(marker[1], source, examples.get(marker[1]))
        elif source.startswith("# DEFEND "):
            yield f"<p>{ELSEWHERE}</p>"
        elif not _NOT_SHOWN.match(source):
            yield f"<pre>{html.escape(source)}</pre>"


def _exercise(slug: str, source: str, examples: list[str] | None) -> str:
    """Return the place where an answer is written, and the folded hints."""
    hints = json.loads(examples[0])["hints"] if examples else ()
    folded = "".join(
        f"<details><summary>Hint {number} of {len(hints)}</summary>"
        f"{_markdown().render(hint)}</details>"
        for number, hint in enumerate(hints, start=1)
    )
    cell = f'<div class="cell_input"><pre>{html.escape(source)}</pre></div>'
    runs = "" if examples else " data-ac-unrun"
    return f'<a id="exercise-{slug}"></a>{folded}<div class="cell ac-try"{runs}>{cell}</div>'


def _markdown() -> Any:
    """Return what makes HTML of a notebook's texts, their formulas set."""
    from markdown_it import MarkdownIt  # myst-parser brings both
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    def formula(latex: str, options: dict[str, Any]) -> str:
        display = options["display_mode"]
        made = set_formula(prepare_display(latex) if display else latex, display)
        return f'<div class="ac-display">{made}</div>' if display else made

    return MarkdownIt("commonmark").enable("table").use(dollarmath_plugin, renderer=formula)


def _licences() -> dict[str, str]:
    """Return the licences of what the page brings along, with the address of its source."""
    found = {}
    for name in ("pyodide", "codemirror", "katex", "source-serif"):
        folder = VENDOR / name
        about = (folder / "PROVENANCE.md").read_text("utf-8")
        source = re.findall(r"^- Source: (\S+)", about, re.M)
        texts = (path.read_text("utf-8") for path in sorted(folder.glob("LICENSE*")))
        found[" ".join([about.splitlines()[0].lstrip("# "), *source])] = "\n".join(texts)
    return found


def _style(formulas: bool) -> str:
    """Return the style sheet, its fonts inside."""
    folders = (VENDOR / "katex" / "fonts", VENDOR / "source-serif")
    fonts = {font.name: font for folder in folders for font in folder.glob("*.woff2")}

    def inside(address: re.Match[str]) -> str:
        content = base64.b64encode(fonts[address[1].partition("/")[2]].read_bytes())
        return f"url(data:font/woff2;base64,{content.decode()})"

    return _FONT.sub(inside, (assets.katex_css() if formulas else "") + assets.course_css())
