"""What students get: no solution, the same bytes on every run, nbgrader's metadata."""

import hashlib
import json
import re
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import nbformat
import pytest
from assignment_files import CODE, HEAD, WRITTEN, sources, write_assignment
from stamp import address, course_of

from attention_course._setup_cell import COURSE, setup_cell
from attention_course.exercises import all_exercises, examine_source, exercise_named
from course_grader.cli.command import main
from course_grader.cli.release import read_roster, release
from course_grader.cli.solutions import solutions
from course_grader.submissions.assignment import load_assignment
from course_grader.submissions.notebook import ADAPTED, solution_notebook, student_notebook

ROOT = Path(__file__).parents[3]
SAMPLES = sorted(path.parent for path in ROOT.glob("assignments/*/assignment.toml"))
README = (ROOT / "assignments/README.md").read_text(encoding="utf-8")
# Lines that any program in this field may hold.
COMMON = re.compile(r"(import|from) .*|[])},]*|(else|try):|return|continue|break|pass|[\"']{3}")


@pytest.fixture
def small(tmp_path):
    return load_assignment(write_assignment(tmp_path))


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """An assignment of the whole bank, each exercise in its plain form."""
    items = "".join(f'\n[[items]]\nexercise = "{slug}"\n' for slug in all_exercises())
    home = tmp_path_factory.mktemp("bank")
    return load_assignment(write_assignment(home, HEAD + items + WRITTEN, "everything"))


def telling(exercise):
    """Return the lines of a solution that its stub and its statement do not show."""
    shown = exercise.stub + exercise.statement + "\n".join(exercise.contract)
    lines = {line.strip() for line in exercise.solution.splitlines()}
    return {line for line in lines if line not in shown and not COMMON.fullmatch(line)}


def leaks(text, exercise):
    """Return what of an exercise's solution and wrong answers stands in a text."""
    lines = {line.strip() for line in text.splitlines()}
    found = sorted(telling(exercise) & lines)
    for answer in exercise.wrong:
        found += [words for words in (answer.name, answer.hint) if words and words in text]
    return found + [hint for hint in exercise.hints if hint in text]


@pytest.fixture(params=all_exercises().values(), ids=all_exercises())
def alone(request, tmp_path):
    """An assignment of one exercise and a written question, in each of its variants."""
    names = ["plain", *request.param.forms]
    items = f'\n[[items]]\nexercise = "{request.param.slug}"\nvariants = ["{{}}"]\n'
    return [
        load_assignment(write_assignment(tmp_path / name, HEAD + items.format(name) + WRITTEN))
        for name in names
    ]


def said(notebook):
    """Return all that a notebook's cells say."""
    return "\n".join("".join(cell["source"]) for cell in json.loads(notebook)["cells"])


def test_nothing_of_a_solution_or_a_wrong_answer_is_released(alone):
    for assignment in alone:
        (exercise,) = assignment.exercises().values()
        text = said(student_notebook(assignment))
        assert telling(exercise)
        assert leaks(text, exercise) == []
        assert "Aardvarks" not in text


def test_the_search_for_solutions_finds_them_where_they_stand(alone):
    for assignment in alone:
        (exercise,) = assignment.exercises().values()
        text = said(solution_notebook(assignment))
        assert telling(exercise) <= set(leaks(text, exercise))
        assert "Aardvarks" in text


@pytest.mark.parametrize("make", [student_notebook, solution_notebook])
def test_a_notebook_is_valid_and_its_cells_have_names_of_their_own(everything, make):
    notebook = nbformat.reads(make(everything), as_version=4)
    nbformat.validate(notebook)
    ids = [cell.id for cell in notebook.cells]
    names = [c.metadata.nbgrader.grade_id for c in notebook.cells if "nbgrader" in c.metadata]
    assert len(set(ids)) == len(ids)
    assert len(set(names)) == len(names)
    assert all(cell.get("outputs", []) == [] for cell in notebook.cells)


def test_an_answers_cell_begins_with_its_marker_and_holds_the_stub(everything):
    found = [s for s in map("".join, _sources(everything)) if s.startswith("# EXERCISE ")]
    assert [s.split("\n")[0] for s in found] == [e.marker for e in all_exercises().values()]
    for source, exercise in zip(found, all_exercises().values(), strict=True):
        assert exercise.stub.rstrip() in source
        compile(source, exercise.slug, "exec")
        lines = [line for line in source.splitlines() if line.startswith(("import ", "from "))]
        assert len(set(lines)) == len(lines)
        assert "\n\n\n\n" not in source
        assert set(exercise.imports) <= set(lines)


def test_a_written_answers_cell_begins_with_its_marker_and_the_rubric_is_shown(small):
    *_, task, answer = _sources(small)
    assert answer.startswith("<!-- WRITTEN why-scale -->\n")
    assert "- names the variance (3)" in task
    assert "7 minutes, 4 points" in task


def test_the_notebook_says_when_it_is_due_and_what_lateness_costs(small):
    due = datetime(2026, 10, 5, 23, 59, tzinfo=UTC)
    late = replace(small, due=due, late_percent_per_day=10, grace_minutes=15)
    said = "costs 10 % of the points reached (the first 15 minutes are free)."
    assert said in _sources(late)[0]
    assert "(the first" not in _sources(replace(late, grace_minutes=0))[0]
    assert "costs" not in _sources(replace(late, due=None))[0]


def _sources(assignment):
    return ["".join(c["source"]) for c in json.loads(student_notebook(assignment))["cells"]]


def test_the_setup_cell_installs_this_version_of_the_course(small):
    assert course_of(*address()) == COURSE
    assert _sources(small)[1].startswith(setup_cell(COURSE, torch=False, drawing=False))


def test_two_releases_have_the_same_bytes(small, tmp_path):
    first, second = (release(small, tmp_path / name) for name in ("one", "two"))
    assert [p.name for p in first] == ["two.ipynb", "two.zip", "two.release.json"]
    assert [p.read_bytes() for p in first] == [p.read_bytes() for p in second]


def test_the_zip_holds_the_notebook_and_a_readme(small, tmp_path):
    notebook, package, _ = release(small, tmp_path)
    with zipfile.ZipFile(package) as opened:
        assert opened.namelist() == ["two.ipynb", "README.txt"]
        assert opened.read("two.ipynb") == notebook.read_bytes()
        assert "Two things\n==========" in opened.read("README.txt").decode()


def test_a_record_that_stays_with_the_teacher_goes_nowhere_public(tmp_path):
    """A sample's record says nothing new; one that names students does."""
    own = load_assignment(write_assignment(tmp_path / "own"))
    text = "sample = true\n" + HEAD + CODE
    sample = load_assignment(write_assignment(tmp_path / "sample", text))
    out = tmp_path / "repository" / "rel"
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    for assignment, students in [(own, ()), (own, ("ann",)), (sample, ("ann",))]:
        with pytest.raises(ValueError, match="could publish it"):
            release(assignment, out, students)
        assert not out.exists()
    assert release(sample, out)


def test_the_record_says_what_was_released(small, tmp_path):
    notebook, _, record = release(small, tmp_path)
    said = json.loads(record.read_text())
    (entry,) = said["notebooks"]
    assert said["max_points"] == small.max_points
    assert [item.get("exercise", item.get("written")) for item in said["items"]] == [
        "four-steps",
        "why-scale",
    ]
    assert entry["sha256"] == hashlib.sha256(notebook.read_bytes()).hexdigest()
    assert entry["variants"] == {"four-steps": ""}


def _roster(tmp_path, text):
    path = tmp_path / "roster.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_with_a_roster_each_student_has_a_notebook(small, tmp_path):
    students = read_roster(_roster(tmp_path, "\ufeffname,student\nAnn,ann\nBen, ben.o \n"))
    assert students == ("ann", "ben.o")
    assert students == read_roster(_roster(tmp_path, "name;student\nAnn, A.;ann\nBen;ben.o\n"))
    written = release(small, tmp_path / "out", students)
    names = [path.relative_to(tmp_path / "out").as_posix() for path in written]
    assert names[:2] == ["ann/two.ipynb", "ann/two.zip"]
    assert "This notebook is for ben.o." in sources(tmp_path / "out/ben.o/two.ipynb")[0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("id\nann\n", "missing columns: student"),
        ("", "missing columns: student"),
        ("student\n", "at least one student"),
        ("student\nann\nAnn\n", "none twice"),
        ("student\n../ann\n", "letters, digits"),
        ("student,name\n,Ann\n", "letters, digits"),
        ("student\n.\n", "letters, digits"),
    ],
)
def test_a_roster_that_could_mix_students_up_is_refused(tmp_path, text, words):
    with pytest.raises(ValueError, match=words):
        read_roster(_roster(tmp_path, text))


def test_an_assignment_that_varies_needs_a_roster(everything, tmp_path, monkeypatch):
    monkeypatch.setattr(type(everything), "varies", property(lambda self: True))
    for make in (release, solutions):
        with pytest.raises(ValueError, match="needs --roster"):
            make(everything, tmp_path)


def test_each_students_notebook_is_in_that_students_convention(tmp_path):
    own = exercise_named("additive-attention")
    names = ["plain", *(variant.name for variant in own.variants)]
    item = f"\n[[items]]\nexercise = 'additive-attention'\nvariants = {names}\n"
    varied = load_assignment(write_assignment(tmp_path, HEAD + item))
    students = tuple(f"s{number}" for number in range(12))
    release(varied, tmp_path / "out", students)
    answers = solutions(varied, tmp_path / "solved", students)
    seen = set()
    for student, answer in zip(students, answers, strict=True):
        variant = varied.variants(student)[own.slug]
        expected = own.varied(variant)
        text = "\n".join(sources(tmp_path / "out" / student / "two.ipynb"))
        name = f"{own.slug}:{variant}".rstrip(":")
        assert f'check({own.target}, "{name}")' in text
        assert all(sentence in text for sentence in expected.contract)
        assert ADAPTED not in text
        assert (ADAPTED in "\n".join(sources(answer))) == bool(variant)
        (source,) = (s for s in sources(answer) if s.startswith(own.marker))
        assert examine_source(expected, source).right
        seen.add(variant)
    assert len(seen) > 1


def test_the_solution_notebook_holds_solution_model_answer_and_rubric(small, tmp_path):
    (path,) = solutions(small, tmp_path / "out")
    text = "\n".join(sources(path))
    assert path.name == "two-solutions.ipynb"
    assert path.stat().st_mode & 0o777 == 0o600
    assert exercise_named("four-steps").solution.strip() in text
    assert "Aardvarks" in text
    assert "- names the variance (3)" in text


@pytest.mark.parametrize("folder", SAMPLES, ids=lambda path: path.name)
def test_a_sample_is_ready(folder):
    sample = load_assignment(folder)
    text = "\n".join(_sources(sample))
    assert sample.sample
    assert "public sample" in text
    assert f"| {sample.max_points} | {sample.minutes} |" in README
    assert sample.due or not sample.late_percent_per_day
    assert 4 <= len(sample.code) <= 5
    assert len(sample.written) == 2
    for item in sample.written:
        assert item.model_answer not in text
    asked = sample.exercises().values()
    # The solution of a whole holds the parts, whose first lines their stubs show; an own
    # exercise brings its hints.
    shown = {line.strip() for own in asked for line in own.stub.splitlines()}
    shown |= {hint for own in asked if own.own for hint in own.hints}
    assert [{*leaks(text, own)} - shown for own in asked] == [set()] * len(sample.code)


def test_a_page_that_was_made_of_an_earlier_release_is_named(tmp_path, capsys):
    words = ["release", str(write_assignment(tmp_path)), "--out", str(tmp_path / "out")]
    assert main(words) == 0
    assert "earlier" not in capsys.readouterr().err
    (notebook,) = (tmp_path / "out").glob("*.ipynb")
    notebook.with_suffix(".html").touch()
    assert main(words) == 0
    assert f"earlier release: attention-course offline {notebook}" in capsys.readouterr().err
