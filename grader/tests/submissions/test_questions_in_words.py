"""The exercises in words are items of an assignment as they are written for teachers."""

from pathlib import Path

import pytest

from attention_course.site.in_words import item, questions
from course_grader.submissions.assignment import load_assignment

BOOK = Path(__file__).resolve().parents[3] / "book"
CHAPTERS = [path.with_suffix(".ipynb") for path in sorted(BOOK.glob("*/*.toml"))]


@pytest.mark.parametrize(
    "chapter", [path for path in CHAPTERS if path.is_file()], ids=lambda path: path.stem
)
def test_each_question_can_be_set_and_its_points_are_the_rubric(tmp_path, chapter):
    asked = [question for question in questions(chapter) if question.points]
    page = f"book/{chapter.relative_to(BOOK).with_suffix('')}"
    text = 'title = "T"\nintroduction = "I"\n\n'
    text += "\n".join(item(page, question) for question in asked)
    folder = tmp_path / "questions"
    folder.mkdir()
    (folder / "assignment.toml").write_text(text, "utf-8")
    found = load_assignment(folder).written
    assert [one.title for one in found] == [question.title for question in asked]
    for one, question in zip(found, asked, strict=True):
        assert len(one.rubric) == one.points == len(question.points)
        assert ".ipynb" not in one.prompt + one.model_answer
