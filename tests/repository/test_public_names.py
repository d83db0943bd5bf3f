"""What chapters teach is public."""

import ast

import pytest
from rules.source import modules, part_of

import attention_course as ac

# Two translators have one each: what a decoder looks back at.
NOT_PUBLIC = {"Memory", "weigh"}


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
