"""The trained weights that the heads widget carries, and those that it refuses."""

import numpy as np
import pytest

from attention_course.data.tensors import load_checkpoint
from attention_course.widgets import HeadsSideBySide
from attention_course.widgets.heads import pack_heads

ARRAYS, ABOUT = load_checkpoint("heads/covered_letters")


def test_the_weights_name_the_script_that_made_them():
    assert ABOUT == {"script": "benchmarks/multi_head.py", "seed": "0"}


def test_a_model_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="n_heads must be one of 1, 2, 4, 8, got 3"):
        HeadsSideBySide(models=pack_heads(ARRAYS), n_heads=3)


def test_bad_arrays_are_refused():
    with pytest.raises(ValueError, match="pack_heads: arrays must have names such"):
        pack_heads({"W_q": np.ones((2, 2))})
    with pytest.raises(ValueError, match="pack_heads: arrays must have the same shapes"):
        pack_heads({"1.b_1": np.ones(2), "2.b_1": np.ones(3)})
