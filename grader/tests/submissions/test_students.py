import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from course_grader.submissions.layouts import CALLED_LATE
from course_grader.submissions.students import (
    SAME_TIME,
    TWIN,
    collect,
    days_late,
    nameless,
    renamed,
    times_of,
)
from course_grader.submissions.unpack import Member

NAME = "self-attention"


def members(*names, **refused):
    files = [Member(name, datetime(2026, 10, 1), lambda: b"{}") for name in names]
    return files + [Member(name, refused=reason) for name, reason in refused.items()]


def students(*names):
    return [one.student for one in collect(members(*names), NAME).handed]


LAYOUTS = tomllib.loads(Path(__file__).with_name("layouts.toml").read_text("utf-8"))["layouts"]


@pytest.mark.parametrize("row", LAYOUTS)
def test_a_path_says_whose_it_is_in_every_layout(row):
    found = collect(members(*row["paths"]), "hw")
    said = [
        "-" * (one.member is None) + "!" * (CALLED_LATE in one.notes) + one.student
        for one in found.handed
    ]
    said += [f"?{name}" for name, why in found.strays if "cannot be seen from its name" in why]
    assert found.layout == row["layout"]
    assert said == row["whose"]
    for one in found.handed:
        assert one.member or f"{one.files[0]} (no notebook)" in one.refused


TRY = "week 1_hw_{}_attempt_2026-10-0{}-11-59-00{}"


def blackboard(*rows, texts=()):
    """Return files of a download of Blackboard's, with the text beside those in ``texts``."""
    files = members(*(TRY.format(who, day, "_x.ipynb") for who, day in rows))
    for who, day in texts:
        said = f"Name: Nora Vidal ({who})\r\nAssignment: week 1\r\n".encode()
        name = TRY.format(who, day, ".txt")
        files.append(Member(name, datetime(2026, 10, 9), lambda said=said: said))
    return collect(files, NAME)


def test_of_two_attempts_on_blackboard_the_newest_counts():
    rows = [("nora_01", 5), ("nora_01", 4), ("ivan_01", 4)]
    found = blackboard(*rows, texts=rows[:2])
    assert found.layout == "a download of Blackboard"
    nora, ivan = reversed(found.handed)
    assert (nora.student, ivan.student) == ("nora_01", "ivan_01")
    assert found.names == {"nora_01": "Nora Vidal"}
    assert nora.member.name == TRY.format("nora_01", 5, "_x.ipynb")
    assert nora.time == datetime(2026, 10, 5, 11, 59)
    (note,) = nora.notes
    assert "the newest counts" in note
    assert SAME_TIME not in note


def test_on_blackboard_logins_with_lines_in_them_stay_apart_without_texts():
    found = blackboard(("nora_01", 4), ("ivan_01", 4), ("ivan_01", 5))
    assert [one.student for one in found.handed] == ["ivan_01", "nora_01"]
    assert [one.student for one in blackboard(("nora", 4), ("nora", 5)).handed] == ["nora"]


def test_who_only_wrote_a_text_on_blackboard_is_not_forgotten():
    found = blackboard(("nora", 4), ("ivan", 4), texts=[("eve", 4)])
    assert [one.student for one in found.handed] == ["eve", "ivan", "nora"]
    assert "no notebook" in found.handed[0].refused
    assert [m.name for m in found.handed[0].instead] == [TRY.format("eve", 4, ".txt")]


@pytest.mark.parametrize(
    "way", ["{} - Oct {}, 2026 926 PM - x.ipynb", "{} - Oct {}, 2026 9:26 PM/x.ipynb"]
)
def test_of_two_hand_ins_on_brightspace_the_newest_counts(way):
    ada, bob = "397063-25 - Ada Lovelace", "397064-25 - Bo - Li"
    found = collect(members(*(way.format(*x) for x in ((ada, 12), (ada, 5), (bob, 4)))), NAME)
    assert found.layout == "a download of Brightspace"
    assert [one.student for one in found.handed] == ["Ada Lovelace_397063", "Bo - Li_397064"]
    assert found.handed[0].member.name == way.format(ada, 12)
    assert found.handed[0].time == datetime(2026, 10, 12, 21, 26)


COPIES = ("{} (1)", "{}(2)", "{} - Copy", "{} copy 2", "Copy of {}", "{} - Copy (3)")


@pytest.mark.parametrize("copy", COPIES)
def test_a_copy_beside_a_file_is_no_second_student(copy):
    name = copy.format("ada")
    files = [
        Member(f"{n}.ipynb", datetime(2026, 10, day)) for n, day in (("ada", 1), (name, 2))
    ]
    found = collect([*files, *members("bob.ipynb")], NAME)
    assert [one.student for one in found.handed] == ["ada", "bob"]
    assert found.handed[0].member.name == f"{name}.ipynb"
    assert students(f"{name}.ipynb", "bob.ipynb") == sorted([name, "bob"])


GRADESCOPE = b"""\
submission_1:
  :submitters:
  - :name: Ada
    :sid: '0012'
    :email: ada@uni.example
  :created_at: 2026-10-06 10:00:00.123 Z
submission_2:
  :submitters:
  - :name: Bob
    :email: bob@uni.example
  - :name: Cy
"""


def gradescope(metadata=GRADESCOPE, *more):
    names = ["export/submission_1/x.ipynb", "export/submission_2/y.ipynb", *more]
    file = Member("export/submission_metadata.yml", content=lambda: metadata)
    return [*members(*names), file]


def test_gradescope_s_metadata_name_the_students_and_the_time():
    found = collect(gradescope(), NAME)
    assert found.layout == "an export of Gradescope"
    assert [one.student for one in found.handed] == ["0012", "Cy", "bob@uni.example"]
    assert found.names == {"0012": "Ada", "Cy": "Cy", "bob@uni.example": "Bob"}
    time = found.handed[0].time.replace(tzinfo=None)
    assert time.replace(microsecond=0) == datetime(2026, 10, 6, 10)


def test_gradescope_s_metadata_that_cannot_be_read_are_refused_in_words():
    for metadata in [b"a: [", b"- 1", b"\xff\xfe\xff", b"!!python/object:os.system {}"]:
        with pytest.raises(ValueError, match="submission_metadata"):
            collect(gradescope(metadata), NAME)


@pytest.mark.parametrize(
    ("honest", "planted"),
    [
        ("Ada_1_assignsubmission_file_/x.ipynb", "Ada_1_assignsubmission_file_/Bob_2_"
         "assignsubmission_file_/x.ipynb"),
        ("Ada_1_assignsubmission_file_x.ipynb",
         "Ada_1_assignsubmission_file_Bob_2_assignsubmission_file_.ipynb"),
        ("Ada_1_assignsubmission_file_/x.ipynb",
         "Ada_1_assignsubmission_file_/submission_metadata.yml"),
        (f"ada/{NAME}/x.ipynb", f"ada/{NAME}/bob/{NAME}/x.ipynb"),
        ("adal_1_2_x.ipynb", "adal_1_2_bobb_3_4_x.ipynb"),
        ("ada/x.ipynb", "ada/bob/x.ipynb"),
    ],
)  # fmt: skip
def test_no_name_inside_a_student_s_work_makes_it_somebody_else_s(honest, planted):
    other = honest.replace("Ada_1", "Eve_9").replace("ada", "eve").replace("_1_", "_9_")
    before = students(honest, other)
    assert students(honest, other, planted) == before


def test_of_several_notebooks_the_newest_counts_and_a_note_says_so():
    old = Member("ada/b.ipynb", datetime(2026, 10, 1), lambda: b"old")
    new = Member("ada/a.ipynb", datetime(2026, 10, 2), lambda: b"new")
    other = Member("bob/a.ipynb", datetime(2026, 10, 2), lambda: b"")
    for order in ([old, new, other], [new, old, other]):
        ada = collect(order, NAME).handed[0]
        assert ada.member is new
        assert ada.notes == [
            "2 notebooks were handed in; the newest counts, ada/a.ipynb. "
            "Not graded: ada/b.ipynb."
        ]


def test_of_files_of_one_time_the_one_named_like_the_assignment_or_the_last_counts():
    assert (
        collect(members("ada/z.ipynb", f"ada/{NAME}.ipynb", "b/x.ipynb"), NAME)
        .handed[0]
        .member.name.endswith(f"{NAME}.ipynb")
    )
    found = collect(members("a_1_2_x-10.ipynb", "a_1_2_x-9.ipynb", "b_2_3_x.ipynb"), NAME)
    assert found.handed[0].member.name == "a_1_2_x-10.ipynb"


@pytest.mark.parametrize("later", ["x-1.ipynb", "x (1).ipynb", "x1.ipynb", "x-2.ipynb.txt"])
def test_of_two_files_of_one_time_the_later_copy_counts_and_a_note_says_why(later):
    kind = ".ipynb.txt" if later.endswith(".txt") else ".ipynb"
    files = [f"Ada_1_assignsubmission_file/{name}" for name in (f"x{kind}", later)]
    for order in (files, files[::-1]):
        [ada] = collect(members(*order), NAME).handed
        assert ada.member.name == files[1]
        assert ada.files == [files[1], files[0]]
        [note] = ada.notes
        assert SAME_TIME in note


def test_a_refused_file_is_reported_with_its_student():
    found = collect(members("bob.ipynb", **{"ada.ipynb": "a link"}), NAME)
    assert found.handed[0].student == "ada"
    assert found.handed[0].refused == "no notebook can be read: ada.ipynb (a link)"
    assert found.handed[1].refused == ""


def test_a_member_whose_name_leads_out_is_nobody_s():
    name = "../bob.ipynb"
    found = collect(members("ada.ipynb", **{name: "its name leads out of the zip"}), NAME)
    assert [one.student for one in found.handed] == ["ada"]
    assert found.strays == [(name, "its name leads out of the zip")]


def test_times_come_from_a_table_in_the_due_time_s_zone(tmp_path):
    table = tmp_path / "times.csv"
    table.write_text("student,time\nada,2026-10-05T12:00\nbob,2026-10-05T12:00:00+02:00\n")
    found = collect(members("ada.ipynb", "bob.ipynb", "cy.ipynb"), NAME)
    times, _ = times_of(found, table, UTC)
    assert times["ada"] - times["bob"] == timedelta(hours=2)
    assert times.keys() == {"ada", "bob"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("student|time\nada|2026\n", "line 1"),
        ("student\ttime\nada\t2026\n", "line 2: time must be like"),
        ("student,time\nada,yesterday\n", "line 2: time must be like"),
        ("student,time\nada,2026-10-05\nada,2026-10-06\n", "line 3: student must stand once"),
        ("student,time\n,2026-10-05\n", "line 2: student"),
    ],
)
def test_a_wrong_table_of_times_is_refused_with_its_line(tmp_path, text, said):
    (tmp_path / "times.csv").write_text(text)
    with pytest.raises(ValueError, match=said):
        times_of(collect([], NAME), tmp_path / "times.csv", UTC)


@pytest.mark.parametrize("grace", [0, 10])
def test_a_day_late_begins_with_the_first_second_after_the_grace(grace):
    due, grace = datetime(2026, 10, 5, 23, 59, tzinfo=UTC), timedelta(minutes=grace)
    after = (-1, 0, grace.seconds, grace.seconds + 1, 86400, 86401)
    late = [days_late(due + timedelta(seconds=s), due, grace) for s in after]
    assert late == [0, 0, 0, 1, 1, 2]


def test_students_can_be_given_the_names_the_course_knows():
    found = collect(gradescope(), NAME)
    renamed(found, [("0012", "ada"), ("nobody", "x")])
    assert [one.student for one in found.handed] == ["Cy", "ada", "bob@uni.example"]
    assert found.names == {"ada": "Ada", "Cy": "Cy", "bob@uni.example": "Bob"}


def test_two_students_cannot_be_given_one_name():
    found = collect(members("ada.ipynb", "bob.ipynb"), NAME)
    with pytest.raises(ValueError, match="name of its own"):
        renamed(found, [("ada", "bob")])


def test_a_name_that_is_the_assignment_s_is_nobody_s():
    names = [NAME, f"{NAME} (1)", f"{NAME}-2", f"Copy of {NAME}", "ada", f"ada-{NAME}"]
    found = collect(members(*(f"{name}.ipynb" for name in names)), NAME)
    assert nameless(found, NAME) == sorted(names[:4])


@pytest.mark.parametrize(
    "odd",
    [
        "1\u00b22.ipynb", "9" * 5000 + ".ipynb", NAME + "1" * 60 + "x.ipynb", "zed\udcff.ipynb",
        f"eve/{NAME}/x.ipynb", "eve_3_33_4_assignsubmission_.ipynb", "ada\u200b.ipynb",
        " ada.ipynb",
    ],
)  # fmt: skip
def test_one_odd_name_changes_nothing_for_the_others(odd):
    honest = ["ada.ipynb", "bob.ipynb", "cy/x.ipynb"]
    found = collect(members(*honest, odd), NAME)
    assert {"ada", "bob", "cy"} <= {one.student for one in found.handed}
    assert len(found.handed) + len(found.strays) == 4
    nameless(found, NAME)


@pytest.mark.parametrize(
    ("plain_name", "twin"),
    [
        ("Jos\u00e9", "Jose\u0301"),
        ("ada", "ada\u200d"),
        ("ada", "a\u200cda"),
        ("ada", "\uff41da"),
    ],
)
def test_of_two_names_that_look_alike_the_plain_one_counts(plain_name, twin):
    for names in ((plain_name, twin), (twin, plain_name)):
        found = collect(members(*(f"{name}.ipynb" for name in names)), NAME)
        assert [one.student for one in found.handed] == [plain_name]
        assert found.strays == [(f"{twin}.ipynb", TWIN)]


def test_a_notebook_counts_more_than_what_it_was_exported_to():
    late = Member("ada/hw.py", datetime(2026, 10, 9), lambda: b"")
    found = collect([*members("ada/hw.ipynb", "ada/README.txt"), late], NAME).handed[0]
    assert found.member.name == "ada/hw.ipynb"
    (note,) = found.notes
    assert note == (
        "2 files were handed in; the newest notebook counts, ada/hw.ipynb. "
        "Not graded: ada/hw.py."
    )
