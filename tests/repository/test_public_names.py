"""What chapters teach is public."""

import pytest
from execute_notebooks import book_notebooks
from page_rules import page_of

import attention_course as ac

# A step of the formula that no caller needs by itself.
NOT_PUBLIC = {"masked_softmax_unchecked", "weigh"}


def test_no_part_has_the_name_of_a_function():
    assert not {*ac.reference.__all__} & {*ac._PARTS, *ac._ELSEWHERE}


@pytest.mark.parametrize("part", ["reference", "layers", "models"])
def test_what_a_chapter_is_for_is_public(part):
    start = f"attention_course.{part}."
    names = [name for path in book_notebooks() for name in page_of(path).shown_in_full]
    named = [name.split(".")[-2:] for name in names if name.startswith(start)]
    taught = {name for home, name in named if not home[0].isupper()}  # a method has its class
    assert taught
    assert taught - {*getattr(ac, part).__all__} == NOT_PUBLIC & taught
