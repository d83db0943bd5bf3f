"""*Try it here*: what a page needs so that its exercises in NumPy run, and are checked, in it.

The build marks their cells; ``static/tryit.js`` puts an editor in their place when a reader
asks for it, ``static/running.js`` and ``static/python.js`` run it. Python, NumPy and the course
lie beside the pages, each file twice: as it is, for a page that comes from a server, and as a
script, because a page that was opened from disk may load nothing else.
"""

import base64
import hashlib
import io
import json
import re
import shutil
import zipfile
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from attention_course._setup_cell import setup_cell
from attention_course.assembled import LINES, assemble
from attention_course.assembled.workbench import about as about_the_bench
from attention_course.exercises.bank import exercise_named, targets

PACKAGE = Path(__file__).parents[1]
VENDOR = Path(__file__).parent / "vendor"
# What the reader's Python has of the course.
FOLDERS = ("reference", "exercises", "assembled", "data/world")
FILES = ("data/tensors.py", "data/vocabulary.py")
KINDS = (".py", ".md", ".toml", ".txt")
PARTS = {slot.exercise for line in LINES.values() for slot in line.slots.values()}
MARKER = re.compile(r"# EXERCISE ([a-z0-9-]+)\n")


def mark(app: Sphinx, doctree: nodes.document) -> None:
    """Mark the cells that a page can run (``doctree-read``): answers in NumPy."""
    for cell in doctree.findall(nodes.container):
        if "tag_exercise" not in cell.get("classes", ()):
            continue
        found = MARKER.match(cell.astext())
        if found and exercise_named(found[1]).uses == "numpy":
            cell["classes"] += ["ac-try", *["ac-part"] * (found[1] in PARTS)]


def served(course: bytes) -> dict[str, bytes]:
    """Return the files that the reader's Python is made of, by name."""
    pyodide = [path for path in (VENDOR / "pyodide").iterdir() if path.suffix != ".md"]
    unserved = ("LICENSE", "pyodide-lock")
    files = {p.name: p.read_bytes() for p in sorted(pyodide) if not p.name.startswith(unserved)}
    return files | {"course.zip": course}


def course_files() -> dict[str, bytes]:
    """Return what the reader's Python has of the course, by the name it is imported from."""
    inside = [path for folder in FOLDERS for path in (PACKAGE / folder).rglob("*")]
    inside += [*PACKAGE.glob("_*.py"), *(PACKAGE / name for name in FILES)]
    names = sorted({path for path in inside if path.suffix in KINDS})
    return {path.relative_to(PACKAGE.parent).as_posix(): path.read_bytes() for path in names}


def course_zip(files: dict[str, bytes]) -> bytes:
    """Return files in one that the page's Python imports; the same files, the same bytes."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for name, inside in files.items():
            entry = zipfile.ZipInfo(name)  # with the date that all such entries have
            entry.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(entry, inside)
    return content.getvalue()


def about(files: dict[str, bytes], asked: dict[str, str] | None = None) -> str:
    """Return the script that says of these files what ``static/python.js`` must know.

    A page that makes notebooks of its own is told what each exercise ``asked`` for.
    """
    stated = {
        name: {"bytes": len(content), "v": hashlib.sha256(content).hexdigest()[:8]}
        for name, content in files.items()
    }
    lock = json.loads((VENDOR / "pyodide" / "pyodide-lock.json").read_text("utf-8"))
    said = {"files": stated, "lock": json.dumps({"info": lock["info"], "packages": {}})}
    said |= {"setup": setup_cell(torch=False, drawing=False), "targets": asked or {}}
    return f"globalThis.acPythonAbout = {json.dumps(said)};\n"


def as_script(name: str, content: bytes) -> str:
    """Wrap a file in a script that defines its contents."""
    text = base64.b64encode(content).decode()
    return f'(globalThis.acPythonData ??= {{}})["{name}"] = "{text}";\n'


def costs() -> dict[str, dict[str, dict[str, str]]]:
    """Return what each named mistake was recorded to cost, by model and slot."""
    names = "own_parts", "own_parts_recurrent"
    files = [(PACKAGE / f"data/recorded/{name}.json").read_text("utf-8") for name in names]
    one, more = map(json.loads, files)
    about = one["provenance"]
    found = {about["model"]: one["result"], **more["result"]}
    said = f"{{}} of {about['sentences']} stay"
    return {
        model: {
            slot: {
                name: "an error" if cost["error"] else said.format(cost["same"])
                for name, cost in each.items()
            }
            for slot, each in slots.items()
        }
        for model, slots in found.items()
    }


def write(folder: Path) -> None:
    """Write what ``static/tryit.js`` loads into the folder where it lies, once."""
    python = folder / "python"
    if python.exists():
        return
    python.mkdir(parents=True)
    shutil.copy2(VENDOR / "codemirror" / "codemirror.min.js", python)
    files = served(course_zip(course_files()))
    for name, content in files.items():
        (python / name).write_bytes(content)
        (python / f"{name}.js").write_text(as_script(name, content), encoding="utf-8")
    (python / "about.js").write_text(about(files, targets()), encoding="utf-8")
    bench = about_the_bench()
    bench["acSlots"]["costs"] = costs()
    for name, said in bench.items():
        script = f'globalThis["{name}"] = {json.dumps(said)};\n'
        (python / f"{name}.js").write_text(script, encoding="utf-8")
    for model in bench["acSlots"]["models"]:  # their weights, for a file that a reader keeps
        assemble(model=model).keep(python)


def load(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Load the script on pages with such a cell, or the workbench (``html-page-context``)."""
    if "ac-try" in context.get("body", ""):
        load_running(app)
        app.add_js_file("course/tryit.js", loading_method="defer")

    if 'class="ac-bench"' in context.get("body", ""):
        load_running(app)
        app.add_js_file("course/workbench.js", loading_method="defer")


def load_running(app: Sphinx) -> None:
    """Load what runs code in a page, before the scripts that use it."""
    app.add_js_file("course/running.js", loading_method="defer", priority=400)
    write(Path(app.outdir) / "_static" / "course")
