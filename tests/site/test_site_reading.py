"""How long the main path takes. That a page says it is seen on the built site."""

import pytest
from small_book import build, code, text

from attention_course.site.main_path import reading_minutes

pytestmark = pytest.mark.thorough
WORDS = " ".join(["word"] * 3000)


def test_only_the_main_path_takes_time():
    words = text("word " * 2000)
    aside = [
        text(WORDS, "deeper"),
        text(f"<details><summary>Why</summary>\n\n{WORDS}\n\n</details>"),
        text(f"<!-- {WORDS} -->"),
        code("\n".join(["x = 1"] * 400), "setup"),
        code("\n".join(["x = 1"] * 400), "hide-input"),
        text(f"## Exercises\n\n{WORDS}"),
    ]
    assert reading_minutes([words]) == 10
    assert reading_minutes([words, *aside]) == 10
    assert reading_minutes([words, code("\n".join(["x = 1"] * 400))]) == 30


@pytest.mark.gate("site: times of chapters", "a list that says 5 minutes of a long chapter")
def test_a_wrong_time_turns_the_build_red(tmp_path):
    door = [text("# Door\n\n- [Page](page.ipynb), 5 min\n")]
    built = build(tmp_path, {"index": door, "page": [text(f"# Page\n\n{WORDS}")]})

    assert built.code != 0
    assert sum("says 5 minutes where the chapter takes 15" in w for w in built.warnings) == 1
