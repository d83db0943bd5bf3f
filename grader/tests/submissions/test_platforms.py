"""Names and times from the tables of Moodle, Canvas and Gradescope, or a refusal."""

import csv
import io
import tomllib
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from assignment_files import CODE, TABLES, fill, write_assignment
from babel.dates import format_datetime

from attention_course.exercises import exercise_named
from course_grader.cli.command import main
from course_grader.marking.graded import Book
from course_grader.submissions.assignment import load_assignment
from course_grader.submissions.notebook import student_notebook
from course_grader.submissions.platforms import _LANGUAGES, read_platform_table, read_time

GERMAN, CANVAS, GRADESCOPE = (
    TABLES[name] for name in ("moodle-times", "canvas-times", "gradescope-names")
)
ENGLISH = (
    GERMAN.replace("Zuletzt geändert (Abgabe)", "Last modified (submission)")
    .replace("Dienstag, 6. Oktober 2026, 00:05", "Tuesday, 6 October 2026, 12:05 AM")
    .replace("Dienstag, 6. Oktober 2026, 12:00", "Tuesday, October 6, 2026, 12:00 PM")
)
REFUSED = tomllib.loads(Path(__file__).with_name("refused_times.toml").read_text("utf-8"))
MOODLES = ("Zoë Müller_17", "Bo Li_18", "Eve_20")
AT = datetime(2026, 10, 6, 0, 5), datetime(2026, 10, 6, 12)


def table(folder, text):
    path = folder / "table.csv"
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [
        GERMAN,
        ENGLISH,
        GERMAN.replace(",", ";").replace("Bo; Li", "Bo, Li"),
        GERMAN.replace("Zuletzt geändert (Abgabe)", "Ultima modifica (consegna)"),
    ],
)
def test_moodles_worksheet_says_when_and_who_in_its_own_words(tmp_path, text):
    if ";" in text:  # a date has commas in it
        text = text.replace("Dienstag; 6. Oktober 2026; ", "Dienstag, 6. Oktober 2026, ")
        text = text.replace("Mittwoch; 14. Oktober 2026; ", "Mittwoch, 14. Oktober 2026, ")
        text = text.replace("5;00", "5,00")
    people = read_platform_table(table(tmp_path, text), MOODLES, times=True)
    assert {who: (one.name, one.time) for who, one in people.items()} == {
        "Zoë Müller_17": ("Zoë Müller", AT[0]),
        "Bo Li_18": ("Bo, Li", AT[1]),
    }


LATE = "Zur Bewertung abgegeben - 12 Stunden zu spät"


@pytest.mark.parametrize("status", REFUSED["longer"])
def test_moodles_worksheet_says_who_has_longer(tmp_path, status):
    people = read_platform_table(
        table(tmp_path, GERMAN.replace(LATE, status)), MOODLES, times=True
    )
    assert people["Bo Li_18"].extended == datetime(2026, 10, 7, 23, 59)
    assert people["Bo Li_18"].time == AT[1]
    assert people["Zoë Müller_17"].extended is None


def test_an_extension_that_cannot_be_read_stops_with_its_line(tmp_path):
    sheet = table(tmp_path, GERMAN.replace(LATE, "bis: Xday, 7. Xober 2026, 23:59"))
    with pytest.raises(ValueError, match=r"line 4: the time in .* cannot be read"):
        read_platform_table(sheet, MOODLES, times=True)


def test_the_row_of_a_groups_number_is_nobodys(tmp_path):
    path = table(tmp_path, ENGLISH)
    assert read_platform_table(path, ["Group A_17"], times=True) == {}
    people = read_platform_table(path, ["Teilnehmer in_17", "bo@uni.example"], times=True)
    assert people["Teilnehmer in_17"].name == "Teilnehmer/in17"  # names are hidden
    assert people["bo@uni.example"].time == AT[1]


@pytest.mark.parametrize(
    ("text", "students", "names"),
    [
        (CANVAS, ["mullerzoe_17", "bo"], ["Müller, Zoë", "Li, Bo"]),
        (GRADESCOPE, ["s-17", "BO@uni.example"], ["Zoë Müller", "Bo Li"]),
        ("name;student\nZoë M.;zoe\n=1+1;bo\n", ["zoe", "bo"], ["Zoë M.", "=1+1"]),
    ],
)
def test_names_are_as_the_platform_writes_them(tmp_path, text, students, names):
    people = read_platform_table(table(tmp_path, text), students, times=False)
    assert [people[student].name for student in students] == names


DATES = ("EEEE, d MMMM y, HH:mm", "EEEE, d. MMMM y, HH:mm", "EEEE, d 'de' MMMM 'de' y, HH:mm")


@pytest.mark.parametrize("month", [1, 3, 10, 11])
def test_a_date_in_words_is_read_in_every_language(month):
    at = datetime(2026, month, 5, 23, 59)
    ways = [(language, form) for language in _LANGUAGES for form in DATES]
    said = {
        way: format_datetime(at, way[1], locale=way[0]).replace("de de ", "de ") for way in ways
    }
    assert len(said) >= 126
    assert {way: text for way, text in said.items() if read_time(text) != at} == {}


@pytest.mark.parametrize("text", [*REFUSED["dates"], "9" * 100_000])
def test_a_date_that_is_not_sure_is_refused(text):
    with pytest.raises(
        ValueError, match=r"time must be like 2026-10-05T23:59:00\+02:00, got"
    ) as it:
        read_time(text)
    assert len(str(it.value)) < 200


def test_times_in_numbers_are_read():
    zone = timezone(timedelta(hours=-7))
    assert read_time("2026-10-05 12:00:00.123 -0700") == datetime(
        2026, 10, 5, 12, 0, 0, 123000, zone
    )
    assert read_time("2026-10-05 12:00:00 UTC") == datetime(2026, 10, 5, 12, tzinfo=UTC)
    assert read_time("05.10.2026 23:59") == datetime(2026, 10, 5, 23, 59)
    assert read_time("Lunes, 5 de octubre de 2026, 9:12 p. m.").hour == 21


def test_a_row_of_canvas_that_ends_early_is_named_with_its_line(tmp_path):
    path = table(tmp_path, CANVAS.replace('"Li, Bo",18,s-18,bo,Course,', "Li"))
    with pytest.raises(ValueError, match=r"table\.csv, line 5: it has 1 cells, the head 6"):
        read_platform_table(path, ["zoe"], times=False)


@pytest.mark.parametrize(("name", "changes", "encoding", "said"), REFUSED["tables"])
def test_a_broken_table_is_named_with_its_line(tmp_path, name, changes, encoding, said):
    text = TABLES.get(name, name)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "table.csv"
    path.write_bytes(text.encode(encoding))
    with pytest.raises(ValueError, match=r"table\.csv, ") as it:
        read_platform_table(path, MOODLES, times=True)
    assert said in str(it.value)
    assert len(str(it.value)) < 600


def test_a_huge_table_is_not_read(tmp_path):
    path = tmp_path / "table.csv"
    with path.open("wb") as file:
        file.truncate(60_000_000)
    with pytest.raises(ValueError, match="at most 50000000 bytes"):
        read_platform_table(path, MOODLES, times=True)


def class_of_two(tmp_path):
    """An assignment, and a folder of Moodle's in which two students hand in what is right."""
    top = 'title = "T"\ndue = 2026-10-05T23:59:00+02:00\nlate_percent_per_day = 10\n'
    home = write_assignment(tmp_path, f"{top}grace_minutes = 10\n{CODE}")
    assignment = load_assignment(home)
    blank = tmp_path / "blank.ipynb"
    blank.write_text(student_notebook(assignment))
    data = fill(blank, {"four-steps": exercise_named("four-steps").solution})
    for folder in MOODLES[:2]:
        path = tmp_path / "handed" / f"{folder}_assignsubmission_file" / "two.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(data)
    return home, tmp_path / "handed"


def test_a_class_is_late_by_moodles_clock_and_called_as_moodle_calls_it(tmp_path, capsys):
    """The grace period lets the one pass who was five minutes late; the other loses a day."""
    home, handed = class_of_two(tmp_path)
    out, sheet = tmp_path / "graded", table(tmp_path, GERMAN)
    where = ["--assignment", str(home), "--out", str(out), "--times", str(sheet)]
    assert main(["grade", str(handed), *where, "--names", str(sheet)]) == 0
    assert "no time is known" not in capsys.readouterr().out
    rows = csv.DictReader(io.StringIO((out / "grades.csv").read_text("utf-8-sig")))
    assert [(row["name"], row["late_days"], row["total"]) for row in rows] == [
        ("Bo, Li", "1", "4.5"),
        ("Zoë Müller", "0", "5"),
    ]
    assert main(["feedback", str(out)]) == 0
    pages = "".join(path.read_text() for path in (out / "feedback").glob("*.html"))
    assert "<h1>Zoë Müller (Zoë Müller_17)</h1>" in pages
    table(
        tmp_path, GERMAN.replace("Dienstag, 6. Oktober 2026, 12", "Montag, 6. Oktober 2026, 12")
    )
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    assert main(["grade", str(tmp_path / "handed"), *where]) == 2
    assert "table.csv, line 4: time must be like" in capsys.readouterr().err
    after = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    assert after == before
    (out / "names.json").write_text("[")
    assert main(["feedback", str(out)]) == 2
    assert "names.json is broken" in capsys.readouterr().err


def late_of(out):
    rows = csv.DictReader(io.StringIO((out / "grades.csv").read_text("utf-8-sig")))
    return [(row["late_days"], row["total"]) for row in rows]


def test_who_has_longer_is_late_from_then_on_and_stays_so(tmp_path, capsys):
    home, handed = class_of_two(tmp_path)
    out, sheet = tmp_path / "graded", table(tmp_path, GERMAN)
    words = ["grade", str(handed), "--assignment", str(home), "--out", str(out)]
    assert main([*words, "--times", str(sheet)]) == 0
    assert late_of(out) == [("1", "4.5"), ("0", "5")]
    sheet.write_bytes(GERMAN.replace(LATE, REFUSED["longer"][0]).encode())
    assert main([*words, "--times", str(sheet)]) == 0
    assert "due later than for the others: Bo Li_18" in capsys.readouterr().out
    assert late_of(out) == [("0", "5"), ("0", "5")]
    more = tmp_path / "longer.csv"
    for due, late in (("2026-10-05", ("1", "4.5")), ("2026-10-06T11:00", ("1", "4.5"))):
        more.write_text(f"student;due\nBo Li_18;{due}\n")
        assert main([*words, "--extensions", str(more)]) == 0  # in the place of Moodle's
        assert late_of(out) == [late, ("0", "5")]
    more.write_text("student,due\nBo Li_18,2026-10-06\neve,2026-10-09\n")  # by the due hour
    assert main([*words, "--extensions", str(more)]) == 0
    assert "longer.csv names unknown students: eve" in capsys.readouterr().out
    assert late_of(out) == [("0", "5"), ("0", "5")]
    assert main(["regrade", *words[2:]]) == 0
    assert late_of(out) == [("0", "5"), ("0", "5")]
    assert main([*words, "--times", str(table(tmp_path, GERMAN))]) == 0
    assert late_of(out) == [("0", "5"), ("0", "5")]
    (out / "extensions.json").write_text("[")
    assert main(words) == 2
    assert "move it away and give --extensions again" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("student,until\nada,2026-10-07\n", "line 1: missing columns: due"),
        ("student,due\nada,soon\n", "line 2: time must be like"),
        ("student,due\nada,2026-10-07\nada,2026-10-08\n", "line 3: student must stand once"),
        ("student,due\nada,2025-10-07\n", "line 2: due must not be before 2026-10-05T23:59"),
    ],
)
def test_a_wrong_table_of_extensions_is_refused_and_nothing_is_kept(
    tmp_path, capsys, text, said
):
    home, handed = class_of_two(tmp_path)
    path, out = tmp_path / "longer.csv", tmp_path / "graded"
    path.write_text(text)
    words = ["grade", str(handed), "--assignment", str(home), "--out", str(out)]
    assert main([*words, "--extensions", str(path)]) == 2
    assert f"longer.csv, {said}" in capsys.readouterr().err
    assert not (out / "grades").exists()
    assert not (out / "extensions.json").exists()


def test_who_canvas_calls_late_is_named_where_no_time_is_known(tmp_path, capsys):
    home = write_assignment(tmp_path, f'title = "T"\ndue = 2026-10-05T23:59:00+02:00\n{CODE}')
    (tmp_path / "handed").mkdir()
    for name in ("mullerzoe_17_1_x.ipynb", "libo_LATE_18_2_x.ipynb"):
        (tmp_path / "handed" / name).write_text(student_notebook(load_assignment(home)))
    names = ["--names", str(table(tmp_path, CANVAS))]
    where = ["--assignment", str(home), "--out", str(tmp_path / "graded"), *names]
    assert main(["grade", str(tmp_path / "handed"), *where]) == 0
    said = capsys.readouterr().out
    assert "Canvas calls these late, and does not say since when: libo_18\n" in said
    assert Book(tmp_path / "graded").names() == {
        "libo_18": "Li, Bo",
        "mullerzoe_17": "Müller, Zoë",
    }


def test_canvas_with_first_and_last_names_apart_says_who_they_are(tmp_path):
    path = tmp_path / "grades.csv"
    path.write_text(
        "LastName,FirstName,ID,SIS Login ID,Section,Softmax (902)\n"
        "    Points Possible,,,,,5.00\nMüller,Zoë,17,zoe,Course,\n"
    )
    found = read_platform_table(path, ["mullerzoe_17"], times=False)
    assert found["mullerzoe_17"].name == "Zoë Müller"


def test_gradescopes_grades_say_when_and_who_handed_in_nothing_has_no_time(tmp_path):
    table = tmp_path / "Week_2_scores.csv"
    table.write_text(
        "First Name,Last Name,SID,Email,Total Score,Max Points,Status,Submission Time\n"
        "Ada,Li,s-1,ada@uni.example,,8.0,Ungraded,2026-11-19 09:34:00 +0100\n"
        "Bo,Li,s-2,bo@uni.example,,8.0,Missing,\n"
    )
    found = read_platform_table(table, ["s-1", "bo@uni.example"], times=True)
    assert found["s-1"].time == datetime.fromisoformat("2026-11-19T08:34:00+00:00")
    assert found["bo@uni.example"].time is None
