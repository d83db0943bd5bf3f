"""The one style sheet keeps each rule that a page can use."""

import pytest

from attention_course.site.merge_css import names_on, needed


@pytest.mark.parametrize(
    ("css", "kept"),
    [
        ('@charset "UTF-8"; /* { */ p { color: red }', "p{ color: red }"),
        (".a.b{x:y} .a .c{x:y}", ".a.b{x:y}"),
        (".c,.a>p,#c{x:y}", ".a>p,#c{x:y}"),
        (".a:not(.c, .d:is(.e)){x:y}", ".a:not(.c, .d:is(.e)){x:y}"),
        (r".b\:c{x:y}.b\:d{x:y}", r".b\:d{x:y}"),
        ("@media print{.c{x:y}}@media print{.a{x:y}.c{x:y}}", "@media print{.a{x:y}}"),
        ("@keyframes c{from{x:y}to{x:z}}.a{x:y}", "@keyframes c{from{x:y}to{x:z}}.a{x:y}"),
        ("""[c="}"]:after{content:'{'}""", """[c="}"]:after{content:'{'}"""),
    ],
)
def test_a_rule_stays_if_all_its_classes_are_somewhere(css, kept):
    assert needed(css, {"a", "b", "b:d"}) == kept


def test_names_are_those_of_pages_and_of_the_scripts_that_they_load(tmp_path):
    (tmp_path / "_static").mkdir()
    (tmp_path / "book").mkdir()
    page = '<p class="a b">text</p><script src="../_static/used.js?v=1"></script>'
    (tmp_path / "book/page.html").write_text(page)
    (tmp_path / "_static/used.js").write_text('e.classList.add("in-script")')
    (tmp_path / "_static/unused.js").write_text('e.classList.add("elsewhere")')
    found = names_on(tmp_path)
    assert {"a", "b", "in-script"} <= found
    assert not {"elsewhere", "text"} & found
