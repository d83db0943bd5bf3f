"""A teacher's own exercise: one private file, used as the bank's are, and never handed out."""

import csv
import io
import json
import re
import zipfile
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from assignment_files import HEAD, fill, sources, write_assignment

from attention_course.exercises import (
    Call,
    bank,
    examples,
    exercise_named,
    failing_case,
    own_exercise,
)
from attention_course.exercises.runner import Result
from course_grader.cli import new as new_module
from course_grader.cli.command import main
from course_grader.cli.new import new
from course_grader.cli.release import release
from course_grader.cli.solutions import solutions
from course_grader.marking.engine import SLOW, UNSHOWN, grade_answer
from course_grader.marking.graded import Book
from course_grader.marking.one_student import Job, Setup, course_digest, key_of
from course_grader.sandbox.limits import Limits
from course_grader.submissions import teacher_exercise
from course_grader.submissions.assignment import load_assignment
from course_grader.submissions.notebook import MOST_EXAMPLES, student_notebook
from course_grader.submissions.teacher_exercise import (
    MOST_BYTES,
    TeacherExercise,
    read_teacher_exercise,
)

EXAMPLE = Path(teacher_exercise.__file__).parents[1] / "example_exercise.py"
TEXT = EXAMPLE.read_text(encoding="utf-8")
OWN = TeacherExercise("mine.py", TEXT)
SINK = OWN.exercise
SLUG = SINK.slug
UNSTABLE = SINK.source_of(SINK.wrong[0])
ITEM = '\n[[items]]\nown = "mine.py"\n'


@pytest.fixture(autouse=True)
def _another_session(monkeypatch):
    """What a student's session learnt is not known to the next one, nor to the grader."""
    monkeypatch.setattr(bank, "_OWN", {})


@pytest.fixture
def home(tmp_path):
    """A private folder with the file of an exercise, from which teachers make an assignment."""
    (tmp_path / "mine.py").write_text(TEXT, encoding="utf-8")
    return tmp_path


@pytest.fixture
def made(home):
    return new(home, "sinks", ["self-attention:columns", str(home / "mine.py")])


def run(source, *lines):
    """Run a notebook's cells and lines as a session does; return what was printed last."""
    space, said = {}, io.StringIO()
    for code in (*source, *lines):
        said = io.StringIO()
        with redirect_stdout(said):
            exec(code, space)
    return said.getvalue()


def session(path, answer, *lines):
    """Run a released notebook's check of the own exercise with an answer."""
    (check,) = [cell for cell in sources(path) if cell.startswith("# Public examples")]
    setup = "from attention_course.exercises import *\nimport numpy as np"
    return run([setup, answer, check], *lines)


# ---- the file -------------------------------------------------------------------------------


def test_an_assignment_takes_the_file_beside_the_banks_exercises(made, home):
    assert [item.slug for item in made.code] == ["self-attention", SLUG]
    assert made.max_points == 6 + 6
    assert made == load_assignment(made.folder)
    kept = made.folder / "mine.py"
    assert kept.read_text(encoding="utf-8") == TEXT
    assert kept.stat().st_mode & 0o777 == 0o600
    assert "`mine.py` is an exercise of your own" in (made.folder / "README.md").read_text()


MAKES = "EXERCISE = "
BROKEN = {
    "it must end in EXERCISE = Exercise": (MAKES, "THING = "),
    "line 3: the file raises ModuleNotFound": ("import numpy as np\n\nfrom",
        "import nump\nfrom"),
    "line 1..: no Python: positional argument": ("points={", "points=={"),
    "line 6.: no Python: .* never closed": ('"sink"),),', '"sink"),), ('),
    "line ..: the file raises TypeError: .*'minutes'": ("    minutes=20,\n", ""),
    "line 7.: minutes must be positive, got 0": ("minutes=20", "minutes=0"),
    "line 6.: title must be of type str": ('title="Attention with a sink"', "title=3"),
    "line 6.: slug must be .* none of the bank": ("attention-with-a-sink", "four-steps"),
    "line 6.: target must be a name": ('target="with_a_sink"', 'target="four_steps"'),
    "points must give each part a whole": ('"large scores": 2', '"large scores": 2.5'),
    "probes must belong to the parts large": ('{"weights', '{"some": 1, "weights'),
    "probes must have a name of their own": ('"all scores far below zero"',
        '"scores near 1000"'),
    "part 'weights and contexts' need one with": ("small, public=True", "small"),
    "right must be a tuple": ('Right("in loops", source=IN_LOOPS),)', 'Wrong("", "", ""))'),
    "exactly once, stands 0 times": ('(("np.exp(sink - top)"', '(("np.exp(nowhere)"'),
    "line 6.: the file takes more than 10 s": (MAKES, f"while 1: pass\n{MAKES}"),
    "line 6.: the file raises SystemExit": (MAKES, f"raise SystemExit\n{MAKES}"),
    "line 6.: .* RecursionError": (MAKES, f"def f(): f()\nf()\n{MAKES}"),
    "null byte": (MAKES, f"x = '\0'\n{MAKES}"),
    "no Python: too many": (MAKES, f"x = {'(' * 5000}\n{MAKES}"),
}  # fmt: skip


@pytest.mark.parametrize(("words", "change"), BROKEN.items(), ids=map(str, range(len(BROKEN))))
def test_a_file_that_cannot_be_used_is_named_with_its_line(tmp_path, capsys, words, change):
    assert TEXT.count(change[0]) == 1
    folder = write_assignment(tmp_path, HEAD + ITEM)
    (folder / "mine.py").write_text(TEXT.replace(*change), encoding="utf-8")
    assert main(["release", str(folder), "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert re.search(f"mine.py.*{words}", said), said
    assert said.count("\n") == 1
    assert "assignment.toml: item 1: mine.py" in said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("mine.py", b"#" * (MOST_BYTES + 1), "it may have 200000 bytes; let its probes draw"),
        ("mine.py", b"a = 1\nb = '\xff'\n", "mine.py, line 2: it must be text in UTF-8"),
        ("nowhere.py", b"", "there is no such file"),
        ("my file.py", b"", "name must be like my_exercise.py"),
        ("mine.txt", b"", "name must be like my_exercise.py"),
    ],
)
def test_a_file_that_is_no_text_is_refused(tmp_path, name, content, words):
    (tmp_path / "mine.py").write_bytes(content)
    with pytest.raises(ValueError, match=words):
        read_teacher_exercise(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (HEAD + ITEM.replace("mine", "../mine"), "own must be a file of the folder"),
        (HEAD + 2 * ITEM, "item 2: attention-with-a-sink must stand once"),
        (HEAD + ITEM + 'parts = ["four-steps"]\n', "item 1: parts must name exercises"),
        (HEAD + ITEM + 'exercise = "four-steps"\n',
         "one of the keys exercise, own and written"),
        (HEAD + ITEM + "points = 7\n",
         "points of attention-with-a-sink must be a multiple of 6"),
        (HEAD + ITEM + 'variants = ["warm"]\n', "has the variants none, got 'warm'"),
    ],
)  # fmt: skip
def test_a_manifest_that_uses_the_file_wrongly_is_refused(home, text, words):
    folder = write_assignment(home, text)
    (folder / "mine.py").write_text(TEXT, encoding="utf-8")
    with pytest.raises(ValueError, match=words):
        load_assignment(folder)


# ---- the student's notebook -----------------------------------------------------------------


def secrets_of(exercise):
    """Return what of an exercise no student may find: lines, names, hints, numbers."""
    shown = "\n".join([exercise.stub, exercise.statement, *exercise.imports])
    texts = [exercise.solution, *map(exercise.source_of, (*exercise.wrong, *exercise.right))]
    lines = {line.strip() for text in texts for line in text.splitlines()}
    found = {line for line in lines if len(line) > 14 and line not in shown}
    for wrong in exercise.wrong:
        found |= {wrong.name, wrong.hint}
    for probe in exercise.probes:
        if not probe.public:
            found |= {text for text in (probe.name, probe.hint) if text}
    return found


def everything(folder):
    """Return all that the files of a folder say, zips unpacked."""
    said = []
    for path in filter(Path.is_file, folder.rglob("*")):
        data = path.read_bytes()
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as package:
                data = b"\n".join(map(package.read, package.namelist()))
        text = data.decode()
        # As it stands, and as the cells say it.
        said += [text, text.encode().decode("unicode_escape", "ignore")]
    return "\n".join(said)


def test_what_is_released_has_no_trace_of_solution_or_hidden_probes(made, tmp_path):
    release(made, tmp_path / "released")
    hidden = secrets_of(SINK)
    assert {"sizes that all differ", "all scores far below zero"} <= hidden
    assert len(hidden) > 15
    said = everything(tmp_path / "released")
    assert sorted(text for text in hidden if text in said) == []
    assert "two queries, three keys" in said
    assert SINK.hints[0] in said
    solutions(made, tmp_path / "solved")  # where they stand the search finds them
    solved = everything(tmp_path / "solved")
    assert {line.strip() for line in SINK.solution.splitlines() if len(line) > 14} & hidden
    assert "exps = np.exp(scores - top)" in solved


def test_the_notebook_checks_answers_with_no_file_of_the_teachers(made, tmp_path):
    path, *_ = release(made, tmp_path / "released")
    for file in made.folder.iterdir():
        file.unlink()
    assert session(path, SINK.solution) == (
        f"{SLUG}: right on the public examples. All 2 properties hold.\n"
    )
    said = session(path, UNSTABLE)
    assert "1 of 2 properties hold" in said
    assert "expected 0.211942, got nan" in said
    assert "not written yet" in session(path, SINK.stub)
    assert "Hint 1 of 2" in session(path, UNSTABLE, f"hint({SLUG!r})")
    assert failing_case(SLUG).inputs["sink"] == 1000.0
    assert exercise_named(SLUG).solution == SINK.stub


def test_the_examples_are_locked_and_the_same_each_time(made, tmp_path):
    text = student_notebook(made)
    (cell,) = [c for c in json.loads(text)["cells"] if "two queries" in "".join(c["source"])]
    assert cell["metadata"]["nbgrader"]["locked"]
    assert not cell["metadata"]["nbgrader"]["grade"]
    teacher_exercise._made.cache_clear()
    assert student_notebook(load_assignment(made.folder)) == text


def test_examples_too_large_for_a_notebook_are_refused(home, tmp_path):
    large = TEXT.replace("(2, 3), (3, 4)", "(20, 30), (30, 40)")
    folder = write_assignment(home, HEAD + ITEM)
    (folder / "mine.py").write_text(large, encoding="utf-8")
    with pytest.raises(ValueError, match=f"mine.py: .* may take {MOST_EXAMPLES} bytes"):
        release(load_assignment(folder), tmp_path / "released")
    (folder / "mine.py").write_text(TEXT.replace("np.round(array, 2)", "array + oops"))
    with pytest.raises(ValueError, match=r"line 5.: the probe .* raises NameError"):
        release(load_assignment(folder), tmp_path / "released")


def test_the_students_command_checks_an_own_exercise_too(made, tmp_path, capsys):
    path, *_ = release(made, tmp_path / "released")
    handed = tmp_path / "mine.ipynb"
    right = {"self-attention": exercise_named("self-attention:columns").solution}
    handed.write_text(fill(path, right | {SLUG: UNSTABLE}))
    assert main(["check", str(handed)]) == 1
    said = capsys.readouterr().out
    assert f"{SLUG}: 1 of 2 properties hold" in said
    assert said.endswith("1 of 2 are right, as far as inputs that everybody can see tell.\n")
    handed.write_text(handed.read_text().replace('\\"right\\": ', '\\"wrong\\": '))
    assert main(["check", str(handed)]) == 2
    said = capsys.readouterr().err
    assert "mine.ipynb: own_exercise: the public examples must be as they were handed" in said


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", "[" * 10_000, '{"probes": 1}'])
def test_examples_that_were_changed_are_refused_in_words(text):
    with pytest.raises(ValueError, match="must be as they were handed out"):
        own_exercise(text)


# ---- variants of it -------------------------------------------------------------------------

VARIANTS = """
def swapped(call):
    return replace(call, returns=("contexts", "weights"))


def turned(call):
    scores, sink, values = call.args
    return replace(call, args=(scores, -sink, values))


SWAPPED = '''
def with_a_sink(scores, sink, values):
    weights, contexts = base(scores, sink, values)
    return contexts, weights
'''
TURNED = '''
def with_a_sink(scores, sink, values):
    return base(scores, -sink, values)
'''

EXERCISE = replace(
    EXERCISE,
    variants=(
        Variant("swapped", (("the weights first", "the contexts first"),), SWAPPED, swapped),
        Variant(
            "turned",
            (("Scores may", "The sink is handed over with its sign turned. Scores may"),),
            TURNED,
            turned,
        ),
    ),
    together=("swapped+turned",),
)
"""
IMPORTS = "import numpy as np\n\nfrom attention_course.exercises.protocol import "
VARIED = TEXT.replace(IMPORTS, f"from dataclasses import replace\n\n{IMPORTS}Variant, ", 1)
VARIED += VARIANTS
FORMS = {"swapped", "turned", "swapped+turned"}


@pytest.mark.parametrize("more", [[], ["--variant", "student"]])
def test_its_variants_are_drawn_as_the_banks_are(home, capsys, monkeypatch, more):
    monkeypatch.setattr(new_module, "require_sound", lambda own: None)  # is tried elsewhere
    file = home / "mine.py"
    file.write_text(VARIED)
    words = ["new", "sinks", "--in", str(home), "--exercises", str(file), "--exam"]
    assert main([*words, *more]) == 0
    assert "Nothing of it is public, so nothing is refused: mine.py" in capsys.readouterr().out
    (item,) = load_assignment(home / "sinks").code
    assert set(item.variants) <= FORMS
    assert len(item.variants) == (3 if more else 1)
    assert new(home, "plain", [str(file)], "plain").code[0].variants == ("",)
    assert new(home, "named", [f"{file}:turned"]).code[0].variants == ("turned",)


@pytest.mark.parametrize("form", sorted(FORMS))
def test_in_a_variant_its_own_solution_is_right_and_the_plain_one_is_named(
    home, tmp_path, form
):
    (home / "mine.py").write_text(VARIED)
    made = new(home, "sinks", [f"{home / 'mine.py'}:{form}"])
    path, *_ = release(made, tmp_path / "released")
    right = made.exercises()[SLUG].solution
    assert "right on the public examples" in session(path, right)
    for student, answer in {"ada": right, "bo": SINK.solution}.items():
        handed = tmp_path / "handed" / student / path.name
        handed.parent.mkdir(parents=True)
        handed.write_text(fill(path, {SLUG: answer}), encoding="utf-8")
    words = ["grade", str(tmp_path / "handed"), "--assignment", str(made.folder), "--out"]
    assert main([*words, str(tmp_path / "graded")]) == 0
    ada, bo = (Book(tmp_path / "graded").grade(student).code[0] for student in ("ada", "bo"))
    assert (ada.verdict, ada.points, ada.variant) == ("OK", 6, form)
    assert bo.points * 3 <= 6
    assert "convention" in bo.misconception


def test_the_command_tries_each_variant(home, capsys):
    path = home / "mine.py"
    path.write_text(VARIED)
    assert main(["exercise", str(path)]) == 0
    said = capsys.readouterr().out
    assert all(f"\nyour solution as {form} " in said for form in FORMS)
    assert "\nwrong as swapped+turned: nothing is subtracted" in said
    path.write_text(VARIED.replace("args=(scores, -sink", "args=(scores, oops"))
    assert main(["exercise", str(path)]) == 2
    said = capsys.readouterr().err
    assert re.search("mine.py, line 1..: the variant .turned. raises NameError", said)
    path.write_text(VARIED.replace("base(scores, -sink", "base(scores, 0 + sink"))
    path.write_text(path.read_text().replace("args=(scores, -sink", "args=(scores, 0 + sink"))
    assert main(["exercise", str(path)]) == 1
    said = capsys.readouterr().err
    assert (
        "wrong as turned: another convention than the contract's is used\" earns everything"
        in said
    )


# ---- grading --------------------------------------------------------------------------------

WRITES_INPUTS = """
def with_a_sink(scores, sink, values):
    raise {kind}("scores are " + str(scores.ravel()[:2]))
"""
NAMES_INPUTS = """
def with_a_sink(scores, sink, values):
    raise type("Scores" + str(scores.ravel()[0]), (Exception,), {})
"""


def test_a_page_tells_numbers_of_public_probes_only(sandbox):
    came = grade_answer(sandbox, SINK, SINK.source_of(SINK.wrong[1]), b"s" * 32, "ada")
    told = {found["probe"]: found["complaint"] for found in came.findings}
    assert re.match(r"weights\[0, 0\]: expected .*, got", told["two queries, three keys"])
    assert told["sizes that all differ"] == UNSHOWN
    assert came.points == 0
    assert came.misconception == SINK.wrong[1].name
    assert "sizes that all differ" in came.message
    assert "0.00308951" not in came.to_json()


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        (WRITES_INPUTS.format(kind="ValueError"), "raised ValueError (line 3 of your cell)"),
        (NAMES_INPUTS, UNSHOWN),
        ("class TooSlow(Exception): pass\n" + WRITES_INPUTS.format(kind="TooSlow"), SLOW),
        ("def with_a_sink(a, b, c):\n    print('x' * 2_000_000)\n", "printed"),
    ],
)
def test_no_answer_writes_hidden_inputs_onto_its_page(sandbox, source, complaint):
    came = grade_answer(sandbox, SINK, source, b"s" * 32, "ada")
    told = {found["probe"]: found["complaint"] for found in came.findings}
    hidden = {told[probe.name] for probe in SINK.probes if not probe.public}
    assert all(text.startswith(complaint) or complaint in text for text in hidden)
    assert not any(re.search(r"\d\.\d", text) for text in hidden)


def test_a_grade_is_stale_once_the_file_changes(made):
    job = Job("ada", b"{}")
    before = key_of(job, Setup(made, b"5" * 32, Limits(), course_digest()))
    path = made.folder / "mine.py"
    path.write_text(path.read_text().replace("-4e3", "-5e3"))
    changed = load_assignment(made.folder)
    assert changed != made
    assert key_of(job, Setup(changed, b"5" * 32, Limits(), course_digest())) != before


def class_of(path, folder):
    """Write what a class hands in."""
    other = exercise_named("self-attention:columns").solution
    answers = {
        "ada-right": SINK.solution,
        "bo-wrong": UNSTABLE,
        "cy-loops": SINK.source_of(SINK.right[0]),
        "di-leaves": "import os\nos._exit(0)\n",
        "ed-reads": "def with_a_sink(a, b, c):\n    return open('/etc/passwd').read()\n",
        "fi-stub": SINK.stub,
        "gi-right": SINK.solution.replace("exps", "e"),
    }
    for student, answer in answers.items():
        (folder / student).mkdir(parents=True)
        text = fill(path, {"self-attention": other, SLUG: answer})
        (folder / student / path.name).write_text(text, encoding="utf-8")


def test_a_class_is_graded_and_no_page_tells_what_is_hidden(made, tmp_path, capsys):
    path, *_ = release(made, tmp_path / "released")
    class_of(path, tmp_path / "handed")
    out = str(tmp_path / "graded")
    words = ["grade", str(tmp_path / "handed"), "--assignment", str(made.folder), "--out", out]
    assert main(words) == 0
    assert main(["feedback", out]) == 0
    with (tmp_path / "graded/grades.csv").open(encoding="utf-8-sig") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    points = {student: float(row[f"{SLUG}"]) for student, row in rows.items()}
    assert points == {
        "ada-right": 6,
        "bo-wrong": 4,
        "cy-loops": 6,
        "di-leaves": 0,
        "ed-reads": 0,
        "fi-stub": 0,
        "gi-right": 6,
    }
    capsys.readouterr()
    assert main(words) == 0
    assert "0 graded, 7 unchanged" in capsys.readouterr().out
    page = (tmp_path / "graded/feedback/bo-wrong.html").read_text(encoding="utf-8")
    kept = json.loads((tmp_path / "graded/grades/bo-wrong.json").read_text())
    assert list(kept["code"][1]["parts"]) == list(SINK.points)
    assert "nothing is subtracted before the exponential" in page
    assert UNSHOWN in page
    lines = {line.strip() for line in SINK.solution.splitlines() if len(line) > 20}
    assert not [line for line in lines if line in page and line not in UNSTABLE]
    # The file changes: grades are made anew, and answers that are alike are found.
    (made.folder / "mine.py").write_text(TEXT.replace("-4e3", "-5e3"), encoding="utf-8")
    assert main(words) == 0
    assert "7 graded, 0 unchanged" in capsys.readouterr().out
    assert main(["alike", out, "--assignment", str(made.folder)]) == 0
    alike = (tmp_path / "graded/alike.txt").read_text()
    assert f"{SLUG}: ada-right, gi-right: 2 of" in alike.split("The same as something")[0]
    assert f"{SLUG}: di-leaves" in alike
    assert f"{SLUG}: ed-reads" not in alike
    assert main(["alike", out]) == 0
    alike = (tmp_path / "graded/alike.txt").read_text()
    assert f"{SLUG}: ada-right\n" in alike.split("Not compared")[1]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("rng.standard_normal(), values)]", "rng.oops(), values)]"),
         "mine.py, line 6.: the probe"),
        (("    top = np.m", "    assert scores[0, 0] != 1000\n    top = np.m"),
         "must pass 'scores"),
    ],
)  # fmt: skip
def test_what_fails_only_when_it_is_graded_costs_nobody_a_point(
    home, tmp_path, change, words, capsys
):
    folder = write_assignment(home, HEAD + ITEM)
    (folder / "mine.py").write_text(TEXT, encoding="utf-8")
    (tmp_path / "handed/ada").mkdir(parents=True)
    path, *_ = release(load_assignment(folder), tmp_path / "released")
    (tmp_path / "handed/ada" / path.name).write_text(fill(path, {SLUG: SINK.solution}))
    assert TEXT.count(change[0]) == 1
    (folder / "mine.py").write_text(TEXT.replace(*change), encoding="utf-8")
    out = str(tmp_path / "graded")
    words_of = ["grade", str(tmp_path / "handed"), "--assignment", str(folder), "--out", out]
    assert main(words_of) == 1
    said = capsys.readouterr()
    assert re.search(f"not graded: ada: .*{words}", said.err)
    assert "Traceback" not in said.out + said.err
