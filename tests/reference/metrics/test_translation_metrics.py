"""Alignment error rate and BLEU."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_course.reference.metrics.translation import (
    alignment_error_rate,
    bleu,
    hardest_links,
)

SENTENCES = st.lists(st.sampled_from("abc"), min_size=4, max_size=9)


def test_the_largest_weight_of_each_row_asked_about_makes_a_link():
    weights = np.array([[0.2, 0.8, 0.0], [0.5, 0.1, 0.4], [0.0, 0.0, 1.0]])
    assert hardest_links(weights, [0, 2]) == {(0, 1), (2, 2)}


@pytest.mark.parametrize(
    ("found", "rate"),
    [
        ({(0, 0), (1, 1)}, 0.0),
        ({(0, 0), (1, 1), (2, 4)}, 0.0),
        ({(0, 0)}, 1 - 2 / 3),
        ({(0, 3), (1, 3)}, 1.0),
        ({(0, 0), (1, 1), (2, 2)}, 1 - 4 / 5),
    ],
)
def test_error_rates_counted_by_hand(found, rate):
    sure = {(0, 0), (1, 1)}
    assert alignment_error_rate(found, sure, sure | {(2, 3), (2, 4)}) == pytest.approx(rate)


@given(st.lists(st.tuples(SENTENCES, SENTENCES), min_size=1, max_size=5))
def test_bleu_is_sacrebleus(pairs):
    metric = pytest.importorskip("sacrebleu.metrics").BLEU(
        tokenize="none", force=True, smooth_method="none"
    )
    written, wanted = ([pair[i] for pair in pairs] for i in (0, 1))
    theirs = metric.corpus_score([*map(" ".join, written)], [[*map(" ".join, wanted)]])
    assert bleu(written, wanted) == pytest.approx(theirs.score, abs=1e-9)
