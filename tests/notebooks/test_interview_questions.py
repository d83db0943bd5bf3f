"""The answers of the interview questions are right, by computation where that can be."""

import re
import tomllib

import numpy as np
import pytest
from rules.source import ROOT
from test_explanations import LINK

from attention_course.layers import MultiHeadAttention
from attention_course.reference import (
    additive_scores,
    attention_in_blocks,
    kv_cache_bytes,
    layer_costs,
    scaled_dot_product_attention,
    self_attention,
    sinusoidal_positions,
    softmax,
)
from attention_course.site import from_data

PAGE = ROOT / "book/practice/interview-questions.md"
DATA = tomllib.loads(PAGE.with_suffix(".toml").read_text("utf-8"))
QUIZ = {q["id"]: q for q in DATA["quiz"]}
OPEN = [q for kind in ("articles", "yourself", "today") for q in DATA[kind]]
CITED = re.compile(r"\[[^]]+\d{4}\]\(https://")
rng = np.random.RandomState(0)
q, k, v = rng.standard_normal((3, 6, 64))


def attention(q, k, v, mask):
    return scaled_dot_product_attention(q, k, v, mask)[0]


def slope(scores):
    p = softmax(np.array(scores, float))
    return np.abs(np.diag(p) - np.outer(p, p)).max()


def layer(x, seed, size=0.25):
    draw = np.random.RandomState(seed)
    return self_attention(x, *size * draw.standard_normal((3, 16, 16)))


def bank_outputs(layers):
    words = ["the", "money", "bank", "near", "the", "river", "bank"]
    x = np.array([np.random.RandomState(sum(w.encode())).standard_normal(16) for w in words])
    for seed in range(layers):
        x = layer(x, seed)[0]
    return x[2], x[6]


def weights_at_start(positions):
    x = np.random.RandomState(0).standard_normal((6, 16))
    return layer(x + positions * sinusoidal_positions(6, 16), 1, size=0.02)[1]


def entropy_at_start(positions):
    weights = weights_at_start(positions)
    return (-(weights * np.log(weights)).sum(-1) / np.log(6)).mean()


def spread(kind, width):
    draw = np.random.RandomState(0)
    q, k = draw.standard_normal((2, 200, width))
    if kind == "dot":
        return np.sum(q * k, axis=-1).std()
    W, U = draw.standard_normal((2, width, 16)) / width**0.5
    return additive_scores(q, k, W, U, np.full(16, 1 / 4)).std()


def parameters(n_heads):
    return sum(p.numel() for p in MultiHeadAttention(512, n_heads).parameters())


def with_guesses(kind):
    """What a model that counts on writes with guesses of a kind, and in how many passes."""
    text, passes = [0], 0
    while len(text) < 25:
        right = [(text[-1] + i) % 7 for i in range(1, 4)]
        ahead = {"none": [], "good": right, "bad": [9, 9, 9]}[kind]
        said = [(at + 1) % 7 for at in [text[-1], *ahead]]
        kept = next((i for i, g in enumerate(ahead) if g != said[i]), len(ahead))
        text, passes = [*text, *said[: kept + 1]], passes + 1
    return text[:25], passes


def plain_softmax(scores):
    exps = np.exp(scores - scores.max())
    return exps / exps.sum()


def in_blocks_differs():
    whole = scaled_dot_product_attention(q, k, v)[0]
    return np.abs(attention_in_blocks(q, k, v, 2)[0] - whole).max()


def draws_of_ten():
    scores = np.random.RandomState(0).standard_normal((1000, 10))
    return softmax(scores * np.linspace(0.1, 5, 1000)[:, None]).max(-1)


def projections(n):
    return np.subtract(
        *(layer_costs(x, n, 64).operations for x in ("self-attention", "dot-product"))
    )


KNOWN = globals() | {
    "may": np.tri(6, dtype=bool),
    "products": np.random.RandomState(0).standard_normal((2, 100_000, 64)).prod(0).sum(-1),
    "largest": draws_of_ten(),
    "scores": lambda n: layer_costs("dot-product", n, 64).functions,  # an exp for each
}


def complaints(question):
    """Say what is wrong with a question of the quiz."""
    options, amiss = question["option"], []
    if sum(bool(o.get("right")) for o in options) != 1 or len(options) < 3:
        amiss.append("not one right option of three or more")
    amiss += [f"no reply to {o['says']!r}" for o in options if len(o.get("because", "")) < 20]
    for option in options:
        right = option.get("right", False)
        found = eval(option["is"], KNOWN) if "is" in option else right
        if found != option["says"] if isinstance(found, str) else bool(found) is not right:
            amiss.append(f"{option['says']!r} is computed as {found!r}")
        key = eval(question.get("answer", "None"), KNOWN)
        if key and (key == option["says"]) != right:
            amiss.append(f"{option['says']!r} is marked the wrong way round")
    return amiss


@pytest.mark.parametrize("name", QUIZ)
def test_the_right_option_is_right_and_the_wrong_ones_are_wrong(name):
    assert complaints(QUIZ[name]) == []


def test_most_of_the_quiz_is_computed():
    computed = [q for q in QUIZ.values() if any("is" in option for option in q["option"])]
    assert len(QUIZ) >= 16
    assert len(computed) >= 12


def test_there_are_all_the_questions():
    asked = [q["id"] for q in OPEN]
    assert len(asked) == len({*asked}) == 16 + 4 + 18
    assert sum(q.get("repeats", 1) for q in DATA["articles"]) == 22
    assert all(LINK.search(q["link"]) for q in [*QUIZ.values(), *OPEN])
    assert all(CITED.search(q["answer"]) for q in DATA["today"])
    assert all(25 <= len(q["answer"].split()) <= 110 for q in OPEN)


@pytest.mark.parametrize("question", [q for q in OPEN if "numbers" in q], ids=lambda q: q["id"])
def test_the_numbers_of_an_answer_are_computed(question):
    for said, expression in question["numbers"].items():
        assert said in question["answer"]
        assert eval(expression, KNOWN) == said


def test_the_page_has_each_question_and_says_of_each_option():
    page = from_data.written(PAGE.read_text("utf-8"), PAGE.with_suffix(".toml"))
    assert all(f'<a id="quiz-{name}"></a>' in page for name in QUIZ)
    assert page.count("*right.*") == len(QUIZ)
    assert page.count("<details>") == page.count("</details>") == len(QUIZ) + len(OPEN)
    with pytest.raises(KeyError, match="nowhere"):
        from_data.written("<!-- from data: nowhere -->", PAGE.with_suffix(".toml"))
