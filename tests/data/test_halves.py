"""Arrays as text in half precision: they come back, and a wrong shape is refused."""

import numpy as np
import pytest

from attention_course.data.halves import pack_halves, unpack_halves


@pytest.mark.parametrize("shape", [(3,), (2, 3, 4), ()])
def test_they_come_back_to_three_digits(shape):
    x = np.random.RandomState(0).rand(*shape)
    back = unpack_halves(pack_halves(np.asarray(x)))
    np.testing.assert_allclose(back, x, rtol=1e-3)
    assert back.shape == shape
    assert back.dtype == float


def test_another_shape_is_refused():
    stored = pack_halves(np.ones(4)) | {"shape": [5]}
    with pytest.raises(ValueError, match=r"must hold \[5\] numbers, got 4"):
        unpack_halves(stored)
