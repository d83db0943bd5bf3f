"""The public names are those on record, and what chapters name is public."""

import ast

import pytest
from public_names import committed, main, public_names, read, refusals, released
from rules.source import modules, part_of

import attention_course as ac

# Two translators have one each: what a decoder looks back at.
NOT_PUBLIC = {"Memory", "weigh"}


def test_the_public_names_are_those_on_record():
    assert read() == (ac.__version__, public_names()), "run python tools/public_names.py"


def test_the_record_could_be_written():
    assert refusals(*committed(), ac.__version__, public_names(), released()) == []


OLD = {"ac.softmax", "ac.entropy"}
RAISE = "the public names change: raise the version first (tools/stamp.py)"


@pytest.mark.parametrize(
    ("version", "names", "said"),
    [
        pytest.param("0.3.0", {"ac.softmax"}, ["ac.entropy was released and is gone"],
            marks=pytest.mark.gate("public names", "a released name taken away")),
        pytest.param("0.2.0", {*OLD, "ac.new"}, [RAISE],
            marks=pytest.mark.gate("public names: version", "a new name, the old version")),
    ],
)  # fmt: skip
def test_a_released_name_stays_and_a_change_raises_the_version(version, names, said):
    assert refusals("0.2.0", OLD, version, names, True) == said
    assert refusals("0.2.0", OLD, version, names, False) == [
        one for one in said if one == RAISE
    ]


def test_the_record_of_the_last_commit_is_what_a_change_is_held_against(
    tmp_path, monkeypatch, capsys
):
    version, names = committed()
    assert names
    assert committed(tmp_path) == read(), "where git knows nothing"
    new = {*names, "ac.new"}
    written = tmp_path / "names.txt"
    written.write_text("\n".join([f"# version {version}", *sorted(new)]))
    monkeypatch.setattr("public_names.public_names", lambda: new)
    monkeypatch.setattr("public_names.committed", lambda: (version, names))
    monkeypatch.setattr("public_names.RECORD", written)
    monkeypatch.setattr(ac, "__version__", version)
    assert main() == 1, "though the record in the folder has the name already"
    assert RAISE in capsys.readouterr().err


def test_a_new_name_with_a_new_version_is_taken_over():
    assert refusals("0.2.0", OLD, "0.3.0", {*OLD, "ac.new"}, True) == []


def test_no_part_has_the_name_of_a_function():
    assert not {*ac.reference.__all__} & {*ac._PARTS, *ac._ELSEWHERE}


@pytest.mark.parametrize("part", ["reference", "layers", "models"])
def test_what_a_chapter_teaches_is_public(part):
    taught = {
        node.name
        for path in modules()
        if part_of(path) == part and not path.stem.startswith("_")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and "Taught in ``" in (ast.get_docstring(node) or "")
    }
    assert taught
    assert taught - {*getattr(ac, part).__all__} == NOT_PUBLIC & taught
