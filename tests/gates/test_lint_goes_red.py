"""ruff on code and on notebooks, the examples, warnings and shapes: each with one defect."""

import json
import shutil
import sys
from types import ModuleType

import nbformat
import pytest
from examples import failures
from gate_tools import run, tool
from mypy.main import process_options
from rules.notebooks import ROOT

CODE = '"""A module."""\n\n\ndef one() -> int:\n    """Return 1."""\n    return 1\n'
TEST = "def test_one():\n    assert 1 == 1.0\n"


@pytest.fixture
def project(tmp_path):
    """A folder with the project's own configuration and one sound file of each kind."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for folder in ("src", "tests", "book"):
        (tmp_path / folder).mkdir()
    shutil.copy(ROOT / "book/ruff.toml", tmp_path / "book")
    (tmp_path / "src/one.py").write_text(CODE)
    (tmp_path / "tests/test_one.py").write_text(TEST)
    _store(tmp_path, "print(1)")
    return tmp_path


def _store(project, source):
    cell = nbformat.v4.new_code_cell(source, id="one")
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), project / "book/one.ipynb")


def _ruff(project, *options):
    return run(tool("ruff"), *options, "src", "tests", "book", cwd=project)


def test_lint_looks_at_every_file_of_code(looked_at):
    course = run(tool("ruff"), "check", "--show-files", "--exclude=grader", ".", cwd=ROOT)
    shown = course.stdout.splitlines()
    looked_at("lint: files", len(shown))
    looked_at("lint: notebooks", sum(name.endswith(".ipynb") for name in shown))


def test_types_are_checked_in_every_module(looked_at):
    sources, _ = process_options([])  # as the project's configuration says
    looked_at("types: files", len(sources))


def test_the_sound_project_passes(project):
    assert _ruff(project, "check").returncode == 0
    assert _ruff(project, "format", "--check").returncode == 0


@pytest.mark.parametrize(
    ("path", "text", "code"),
    [
        pytest.param("src/one.py", CODE + "\n\nimport os\n", "F401", marks=pytest.mark.gate(
            "ruff check: code", "an unused import")),
        pytest.param("src/one.py", CODE.replace('    """Return 1."""\n', ""), "D103",
            marks=pytest.mark.gate("ruff check: docstrings", "a public function without one")),
        pytest.param("tests/test_one.py", TEST + "    1 == 2\n", "B015", marks=pytest.mark.gate(
            "ruff check: tests", "a comparison without assert")),
        pytest.param("src/one.py", CODE.replace("return 1\n", "return one_more\n"), "F821",
            marks=pytest.mark.gate("ruff check: names", "an undefined name")),
    ],
)  # fmt: skip
def test_ruff_complains_of_code(project, path, text, code):
    (project / path).parent.mkdir(parents=True, exist_ok=True)
    (project / path).write_text(text)
    done = _ruff(project, "check", "--output-format=concise")
    assert done.returncode == 1
    assert code in done.stdout


@pytest.mark.gate("ruff check: notebooks", "an unused import in a cell")
def test_ruff_complains_of_a_cell(project):
    _store(project, "import os\n\nprint(1)")
    done = _ruff(project, "check", "--output-format=concise")
    assert done.returncode == 1
    assert "F401" in done.stdout


@pytest.mark.gate("ruff check: width of cells", "a line of 77 characters, which src may have")
def test_ruff_complains_of_a_line_that_a_page_would_cut_off(project):
    line = "# " + "word " * 15
    assert len(line) == 77
    (project / "src/one.py").write_text(CODE + line.strip() + "s\n")
    _store(project, line[:-2] + "\nprint(1)")
    assert _ruff(project, "check").returncode == 0
    _store(project, line.strip() + "s\nprint(1)")
    done = _ruff(project, "check", "--output-format=concise")
    assert done.returncode == 1
    assert "E501" in done.stdout


@pytest.mark.gate("ruff format: code", "three spaces")
def test_ruff_complains_of_the_format_of_code(project):
    (project / "src/one.py").write_text(CODE.replace("return 1\n", "return   1\n"))
    assert _ruff(project, "format", "--check").returncode == 1


@pytest.mark.gate("ruff format: notebooks", "a space too few")
def test_ruff_complains_of_the_format_of_a_cell(project):
    _store(project, "a =1")
    assert _ruff(project, "format", "--check").returncode == 1


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param(CODE.replace("return 1\n", 'return "1"\n'), "return-value",
            marks=pytest.mark.gate("mypy", "a string returned for an int")),
        pytest.param(CODE.replace(" -> int", ""), "no-untyped-def",
            marks=pytest.mark.gate("mypy, strict", "a function without annotations")),
        pytest.param(CODE.replace("int:", "list:").replace("return 1\n", "return [1]\n"),
            "type-arg", marks=pytest.mark.gate("mypy, strict: containers", "a bare list")),
    ],
)  # fmt: skip
def test_mypy_complains_of_a_type(project, text, code):
    assert run(tool("mypy"), cwd=project).returncode == 0
    (project / "src/one.py").write_text(text)
    done = run(tool("mypy"), cwd=project)
    assert done.returncode == 1
    assert f"[{code}]" in done.stdout


def _pytest(project, *options):
    command = [sys.executable, "-m", "pytest", "-q", "--color=no", "-p", "no:xdist", *options]
    return run(*command, "src", "tests", cwd=project)


@pytest.mark.gate("examples in docstrings", "an example with a wrong result")
def test_a_wrong_example_is_noticed():
    module = ModuleType("one")
    module.__doc__ = ">>> 1 + 1\n3\n"
    assert "Expected:\n    3\nGot:\n    2" in failures(module)
    module.__doc__ = ">>> 1 + 1\n2\n"
    assert failures(module) == ""


@pytest.mark.gate("warnings are errors", "a warning inside a test")
def test_a_warning_is_an_error(project):
    body = "import warnings\n\n\ndef test_one():\n    warnings.warn('old', UserWarning)\n"
    (project / "tests/test_one.py").write_text(body)
    done = _pytest(project)
    assert done.returncode == 1
    assert "UserWarning: old" in done.stdout


@pytest.mark.gate("pytest's markers", "a mistyped marker")
def test_an_unknown_marker_is_an_error(project):
    body = "import pytest\n\n\n@pytest.mark.brwoser\ndef test_one():\n    pass\n"
    (project / "tests/test_one.py").write_text(body)
    assert _pytest(project).returncode != 0


@pytest.mark.gate("shapes in signatures", "keys with another d_k than the queries")
def test_a_wrong_shape_is_noticed():
    import numpy as np
    from jaxtyping import TypeCheckError

    from attention_course.reference import dot_scores

    with pytest.raises(TypeCheckError, match="parameter 'k'"):
        dot_scores.__wrapped__(np.zeros((2, 3)), np.zeros((5, 4)))


@pytest.mark.gate("JavaScript types", "a number given for a string")
def test_a_wrong_type_in_javascript_is_noticed(tmp_path):
    options = json.loads((ROOT / "tsconfig.json").read_text())
    options["include"] = ["*.js"]
    (tmp_path / "tsconfig.json").write_text(json.dumps(options))
    sound = "/** @param {string} name */\nexport const f = (name) => name.length;\nf('a');\n"
    compiler = str(ROOT / "node_modules/.bin/tsc")
    (tmp_path / "one.js").write_text(sound)
    assert run(compiler, "-p", "tsconfig.json", cwd=tmp_path).returncode == 0
    (tmp_path / "one.js").write_text(sound.replace("f('a')", "f(1)"))
    done = run(compiler, "-p", "tsconfig.json", cwd=tmp_path)
    assert done.returncode != 0
    assert "TS2345" in done.stdout
