"""A manifest says what is asked; what it must not say is named."""

from datetime import UTC, datetime

import pytest
from assignment_files import CODE, HEAD, WRITTEN, write_assignment

from attention_course.exercises import Exercise, Variant, exercise_named
from course_grader.submissions import assignment as module
from course_grader.submissions.assignment import CodeItem, WrittenItem, load_assignment


def test_a_manifest_is_read_in_order(tmp_path):
    found = load_assignment(write_assignment(tmp_path))
    assert (found.name, found.title, found.introduction) == ("two", "Two things", "Read first.")
    assert [type(item) for item in found.items] == [CodeItem, WrittenItem]
    assert found.written[0].rubric == (
        ("names the variance", 3),
        ("says what softmax does then", 1),
    )
    own = exercise_named("four-steps")
    assert found.minutes == own.minutes + 7
    assert found.max_points == sum(own.points.values()) + 4
    assert (found.due, found.late_percent_per_day, found.sample) == (None, 0, False)


def test_points_scale_every_part(tmp_path):
    found = load_assignment(write_assignment(tmp_path, HEAD + CODE + "points = 15\n"))
    own = exercise_named("four-steps").points
    assert found.code[0].parts == {part: 3 * points for part, points in own.items()}
    assert found.max_points == 15


def test_a_date_may_be_toml_or_text_and_says_its_zone(tmp_path):
    for due in ("2026-10-05T23:59:00+02:00", '"2026-10-05T23:59:00+02:00"'):
        found = load_assignment(write_assignment(tmp_path, f"due = {due}\n" + HEAD + CODE))
        assert found.due == datetime(2026, 10, 5, 21, 59, tzinfo=UTC)


def test_an_introduction_may_be_a_file(tmp_path):
    folder = write_assignment(tmp_path, HEAD.replace("Read first.", "intro.md") + CODE)
    (folder / "intro.md").write_text("From a *file*.\n")
    assert load_assignment(folder).introduction == "From a *file*."


def _swap(old, new):
    return lambda text: text.replace(old, new)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_swap("title = \"Two", "titel = \"Two"), "key must be one of title"),
        (_swap("four-steps", "five-steps"), "no exercise five-steps; did you mean four-steps"),
        (_swap('exercise = "four-steps"', 'exercise = "four-steps:x"'), "item 1: "),
        (_swap('"four-steps"', '"four-steps"\nvariants = ["upside-down"]'), "upside-down"),
        (_swap('"four-steps"', '"four-steps"\nvariants = []'), "at least one variant"),
        (_swap('"four-steps"', '"four-steps"\nvariants = ["plain", "plain"]'), "none twice"),
        (_swap('"four-steps"', '"four-steps"\nvariants = [3]'), "must be names, got 3"),
        (_swap('"four-steps"', '"four-steps"\npoints = 7'), "must be a multiple of 5, got 7"),
        (_swap('"four-steps"', '"four-steps"\npoints = 0'), "must be a multiple of 5, got 0"),
        (_swap('"four-steps"', '"four-steps"\npoints = true'), "points must be of type int"),
        (_swap('"four-steps"', '"four-steps"\npionts = 5'), "got 'pionts'"),
        (_swap("points = 4", "points = 5"), "item 2: points of why-scale must be the sum"),
        (_swap(", 3]", ", 0]"), "rubric must hold pairs"),
        (_swap("why-scale", "four-steps"), "no exercise's name"),
        (_swap("why-scale", "Why scale"), "written must be like"),
        (_swap('"Say why scores are divided."', '" "'), "why-scale must not be empty"),
        (_swap("minutes = 7", "minutes = 0"), "minutes must be positive"),
        (_swap("model_answer", "modelanswer"), "got 'modelanswer'"),
        (_swap('title = "Why divide?"\n', ""), "item 2: it must have the key title"),
        (_swap('written = "why-scale"\n', ""), "one of the keys exercise, own and written"),
        (_swap('seed = "autumn"', "late_percent_per_day = 101"), "from 0 to 100, got 101"),
        (_swap('seed = "autumn"', "grace_minutes = -1"), "from 0 to 1440, a day, got -1"),
        (_swap('seed = "autumn"', "grace_minutes = true"), "grace_minutes"),
        (_swap('seed = "autumn"', "due = 2026-10-05T23:59:00"), "due must say its zone"),
        (_swap('seed = "autumn"', "due = 2026-10-05"), "due must say its zone"),
        (_swap('seed = "autumn"', 'due = "5 October"'),
         "due must say its zone, like 2026-10-05T23:59:00+02:00, got 5 October"),
        (_swap('["says what softmax does then", 1]', '["names the variance ", 1]'),
         "item 2: rubric of why-scale must name each criterion once, got 'names the variance'"),
        (_swap('seed = "autumn"', "seed = 7"), "seed must be of type str, got 7"),
        (_swap("Read first.", "../secret.md"), "introduction must be a file of the folder"),
        (_swap("Read first.", "lost.md"), "introduction must be a file of the folder"),
        (_swap(WRITTEN, WRITTEN + WRITTEN), "item 3: why-scale must stand once"),
        (_swap(CODE + WRITTEN, "items = []\n"), "at least one item"),
        (_swap(CODE + WRITTEN, ""), "it must have the key items"),
        (_swap("[[items]]", "[[items"), "line"),
    ],
)  # fmt: skip
def test_what_a_manifest_must_not_say_is_named(tmp_path, change, words):
    sound = HEAD + CODE + WRITTEN
    (tmp_path / "secret.md").write_text("no")
    broken = change(sound)
    assert broken != sound
    folder = write_assignment(tmp_path, broken)
    with pytest.raises(ValueError) as caught:
        load_assignment(folder)
    assert words in str(caught.value)
    assert str(caught.value).startswith(str(folder / "assignment.toml"))


def test_a_folder_without_a_manifest_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"must hold an assignment\.toml"):
        load_assignment(tmp_path / "nothing")


def test_a_folders_name_is_the_assignments(tmp_path):
    folder = write_assignment(tmp_path, name="My work")
    with pytest.raises(ValueError, match="the folder's name must be like self-attention"):
        load_assignment(folder)


@pytest.fixture
def two_ways(monkeypatch):
    """The four steps, with one more convention."""
    plain = exercise_named("four-steps")
    swapped = Variant(
        "context-first",
        contract=(("the weights first", "the context first"),),
        wrap="def four_steps(q, k, v):\n    return base(q, k, v)[::-1]\n",
    )
    own = Exercise(**{**vars(plain), "variants": (swapped,)})

    def own_named(name):
        return own.varied(name.partition(":")[2])

    monkeypatch.setattr(module, "exercise_named", own_named)
    return own


def test_a_student_keeps_a_variant_and_a_class_gets_all(tmp_path, two_ways):
    text = HEAD + CODE + 'variants = ["plain", "context-first"]\n'
    found = load_assignment(write_assignment(tmp_path, text))
    students = [f"s{number}" for number in range(40)]
    drawn_once = [found.variants(student)["four-steps"] for student in students]
    again = [found.variants(student)["four-steps"] for student in students]
    assert found.varies
    assert drawn_once == again
    assert 8 <= drawn_once.count("context-first") <= 32
    first = students[drawn_once.index("context-first")]
    assert "the context first" in "\n".join(found.exercises(first)["four-steps"].contract)


def test_a_secret_in_the_folder_deals(tmp_path):
    text = HEAD.replace('seed = "autumn"\n', "") + CODE + 'variants = ["plain", "base-two"]\n'
    deals = []
    folder = write_assignment(tmp_path, text)
    with pytest.raises(ValueError, match=r"assignment\.toml: a file secret must lie beside it"):
        load_assignment(folder)
    for secret in ("a" * 64, "b" * 64):
        (folder / "secret").write_text(secret + "\n")
        found = load_assignment(folder)
        assert secret not in repr(found)
        deals.append([found.variants(f"s{n}")["four-steps"] for n in range(30)])
    assert deals[0] != deals[1]


def test_a_fixed_variant_is_everybodys(tmp_path, two_ways):
    text = HEAD + CODE + 'variants = ["context-first"]\n'
    found = load_assignment(write_assignment(tmp_path, text))
    assert not found.varies
    assert found.variants("ann") == found.variants("ben") == {"four-steps": "context-first"}


def test_a_kernel_is_checked_and_never_graded(tmp_path):
    kernel = '[[items]]\nexercise = "triton-softmax-row"\n'
    with pytest.raises(ValueError, match="that can be graded, got triton-softmax-row"):
        load_assignment(write_assignment(tmp_path, HEAD + kernel))
