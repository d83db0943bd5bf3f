"""The numbers in the sample on efficiency are those that the roofline gives."""

import re
from pathlib import Path

from attention_course.reference import attention_work, device_sheets, roofline
from course_grader.submissions.assignment import load_assignment

SAMPLE = load_assignment(Path(__file__).parents[2] / "assignments/efficiency")
QUESTION = next(item for item in SAMPLE.written if item.id == "reading-a-roofline")
GPU = device_sheets()["H100 SXM"]


def work(variant, d=128):
    return attention_work(variant, 8192, d, heads=16, cache=GPU.cache)


def missing(numbers, text):
    said = re.findall(r"\d[\d,.]*\d|\d", text)
    return [number for number in numbers if number not in said]


def test_the_question_gives_what_the_reference_counts():
    naive, tiled = work("naive"), work("tiled")
    assert naive.matmul == tiled.matmul
    numbers = [
        f"{GPU.peak['bfloat16'] / 1e12:.0f}",
        f"{GPU.exponentials / 1e12:.2f}",
        f"{GPU.bandwidth / 1e12:.2f}",
        f"{tiled.matmul / 1e9:.0f}",
        f"{tiled.exponentials / 1e9:.2f}",
        f"{naive.moved / 1e9:.2f}",
        f"{tiled.moved / 1e6:.0f}",
        f"{naive.moved / tiled.moved:.0f}",
    ]
    assert missing(numbers, QUESTION.prompt) == []


def test_the_model_answer_gives_the_times_of_the_reference():
    naive, tiled, narrow = (
        roofline(w, GPU) for w in (work("naive"), work("tiled"), work("tiled", 32))
    )
    assert (naive.binding, tiled.binding, narrow.binding) == (
        "memory",
        "matmul",
        "exponentials",
    )
    given = ("matmul", "exponentials", "memory")  # the ceilings that the question gives
    seconds = [*(tiled.times[name] for name in given), naive.seconds, narrow.times["matmul"]]
    numbers = [f"{1e3 * x:.2f}" for x in seconds]
    numbers += [f"{naive.seconds / tiled.seconds:.1f}", f"{GPU.ridge('bfloat16'):.0f}"]
    assert missing(numbers, QUESTION.model_answer) == []
    assert round(work("decode").intensity) == 1


def test_a_wrong_number_would_be_missed():
    assert missing(["0.56", "0.57"], QUESTION.model_answer) == ["0.57"]
