"""The public names are those on record, and what chapters name is public."""

import ast

import pytest
from public_names import public_names, read, refusals, released
from source_rules import modules, part_of

import attention_course as ac

# Two translators have one each: what a decoder looks back at.
NOT_PUBLIC = {"Memory", "weigh"}


def test_the_public_names_are_those_on_record():
    assert read() == (ac.__version__, public_names()), "run python tools/public_names.py"


def test_the_record_could_be_written():
    assert refusals(*read(), ac.__version__, public_names(), released()) == []


OLD = {"ac.softmax", "ac.entropy"}


@pytest.mark.parametrize(
    ("version", "names", "said"),
    [
        pytest.param("0.3.0", {"ac.softmax"}, "ac.entropy was released and is gone",
            marks=pytest.mark.gate("public names", "a released name taken away")),
        pytest.param("0.2.0", {*OLD, "ac.new"}, "raise the version first",
            marks=pytest.mark.gate("public names: version", "a new name, the old version")),
    ],
)  # fmt: skip
def test_a_released_name_stays_and_a_change_raises_the_version(version, names, said):
    assert said in refusals("0.2.0", OLD, version, names, True)[0]
    assert refusals("0.2.0", OLD, version, names, False) == []


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
