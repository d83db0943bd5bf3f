"""What a student wrote is found, used or listed, wherever the tools or the student put it."""

import csv
import io
import json
import re
import zipfile
from html import unescape
from urllib.parse import unquote

import pytest
import tools_of_students as tools
from class_of_thirty import Case, assignment_in, notebook_of
from saved_marks import saved
from tools_of_students import WORDS, answered, code, place_of, released, sample, source, words

from attention_course.exercises import exercise_named
from attention_course.exercises.runner import load
from course_grader.cli.command import main
from course_grader.marking.graded import BY_HAND
from course_grader.submissions.intake import read_submission
from course_grader.submissions.notebook import student_notebook
from course_grader.verdicts import Verdict

SLUG, NEXT = "self-attention", "kv-cache"
WHY, ORDER = "why-the-root-of-the-width", "what-order-means-to-it"
PLACE = f"<!-- WRITTEN {WHY}"
EXERCISE = exercise_named(SLUG)
TARGETS = {item.slug: exercise_named(item.slug).target for item in sample().code}
ITEMS = [*TARGETS, WHY, ORDER]
STUB = f"{EXERCISE.marker}\nimport numpy as np\n\n\n{EXERCISE.stub}"


def read(handed_in, assignment=None):
    data = handed_in if isinstance(handed_in, bytes) else json.dumps(handed_in).encode()
    return read_submission(
        data, TARGETS, [WHY, ORDER], student_notebook(assignment or sample()).encode()
    )


def changed(marker, change, notebook=None):
    """Return the answered notebook with the source changed of the cell that begins so."""
    notebook = notebook or answered(sample())
    cell = notebook["cells"][place_of(notebook, marker)]
    cell["source"] = change(source(cell))
    return notebook


def the_same(came):
    """Say whether answers are those of the honest notebook, blanks and first lines aside."""
    honest = read(answered(sample()))
    mine, theirs = ({k: v.split() for k, v in one.answers.items()} for one in (came, honest))
    return mine == theirs and came.written == honest.written


# ---- what students' tools do ----------------------------------------------------------------


@pytest.mark.parametrize("tool", [tools.colab, tools.jupyterlab, tools.vs_code])
@pytest.mark.parametrize("name", ["self-attention", "recurrent-attention", "efficiency"])
def test_a_copy_that_a_tool_saved_is_no_offence(tool, name):
    assignment = sample(name)
    targets = {item.slug: exercise_named(item.slug).target for item in assignment.code}
    written = [item.id for item in assignment.written]
    handed_out = student_notebook(assignment).encode()
    data = json.dumps(tool(answered(assignment))).encode()
    came = read_submission(data, targets, written, handed_out)
    assert (came.verdict, came.notes, came.looks) == (Verdict.OK, [], {})
    assert list(came.answers) == list(targets)
    assert set(came.written.values()) == {WORDS}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"])
def test_accents_are_read_in_the_encodings_that_editors_write(encoding):
    said = f"{PLACE} -->\n\nÀ cause de la größe."
    notebook = changed(PLACE, lambda text: said)
    text = json.dumps(notebook, ensure_ascii=False)
    came = read(text.encode(encoding, "xmlcharrefreplace"))
    assert came.written[WHY] == "À cause de la größe."
    assert (came.verdict, came.looks) == (Verdict.OK, {})
    assert bool(came.notes) == (encoding in ("latin-1", "cp1252"))


def test_outputs_pictures_and_metadata_are_not_read_however_large():
    notebook = tools.jupyterlab(answered(sample()))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            picture = {"image/png": "iVBOR[{\\n" * 200_000}
            cell["outputs"] += [
                {"output_type": "display_data", "data": picture, "metadata": {}}
            ]
        else:
            cell["attachments"] = {"a.png": {"image/png": "x" * 100_000}}
    notebook["metadata"]["widgets"] = {"state": [{"a": ["y" * 1_000_000]}] * 5}
    data = json.dumps(notebook).encode()
    assert len(data) > 20_000_000
    came = read(data)
    assert (came.verdict, came.notes) == (Verdict.OK, [])
    assert the_same(came)


# ---- code that is not where it should be ----------------------------------------------------


def with_stub(*more, marker=True):
    """Return the answered notebook with an untouched stub, and more cells below it."""
    notebook = answered(sample())
    place = place_of(notebook, EXERCISE.marker)
    stub = place_of(released(sample()), EXERCISE.marker)
    notebook["cells"][place] = released(sample())["cells"][stub]
    if not marker:
        notebook["cells"][place] = words("gone")
    notebook["cells"][place + 1 : place + 1] = more
    return notebook, place + 2


@pytest.mark.parametrize("marker", [True, False])
@pytest.mark.parametrize("saved", [dict, tools.colab])
def test_right_code_in_a_new_cell_is_found_and_said(marker, saved):
    notebook, number = with_stub(code(EXERCISE.solution), marker=marker)
    came = read(saved(notebook))
    assert EXERCISE.solution.strip() in came.answers[SLUG]
    said = f"self_attention_layer was found in cell {number}, not in its own"
    assert came.looks == {SLUG: said}
    assert f"{SLUG}: {said}" in came.notes


FIRST_LINES = {
    "imports": lambda text: f"import numpy as np\n\n{text}",
    "a comment": lambda text: f"# my answer\n{text}",
    "a magic": lambda text: f"%%time\n{text}",
    "typed otherwise": lambda text: text.replace(EXERCISE.marker, "#EXERCISE: self_attention "),
}


@pytest.mark.parametrize("name", FIRST_LINES)
def test_a_first_line_counts_below_others_and_typed_in_another_way(name):
    came = read(tools.colab(changed(EXERCISE.marker, FIRST_LINES[name])))
    assert "def self_attention_layer" in came.answers[SLUG]
    assert came.looks == {}


@pytest.mark.parametrize("saved", [dict, tools.colab])
def test_code_whose_first_line_is_gone_is_found(saved):
    came = read(saved(changed(EXERCISE.marker, lambda text: EXERCISE.solution)))
    assert came.answers[SLUG].strip() == EXERCISE.solution.strip()
    assert any(note.startswith(f"{SLUG}: ") for note in came.notes)


def test_a_helper_that_the_stub_gives_serves_an_answer_below_it():
    helper = "def root(d):\n    return d**0.5\n\n\n"
    notebook, _ = with_stub(code(EXERCISE.solution.replace("np.sqrt(", "root(")))
    helped = changed(
        EXERCISE.marker, lambda text: text.replace("def self", f"{helper}def self", 1), notebook
    )
    came = read(helped)
    assert came.answers[SLUG].count("def ") == 2
    assert load(came.answers[SLUG], lenient=True)["root"](4) == 2


def test_of_two_different_definitions_the_last_is_taken_and_both_are_kept():
    other = EXERCISE.solution.replace("np.sqrt(W_q.shape[-1])", "W_q.shape[-1]")
    notebook, number = with_stub(code(EXERCISE.solution), code(other))
    came = read(notebook)
    assert came.looks[SLUG].endswith(f"found in cells {number}, {number + 1}, not in its own")
    assert f"{SLUG}: cell {number} defines self_attention_layer too" in came.notes
    assert came.answers[SLUG] == other
    assert came.rivals == {SLUG: {number: EXERCISE.solution, number + 1: other}}


def test_the_same_definition_twice_is_one():
    notebook, number = with_stub(code(EXERCISE.solution), code("# again\n" + EXERCISE.solution))
    came = read(notebook)
    assert f"found in cells {number}, {number + 1}" in came.looks[SLUG]
    assert SLUG in came.answers


def test_another_definition_beside_a_written_answer_is_named_and_kept():
    notebook = answered(sample())
    other = "def self_attention_layer(X, W_q, W_k, W_v):\n    return 1"
    notebook["cells"].insert(2, code(other))
    came = read(notebook)
    assert the_same(came)
    assert came.notes == [f"{SLUG}: cell 3 defines self_attention_layer too"]
    assert came.looks == {}
    assert [*came.rivals[SLUG].values()] == [other, came.answers[SLUG]]


SOLUTION = EXERCISE.solution
NOTHING = {
    "a comment": code("".join(f"# {line}\n" for line in SOLUTION.splitlines())),
    "a text": code("kept = '''\n" + SOLUTION + "'''"),
    "words": words(f"```python\n{SOLUTION}```"),
    "words that are hidden": words(f"<!--\n{SOLUTION}-->"),
    "a raw cell": words(SOLUTION, "raw"),
    "code that is no Python": code(SOLUTION + "return (\n"),
    "another exercise's marker": code(f"# EXERCISE somebody-elses\n{SOLUTION}"),
    "a quotation": words("".join(f"> {line}\n" for line in SOLUTION.splitlines())),
}


@pytest.mark.parametrize("name", NOTHING)
@pytest.mark.parametrize("marker", [True, False])
def test_what_only_looks_like_an_answer_is_listed_and_never_used(name, marker):
    notebook, number = with_stub(NOTHING[name], marker=marker)
    came = read(notebook)
    assert SLUG not in came.answers
    assert f"cell {number} may hold self_attention_layer" in came.looks[SLUG]
    assert came.unread[SLUG].startswith(f"# cell {number}\n")


HOLLOW = {
    "the stub": code(EXERCISE.stub),
    "the stub with other words": code(
        EXERCISE.stub.replace("Return", "My").replace("Error", "Error('later')  #")
    ),
    "a use": code("print(self_attention_layer(1, 2, 3, 4))"),
    "a name inside": code("def f():\n    self_attention_layer = 1"),
    "another name": code("def my_self_attention_layer(x):\n    return x"),
    "a comparison": code("self_attention_layer == 3"),
}


@pytest.mark.parametrize("name", HOLLOW)
def test_what_is_no_answer_at_all_leaves_the_stub_as_it_is(name):
    notebook, _ = with_stub(HOLLOW[name])
    came = read(notebook)
    assert "raise NotImplementedError" in came.answers[SLUG]
    assert came.looks == {}


def test_a_cell_that_is_gone_with_all_it_held_is_said():
    notebook, _ = with_stub(marker=False)
    came = read(notebook)
    assert SLUG not in came.answers
    assert came.looks[SLUG] == "no answer cell was found"
    assert came.unread == {}


# ---- words that are not where they should be ------------------------------------------------


def with_empty(name=WHY, **more):
    """Return the answered notebook with an empty place for words, and where it stands."""
    notebook = answered(sample())
    place = place_of(notebook, f"<!-- WRITTEN {name}")
    notebook["cells"][place] = released(sample())["cells"][place]
    return notebook, place


@pytest.mark.parametrize("name", [WHY, ORDER])
@pytest.mark.parametrize("saved", [dict, tools.colab])
@pytest.mark.parametrize("kind", ["markdown", "raw", "code"])
def test_words_in_a_new_cell_below_their_place_are_taken(name, saved, kind):
    notebook, place = with_empty(name)
    notebook["cells"].insert(place + 1, words("# It is because.", kind))
    came = read(saved(notebook))
    assert came.written[name] == "# It is because."
    assert came.looks == {name: f"its own cell is empty; taken from cell {place + 2}"}


@pytest.mark.parametrize(
    ("at", "text", "said"),
    [(1, "And then.", f"{WORDS}\n\nAnd then."), (-99, "Ada, 1815", WORDS)],
)
def test_words_go_on_in_a_new_cell_below_their_own_and_nowhere_else(at, text, said):
    notebook = answered(sample())
    place = place_of(notebook, PLACE)
    notebook["cells"].insert(max(place + at, 1), words(text))
    came = read(notebook)
    assert came.written == {WHY: said, ORDER: WORDS}
    assert came.looks == {}
    assert came.notes == [f"{WHY}: cell {place + 2} below it was taken along"] * (at > 0)


def test_words_below_a_place_that_is_gone_are_taken_and_called_so():
    notebook, place = with_empty()
    notebook["cells"][place] = words("It is because.")
    came = read(notebook)
    assert came.written[WHY] == "It is because."
    assert came.looks == {WHY: f"its own cell is gone; taken from cell {place + 1}"}


@pytest.mark.parametrize("saved", [dict, tools.colab])
def test_words_typed_into_the_question_are_taken(saved):
    notebook, place = with_empty()
    task = notebook["cells"][place - 1]
    task["source"] = source(task) + "\n\n**Answer:** it is because."
    came = read(saved(notebook))
    assert came.written[WHY] == "**Answer:** it is because."
    assert WHY in came.looks


def test_a_question_that_reads_otherwise_is_no_answer_and_is_said_only_where_there_is_none():
    notebook, place = with_empty()
    task = notebook["cells"][place - 1]
    task["source"] = source(task).replace(
        "What would the softmax do", "Say what the softmax does"
    )
    came = read(notebook)
    assert came.written == {WHY: "", ORDER: WORDS}
    assert "its question, cell" in came.looks[WHY]
    whole = answered(sample())
    whole["cells"][place - 1]["source"] = source(task)
    assert read(whole).looks == {}


def test_points_and_dates_that_changed_after_the_release_are_no_answer():
    notebook = released(sample())
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = re.sub(r"\b5 points", "14 points", source(cell))
    changed = source(notebook["cells"][place_of(notebook, PLACE) - 1])
    assert "14 points" in changed
    notebook["cells"][0]["source"] = source(notebook["cells"][0]) + "\nThis is for ada."
    came = read(notebook)
    assert came.written == {WHY: "", ORDER: ""}


@pytest.mark.parametrize("saved", [dict, tools.colab])
def test_words_whose_first_line_is_gone_are_found(saved):
    came = read(saved(changed(PLACE, lambda text: WORDS)))
    assert came.written == {WHY: WORDS, ORDER: WORDS}


def test_words_elsewhere_are_shown_with_the_question_that_has_none():
    notebook, _ = with_empty()
    notebook["cells"].insert(1, words("To the last question but one: because."))
    came = read(notebook)
    assert came.written[WHY] == "To the last question but one: because."
    assert came.looks == {WHY: "nothing stands in its place; cell 2 may hold the answer"}


def test_what_was_handed_out_is_no_answer():
    came = read(released(sample()))
    assert came.written == {WHY: "", ORDER: ""}
    assert came.looks == {}
    notebook = released(sample())
    del notebook["cells"][place_of(notebook, f"<!-- WRITTEN {ORDER}")]
    came = read(notebook)
    assert came.written == {WHY: ""}
    assert came.looks == {ORDER: "no written answer was found"}


DRAWN = f"![graph](data:image/png;base64,{'A' * 40_000}) says all."


@pytest.mark.parametrize(
    ("text", "said", "why"),
    [
        (DRAWN, "![graph][a picture] says all.", "has a picture"),
        ("so " * 9_000, "so so", "longer than is shown"),
    ],
)
def test_an_answer_of_which_a_page_shows_less_is_said(text, said, why):
    came = read(changed(PLACE, lambda old: f"{PLACE} -->\n{text}"))
    assert said in came.written[WHY]
    assert "AAAA" not in came.written[WHY]
    assert why in came.looks[WHY]


# ---- from what was handed in to the pages ---------------------------------------------------

# ---- from what was handed in to the pages ---------------------------------------------------

STEPS, SOFTMAX = exercise_named("four-steps"), exercise_named("stable-softmax")
OTHER = STEPS.source_of(STEPS.wrong[0])


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A class that hands in what careful students hand in, graded."""
    folder = tmp_path_factory.mktemp("class")
    assignment = assignment_in(folder / "steps")
    right = Case(STEPS.solution, SOFTMAX.solution, (10, 7), "OK", "Because.")
    whole = json.loads(notebook_of(assignment, "", right))
    below = json.loads(notebook_of(assignment, "", Case(STEPS.stub, SOFTMAX.solution, (), "")))
    stub = place_of(below, "# EXERCISE four-steps")
    again = json.loads(notebook_of(assignment, "", Case(OTHER, SOFTMAX.solution, (), "")))
    found, two, words_below = (json.loads(json.dumps(below)) for _ in range(3))
    again["cells"].insert(stub + 1, code(STEPS.solution))
    found["cells"].insert(stub + 1, code(STEPS.solution))
    two["cells"][stub + 1 : stub + 1] = [code(STEPS.solution), code(OTHER)]
    words_below["cells"].append(words("Because of the variance."))
    sub = folder / "sub"
    sub.mkdir()
    files = {
        "colab.ipynb": tools.colab(whole),
        "text.ipynb.txt": whole,
        "found.ipynb": tools.colab(found),
        "two.ipynb": two,
        "again.ipynb": again,
        "below.ipynb": words_below,
    }
    for name, content in files.items():
        (sub / name).write_text(json.dumps(content))
    (sub / "latin.ipynb").write_bytes(
        json.dumps(whole).replace("Because", "À").encode("latin-1")
    )
    (sub / "export.py").write_text(f"# %%\n{STEPS.marker}\n{STEPS.solution}")
    (sub / "broken.ipynb").write_text("{")
    with zipfile.ZipFile(sub / "zipped.zip", "w") as archive:
        archive.writestr("steps/steps.ipynb", json.dumps(whole))
        archive.writestr("README.txt", "as it was handed out")
    assert run(folder, "grade", str(sub)) == 0
    return folder


def run(folder, command, *first):
    rest = ["--assignment", folder / "steps", "--out", folder / "out"]
    return main([str(word) for word in [command, *first, *rest]])


def table(folder):
    text = (folder / "out" / "grades.csv").read_text("utf-8-sig")
    return {row["student"]: row for row in csv.DictReader(io.StringIO(text))}


def test_nobody_loses_a_point_to_a_tool(home):
    rows = table(home)
    for student in ("colab", "text", "latin", "zipped", "found"):
        row = rows[student]
        assert (row["four-steps"], row["stable-softmax"]) == ("10", "7"), student
        assert row["verdict"] == "OK", student


def test_nothing_that_is_unread_is_a_zero_or_a_final_sum(home):
    rows = table(home)
    for student, not_yet in {
        "two": "10",
        "again": "10",
        "broken": "21",
        "export": "21",
    }.items():
        row = rows[student]
        assert (row["four-steps"], row["total"], row["not_yet"]) == ("", "", not_yet)
    assert rows["two"]["notes"].startswith(
        "7 of 21, and 10 not graded yet | four-steps: four_steps was found in cells 5, 6, "
    )
    assert rows["broken"]["notes"].startswith("0 of 21, and 17 not graded and 4 not marked yet")
    assert rows["below"]["verdict"] == "MISSING"
    assert (rows["below"]["four-steps"], rows["below"]["not_yet"]) == ("0", "4")
    report = (home / "out" / "class.txt").read_text()
    several = "WRONG +four-steps: several cells answer it: as cell 5"
    for line in (
        f"two +{several}",
        rf"again +{several} it earns 10, as cell 4 it earns \d of 10",
        "below +WORDS +why-scale: its own cell is empty; taken from",
        "broken +MALFORMED ",
        "export +MALFORMED +the file is no notebook: hand in the .ipynb itself",
    ):
        assert re.search(f"^{line}", report, re.M)
    assert not re.search(r"^(colab|text|found|latin|zipped) ", report, re.M)


def test_the_pages_say_what_was_found_and_what_waits(home, capsys):
    assert main(["feedback", str(home / "out")]) == 0
    pages = {p.stem: p.read_text() for p in (home / "out" / "feedback").iterdir()}
    said = {
        "found": ["four-steps: four_steps was found in cell 5, not in its own"],
        "two": [
            "<strong>7</strong> of 21, and 10 not graded yet",
            *("What may be your answer", "cell 5 defines four_steps too", "– of 10"),
        ],
        "again": ["– of 10", "as cell 5 it earns 10, as cell 4 it earns", "0 of 4"],
        "below": [
            "<strong>7</strong> of 21, and 4 not marked yet",
            *("There is no answer.", "Because of the variance."),
        ],
        "broken": ["This is not the final sum."],
    }
    for student, lines in said.items():
        assert [line for line in lines if line not in pages[student]] == [], student
    assert "not marked yet" not in pages["again"]


def test_what_could_not_be_read_is_marked_by_hand_and_for_that_file_only(home, capsys):
    out = home / "out"
    assert main(["rubric", str(out)]) == 0
    page = unescape(unquote((out / "marking.html").read_text()))
    fields = re.findall(rf'<input class="mark"[^>]*\["([\w-]+)", "{BY_HAND}"\]', page)
    assert fields.count("four-steps") == 4
    assert fields.count("stable-softmax") == 2
    assert STEPS.solution.strip() in page
    [member] = re.findall(r'<li data-member="\["two", .*?</li>', page)
    assert "The file: submissions/two/" in member
    marks = out / "saved.json"
    marks.write_text(
        saved(
            "student,item,criterion,mark,comment\n"
            '"two","four-steps","points, by hand","8","The first one, right but late."\n'
            '"broken","four-steps","points, by hand","0",\n'
        )
    )
    assert main(["rubric", str(out), "--merge", str(marks)]) == 0
    row = table(home)["two"]
    assert (row["four-steps"], row["total"], row["so_far"]) == ("8", "15", "15")
    assert main(["feedback", str(out)]) == 0
    page = (out / "feedback" / "two.html").read_text()
    assert "8 of 10" in page
    assert "The first one, right but late." in page
    (home / "sub" / "broken.ipynb").write_text("[")
    assert run(home, "grade", str(home / "sub")) == 0
    assert "four-steps: changed since it was marked" in table(home)["broken"]["notes"]
