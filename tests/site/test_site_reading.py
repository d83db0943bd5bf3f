"""How long the main path takes. That a page says it is seen on the built site."""

from small_book import code, text

from attention_course.site.main_path import reading_minutes

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


def test_an_endless_printed_table_is_not_read_to_its_end():
    printed = code("print(1)") | {"outputs": [{"text": "word " * 5000}]}
    assert reading_minutes([text("word " * 2000), printed]) <= 11
