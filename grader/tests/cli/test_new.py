"""A teacher's own assignment: drawn by a secret, kept from git, the site and others."""

import re
import subprocess
from pathlib import Path

import pytest

from attention_course.exercises import all_exercises
from course_grader.cli import exercises as listing
from course_grader.cli.command import main
from course_grader.cli.exercises import public_points
from course_grader.cli.new import new
from course_grader.cli.private import require_private
from course_grader.submissions.assignment import load_assignment

ROOT = Path(__file__).parents[3]
SLUGS = list(all_exercises())


def test_a_new_assignment_can_be_loaded_and_has_what_was_chosen(tmp_path):
    made = new(tmp_path, "my-own", SLUGS, secret="7" * 64)
    assert made == load_assignment(tmp_path / "my-own")
    assert [item.slug for item in made.code] == SLUGS
    assert not made.varies


def test_a_secret_repeats_the_draw_and_without_one_two_teachers_differ(tmp_path):
    texts = {
        name: (new(tmp_path / name, "own", SLUGS, secret=secret).folder / "assignment.toml")
        for name, secret in [("a", "7" * 64), ("b", "7" * 64), ("c", ""), ("d", "")]
    }
    texts = {name: path.read_text() for name, path in texts.items()}
    assert texts["a"] == texts["b"]
    assert texts["c"] != texts["d"]
    assert "seed" not in texts["a"]


def test_the_secret_is_random_and_for_its_owner_alone(tmp_path):
    made = [new(tmp_path, name, SLUGS[:1]).folder for name in ("one", "two")]
    secrets = [(folder / "secret").read_text() for folder in made]
    assert secrets[0] != secrets[1]
    assert all(re.fullmatch(r"[0-9a-f]{64}\n", secret) for secret in secrets)
    assert (made[0] / "secret").stat().st_mode & 0o777 == 0o600
    assert made[0].stat().st_mode & 0o777 == 0o700


def test_git_ignores_all_of_it(tmp_path):
    _git(tmp_path, "init", "-q")
    (tmp_path / ".gitignore").write_text("/kept/\n")
    new(tmp_path / "kept", "own", SLUGS[:1])
    (tmp_path / ".gitignore").write_text("")
    assert _git(tmp_path, "status", "--porcelain", "-uall").stdout == "?? .gitignore\n"


def _git(home, *arguments):
    command = ["git", "-C", str(home), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True)


def test_a_variant_is_fixed_by_a_colon_and_each_student_may_get_one(tmp_path):
    varied = [e for e in all_exercises().values() if e.variants]
    for number, exercise in enumerate(varied):
        name = exercise.variants[0].name
        fixed = new(tmp_path, f"fixed-{number}", [f"{exercise.slug}:{name}"])
        assert fixed.variants() == {exercise.slug: name}
        each = new(tmp_path, f"each-{number}", [exercise.slug], variant="student")
        assert each.code[0].variants == exercise.dealt
    plain = new(tmp_path, "plain", SLUGS, variant="plain")
    assert set(plain.variants().values()) == {""}
    named = new(tmp_path, "named", [f"{varied[0].slug}:plain"])
    assert named.variants() == {varied[0].slug: ""}


@pytest.mark.parametrize("fixed", ["", ",kv-cache:context-first"])
def test_for_each_student_a_form_of_their_own_or_it_is_said(tmp_path, capsys, fixed):
    assert min(len(e.dealt) for e in all_exercises().values()) > 1
    words = ["new", "mine", "--in", str(tmp_path), "--exercises", f"four-steps{fixed}"]
    assert main([*words, "--variant", "student"]) == 0
    told = capsys.readouterr().out
    assert ("The same for every student: kv-cache\n" in told) == bool(fixed)
    assert told.endswith("released --roster class.csv\n")


def test_what_the_chapter_solves_is_never_drawn_where_there_is_a_variant(tmp_path, capsys):
    forms = {e.slug: e.dealt for e in all_exercises().values()}
    for number in range(12):
        made = new(tmp_path / str(number), "own", SLUGS)
        assert all(name in forms[slug] for slug, name in made.variants().items())
    asked = "stable-softmax,kv-cache:plain"
    assert main(["new", "own", "--in", str(tmp_path), "--exercises", asked]) == 0
    assert "its solution is public: kv-cache\n" in capsys.readouterr().out


def test_a_form_that_pays_well_to_a_public_answer_is_named(tmp_path, capsys):
    asked = "luong-scores:state-first"
    assert main(["new", "own", "--in", str(tmp_path), "--exercises", asked]) == 0
    told = capsys.readouterr().out
    assert "earns above a third in: luong-scores:state-first\n" in told


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("kv-cache:plain", "kv-cache:plain pays above a third .*; take context-first"),
        ("luong-scores:state-first",
         "state-first pays above a third .*; take time-first or rows or "),
        ("self-attention:plain", "plain pays above a third .*; take columns or "),
        ("scaled-dot-product-attention:blocked",
         r"pays above a third .*; take additive or blocked\+keys-as-columns or "),
    ],
)  # fmt: skip
def test_an_exam_refuses_what_a_public_solution_answers(tmp_path, entry, words):
    with pytest.raises(ValueError, match=words):
        new(tmp_path, "own", [entry], exam=True)
    assert list(tmp_path.iterdir()) == []
    new(tmp_path, "own", [entry])


def test_without_torch_an_exam_is_made_and_the_list_has_a_gap(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(listing, "find_spec", lambda name: None)
    new(tmp_path, "own", ["multi-head-attention:blocked"], exam=True)
    assert main(["exercises", "--chapter", "multi-head", "--earns"]) == 0
    assert "blocked (?), weights-first (?)" in capsys.readouterr().out


def test_the_list_says_what_a_public_solution_earns_in_each_variant(capsys):
    assert main(["exercises", "--chapter", "recurrent/luong", "--earns"]) == 0
    said = "time-first (2), state-first (4), rows (2), time-first+rows (2)\n"
    assert said in capsys.readouterr().out


def test_a_plain_answer_earns_little_of_a_layer_whose_mask_is_turned_over():
    pytest.importorskip("torch")
    assert public_points("multi-head-attention", "blocked") == 1


@pytest.mark.parametrize(
    ("name", "exercises", "words"),
    [
        ("My Own", SLUGS[:1], "name must be like"),
        ("own", ["nowhere"], "there is no exercise"),
        ("own", [SLUGS[0] + ":upside-down"], "got 'upside-down'"),
        ("own", [SLUGS[0], SLUGS[0]], "none twice"),
        ("own", [], "at least one"),
    ],
)
def test_what_cannot_be_made_leaves_nothing_behind(tmp_path, name, exercises, words):
    with pytest.raises(ValueError, match=words):
        new(tmp_path, name, exercises)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(tmp_path):
    folder = new(tmp_path, "own", SLUGS[:1]).folder
    before = {path: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(ValueError, match="there already"):
        new(tmp_path, "own", SLUGS[:1])
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


@pytest.fixture
def course(tmp_path):
    """A folder that looks like the course's repository, without git."""
    (tmp_path / "_toc.yml").write_text("")
    (tmp_path / "src/attention_course").mkdir(parents=True)
    return tmp_path


@pytest.mark.parametrize("part", ["book", "src", "_build", "docs", "assignments"])
def test_a_published_part_of_the_course_is_refused(course, part):
    with pytest.raises(ValueError, match=f"lies in {part}/ of the course's repository"):
        new(course / part / "deep", "own", SLUGS[:1])
    assert not (course / part / "deep").exists()


def test_the_courses_private_folder_is_taken(course):
    assert new(course / "private", "own", SLUGS[:1]).folder.is_dir()


def test_a_link_into_the_book_is_seen_through(course, tmp_path_factory):
    (course / "book").mkdir()
    link = tmp_path_factory.mktemp("elsewhere") / "harmless"
    link.symlink_to(course / "book")
    with pytest.raises(ValueError, match="lies in book/"):
        new(link, "own", SLUGS[:1])


def test_a_repository_that_does_not_ignore_the_folder_is_refused(tmp_path):
    _git(tmp_path, "init", "-q")
    with pytest.raises(ValueError, match="does not ignore it"):
        require_private(tmp_path / "teaching/own")
    (tmp_path / ".gitignore").write_text("teaching/\n")
    require_private(tmp_path / "teaching/own")


def test_where_git_cannot_be_asked_a_repository_is_refused(tmp_path, monkeypatch):
    (tmp_path / ".git").mkdir()
    with pytest.raises(ValueError, match=r"git cannot say whether it ignores it \(\w"):
        require_private(tmp_path / "own")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ValueError, match="git is not there to be asked; install git, or"):
        require_private(tmp_path / "own")
    monkeypatch.setattr(subprocess, "run", _raises(subprocess.TimeoutExpired("git", 30)))
    with pytest.raises(ValueError, match=r"git cannot be asked \(.*timed out"):
        require_private(tmp_path / "own")


def _raises(error):
    def run(*args, **kwargs):
        raise error

    return run


def test_this_repository_ignores_private_and_nothing_stands_there():
    lines = (ROOT / ".gitignore").read_text().splitlines()
    assert "/private/" in lines
    if (ROOT / ".git").exists():
        assert _git(ROOT, "ls-files", "private").stdout == ""
