"""The checker of annotations lets a function's own message come first."""

import numpy as np
import pytest
from beartype.roar import BeartypeCallHintViolation
from jaxtyping import TypeCheckError

from attention_course.data.parallel import split_words
from attention_course.reference import dot_scores


def test_the_functions_own_message_comes_first_where_a_test_waits_for_it():
    with pytest.raises(ValueError, match="dot_scores"):
        dot_scores(np.zeros((2, 3)), np.zeros((5, 4)))


def test_a_wrong_shape_is_noticed():
    with pytest.raises(TypeCheckError, match="parameter 'k'"):
        dot_scores.__wrapped__(np.zeros((2, 3)), np.zeros((5, 4)))


def test_a_wrong_type_is_noticed_where_nothing_has_a_shape():
    with pytest.raises((TypeCheckError, BeartypeCallHintViolation), match="parameter text=3"):
        split_words(3, "french")
