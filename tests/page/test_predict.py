"""What ``predict`` takes, what it makes of it, and what it says of the rest."""

import math

import numpy as np
import pytest
import torch

from attention_course import drawing
from attention_course.page import predict


@pytest.mark.parametrize(
    ("answer", "stored"),
    [
        (41, 41.0),
        (np.float32(0.41), 0.41),
        (torch.tensor(0.41, dtype=torch.float64), 0.41),
        (0.1 + 0.2, 0.3),
        (np.array([[7]]), 7.0),
        (-2.912345678e-20, -2.91235e-20),
        (123456789, 123456789.0),
    ],
)
def test_a_number_is_stored_without_the_noise_of_the_arithmetic(answer, stored):
    widget = predict("How many?", answer)
    assert (widget.kind, widget.answer) == ("number", [stored])


def test_a_choice_is_kept_by_its_place():
    widget = predict("Which?", np.str_("b"), choices=("a", "b"))
    assert (widget.kind, widget.choices, widget.answer) == ("choice", ["a", "b"], [1])
    assert predict("Which?", np.int64(4), choices=[2, 4, 8]).answer == [1]


def test_an_order_is_kept_by_places_and_never_shown_in_order():
    widget = predict("In which order?", ["c", "a", "b"], order=["a", "b", "c"])
    assert (widget.kind, widget.choices, widget.answer) == ("order", ["a", "b", "c"], [2, 0, 1])
    turned = predict("In which order?", ["a", "b"], order=["a", "b"])
    assert (turned.choices, turned.answer) == (["b", "a"], [1, 0])


def test_its_text_has_question_answer_and_what_is_revealed():
    widget = predict("How far?", 0.412345, unit="nats", tolerance=0.05, reveal="table\n 1 2")
    assert repr(widget) == "Predict: How far?\nanswer: 0.412 nats (within 0.05)\ntable\n 1 2"
    assert repr(predict("How far?", 94, unit="%")) == "Predict: How far?\nanswer: 94%"
    ordered = predict("Order?", ["b", "a"], order=["a", "b"])
    assert repr(ordered) == "Predict: Order?\nanswer: b, a"


def test_a_figure_reveals_what_it_says():
    axes = {"x_title": "steps", "y_title": "loss"}
    figure = drawing.lines([1.0, 2.0], {"loss": [0.5, 0.25]}, title="It falls", **axes)
    widget = predict("How far does the loss fall?", 0.25, reveal=figure)
    assert widget.reveal.replace("\n", " ") == figure.layout.meta["alt"]
    assert max(map(len, widget.reveal.splitlines())) <= 72


def test_a_belief_is_kept_beside_the_guess_that_it_leads_to():
    four, tenth = "Each writer below hears it, too.", "A tenth is what chance gives."
    widget = predict("How many?", 3, tolerance=0.5, beliefs={4: four, np.float64(10): tenth})
    assert (widget.believed, widget.beliefs) == ([[4.0], [10.0]], [four, tenth])
    said = {}
    for guess in (3, 3.4, 3.8, 4.6, 9.6, -10):
        widget.guess = [float(guess)]
        said[guess] = widget.belief()
    assert said == {3: "", 3.4: "", 3.8: four, 4.6: "", 9.6: tenth, -10: ""}
    chosen = predict("Which?", "b", choices=["a", "b"], beliefs={"a": four})
    assert (chosen.believed, chosen.belief()) == ([[0.0]], "")
    chosen.guess = [0.0]
    assert chosen.belief() == four
    beliefs = {("a", "b", "c"): four}
    sort = predict("Order?", ["c", "a", "b"], order=["b", "a", "c"], beliefs=beliefs)
    sort.guess = [1.0, 0.0, 2.0]
    assert (sort.believed, sort.belief()) == ([[1.0, 0.0, 2.0]], four)


def test_without_a_script_the_answer_stands_in_a_fold():
    fallback = predict("Is 1 < 2?", 3, reveal="<table>").fallback
    assert "Is 1 &lt; 2?" in fallback
    fold = fallback[fallback.index("<details>") :]
    assert fold == (
        "<details><summary>Show the answer</summary><p>The answer is 3.</p>"
        "<pre>&lt;table&gt;</pre></details>"
    )


@pytest.mark.parametrize(
    ("arguments", "more", "words"),
    [
        (("", 1), {}, "question must be a text of at most 600 characters, got ''"),
        ((7, 1), {}, "question must be"),
        (("Q?", "b"), {}, r"finite number \(or give choices or order\), got .b."),
        (("Q?", math.nan), {}, "answer must be a finite number"),
        (("Q?", True), {}, "answer must be a finite number"),
        (("Q?", [1, 2]), {}, "answer must be a finite number"),
        (("Q?", "c"), {"choices": ["a", "b"]}, "answer must be one of a, b, got 'c'"),
        (("Q?", True), {"choices": ["a", "True"]}, "answer must be one of a, True, got True"),
        (("Q?", "a"), {"choices": ["a"]}, "choices must be 2 to 12 different texts or numbers"),
        (("Q?", "a"), {"choices": "ab"}, "choices must be 2 to 12 different"),
        (("Q?", "a"), {"choices": ["a", "a"]}, "choices must be 2 to 12 different"),
        (("Q?", "a"), {"choices": 7}, "choices must be 2 to 12 different"),
        (("Q?", "a"), {"order": ["a", "b"]}, r"answer must be the items of order \(a, b\)"),
        (("Q?", ["a"]), {"order": ["a", "b"]}, "answer must be the items of order"),
        (("Q?", "a"), {"order": ["a"], "choices": ["a"]}, "order must be left out"),
        (("Q?", 1), {"unit": 3}, "unit must be a text of at most 30 characters, got 3"),
        (("Q?", 1), {"tolerance": 0}, "tolerance must be a number above 0, got 0"),
        (("Q?", 1), {"tolerance": True}, "tolerance must be a number above 0"),
        (("Q?", "a"), {"choices": ["a", "b"], "tolerance": 1}, "tolerance must be left out"),
        (("Q?", 1), {"beliefs": ["x"]}, "beliefs must be a dictionary of at most 12 wrong"),
        (("Q?", 1), {"beliefs": {2: ""}}, "beliefs must be sentences of at most 300"),
        (("Q?", 1), {"beliefs": {"a": "x"}}, "answer must be a finite number"),
        (("Q?", 1), {"beliefs": {1.2: "x"}, "tolerance": 0.5}, "about guesses that are wrong"),
        (("Q?", "a"), {"choices": ["a", "b"], "beliefs": {"c": "x"}}, "must be one of a, b"),
        (("Q?", "a"), {"choices": ["a", "b"], "beliefs": {"a": "x"}}, "that are wrong"),
        (("Q?", ["b", "a"]), {"order": ["a", "b"], "beliefs": {"a": "x"}}, "as tuples"),
        (("Q?", 1), {"reveal": "x" * 20_001}, "reveal must be a text of at most 20000"),
    ],
)  # fmt: skip
def test_bad_input_is_named_with_what_is_expected(arguments, more, words):
    with pytest.raises(ValueError, match=f"predict: .*{words}"):
        predict(*arguments, **more)
