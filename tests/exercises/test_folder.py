"""An exercise is read from its folder; what is wrong with a folder is named."""

import shutil
import subprocess
import sys
import tomllib

import pytest
from rules.source import ROOT

from attention_course.exercises import bank, exercise_named
from attention_course.exercises.folder import load_exercise

FOLDER = bank._BANK / "four-steps"
VARIED = bank._BANK / "cosine-attention"


@pytest.fixture
def folder(tmp_path):
    """A copy of an exercise that has variants, beside the mistakes common to many."""
    shutil.copy(bank._BANK / "common.toml", tmp_path)
    return shutil.copytree(VARIED, tmp_path / VARIED.name)


def change(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_a_folder_is_the_exercise(folder):
    copy, stored = load_exercise(folder), exercise_named("cosine-attention")
    assert (copy.slug, copy.solution, copy.wrong, copy.right) == (
        stored.slug,
        stored.solution,
        stored.wrong,
        stored.right,
    )
    assert [probe.name for probe in copy.probes] == [probe.name for probe in stored.probes]


def test_what_a_folder_holds_is_installed():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    patterns = settings["tool"]["setuptools"]["package-data"]["attention_course"]
    kinds = {p.suffix for p in bank._BANK.glob("*/*.*")} - {".py", ".pyc"}
    assert kinds == {".md", ".toml"}
    assert {f"**/*{kind}" for kind in kinds} <= set(patterns)


@pytest.mark.parametrize("path", sorted(VARIED.glob("*.*")), ids=lambda path: path.name)
def test_a_missing_file_is_named(folder, path):
    (folder / path.name).unlink()
    if path.name == "variants.toml":
        assert load_exercise(folder).variants == ()
        return
    with pytest.raises(ValueError, match=rf"cosine-attention must hold {path.name}, has "):
        load_exercise(folder)


@pytest.mark.parametrize(
    ("file", "old", "new", "complaint"),
    [
        ("statement.md", "minutes = 15\n", "", "a setting minutes, got only title, "),
        ("statement.md", "minutes = 15", "minutes = '15'", "minutes: int, got '15'"),
        ("statement.md", "minutes = 15", "minutes = 15\nlevel = 1", "got 'level'"),
        ("statement.md", "minutes = 15", "minutes = ", "have TOML, got Invalid value"),
        ("statement.md", "## Hints", "## Help", "## Contract and ## Hints, got another order"),
        ("probes.py", "PROBES =", "ROWS =", "a tuple PROBES of Probe, got None"),
        ("mistakes.toml", "'unit(k)'", "'nowhere '", "exactly once, stands 0 times: 'nowhere "),
        (
            "right.toml",
            "'scores = beta'",
            "'a', 'scores = beta'",
            "pairs of find and replace, got 3 texts",
        ),
        ("mistakes.toml", "[score]", "score = 1", "score: dict, got 1"),
        ("variants.toml", "adapt = ", "adapt = 'lost' # ", "exercises/probing.py, got 'lost'"),
        ("variants.toml", "wrap = ", "warp = ", "with wrap, contract"),
        (
            "variants.toml",
            "together = [",
            'together = ["lost+temperature"] # ',
            "got 'lost+temperature'",
        ),
        (
            "variants.toml",
            "together = [",
            'together = ["temperature"] # ',
            "joined by +, got 'temp",
        ),
    ],
)
def test_what_is_wrong_with_a_file_is_said(folder, file, old, new, complaint):
    change(folder / file, old, new)
    with pytest.raises(ValueError) as caught:
        load_exercise(folder)
    assert complaint in str(caught.value)
    assert "cosine-attention" in str(caught.value)


def test_code_of_several_lines_stands_as_it_does_in_the_solution(tmp_path):
    folder = shutil.copytree(FOLDER, tmp_path / "four-steps")
    rows = '[made]\n"up" = ["hint", "weights = exps / exps.sum()", """\n'
    rows += '    weights = exps\n    weights = weights / weights.sum()"""]\n'
    (folder / "mistakes.toml").write_text(rows)
    exercise = load_exercise(folder)
    assert "\n    weights = exps\n    weights = weights /" in exercise.source_of(
        exercise.wrong[0]
    )


def test_a_common_mistake_joins_where_it_fits_once_and_an_own_one_goes_first(folder):
    rows = r"""[made]
"fits" = ["hint", "weights = (exps) / .*", "weights = 2 * \1"]
"fits twice" = ["hint", "exps", "scores"]
"the strength is left out" = ["hint", "weights = exps / .*", "weights = exps"]
""".replace("\\1", "\\\\1")
    (folder.parent / "common.toml").write_text(rows)
    wrong = load_exercise(folder).wrong
    names = [one.name for one in wrong]
    assert names[-1] == "fits"
    assert "fits twice" not in names
    assert names.count("the strength is left out") == 1
    assert "weights = 2 * exps\n" in exercise_named("cosine-attention").source_of(wrong[-1])


def test_a_paragraph_is_one_line_and_a_list_keeps_its_lines(tmp_path):
    folder = shutil.copytree(FOLDER, tmp_path / "four-steps")
    change(folder / "statement.md", "## Contract", "- one\n- two\n\nAnd\nso on.\n\n## Contract")
    assert load_exercise(folder).statement.endswith("\n\n- one\n- two\n\nAnd so on.")


def test_two_exercises_that_ask_for_the_same_name_are_refused(tmp_path, monkeypatch):
    for name in ("four-steps", "five-steps"):
        shutil.copytree(FOLDER, tmp_path / name)
    monkeypatch.setattr(bank, "_BANK", tmp_path)
    with pytest.raises(ValueError, match="asked for once, four_steps is twice"):
        bank.targets.__wrapped__()


def test_checking_an_answer_loads_its_exercise_alone():
    code = (
        "from attention_course.exercises import bank, check, exercise_named\n"
        "def four_steps(q, k, v): return k @ q, v\n"
        "check(four_steps); exercise_named('four-steps')\n"
        "print(bank._loaded.cache_info().currsize)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stdout.splitlines()[-1] == "1", ran.stderr
