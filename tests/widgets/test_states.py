"""What each widget's state may be: a bad value is named, with what is expected."""

import pytest

from attention_course import widgets

# Widget, trait, bad value, what the error says it must be.
BAD = [
    ("AttentionPlane", "query", [9, 0], "two numbers from -5 to 5"),
    ("AttentionPlane", "query", "up", "two numbers"),
    ("AttentionPlane", "key_points", [[0, 1]], "2 to 6 pairs"),
    ("AttentionPlane", "key_points", [[0, 1, 2], [0, 1, 2]], "2 to 6 pairs"),
    ("AttentionPlane", "score", "mean", "one of 'dot', 'scaled', 'cosine'"),
    ("AttentionPlane", "temperature", 0, "a number from 0.1 to 10"),
    ("GpuAttention", "d", 128, ""),
    ("GpuAttention", "heads", 3, ""),
    ("GpuAttention", "longest", 100, ""),
    ("GpuAttention", "causal", 1, ""),
    ("HardChoice", "rewards", [1.0, 2.0], "one for each of 5 scores"),
    ("HardChoice", "scores", [99, 0], "2 to 6 numbers from -10 to 10"),
    ("HardChoice", "estimator", "guess", "one of 'plain'"),
    ("HardChoice", "samples", 5, "a whole number from 10 to 10000"),
    ("HardChoice", "tau", 0, "a number from 0.1 to 5"),
    ("HeadsSideBySide", "word", "Attention", "a word of 4 to 12 letters a to z"),
    ("HeadsSideBySide", "word", "the", "a word of 4 to 12 letters"),
    ("HeadsSideBySide", "place", 0, "a whole number from 1 to 12"),
    ("HeadsSideBySide", "n_heads", 99, "a whole number from 1 to 16"),
    ("HeadsSideBySide", "silent", [-1], "a list of heads from 0 to 15"),
    ("HeadsSideBySide", "blade", "cut", "one of 'zero', 'mean', 'other'"),
    ("KernelLab", "gpu", "T4", "one of 'sm_80', 'sm_90'"),
    ("KernelLab", "d", 96, "one of 64, 128, got 96"),
    ("KernelLab", "block_q", 32, "one of 64, 128, got 32"),
    ("KernelLab", "block_k", 256, "one of 32, 64, 128, got 256"),
    ("KernelLab", "warps", 16, "one of 4, 8, got 16"),
    ("KernelLab", "stages", 0, "one of 1, 2, 3, 4, got 0"),
    ("LocalWindow", "scores", [1.0], "3 to 16 numbers"),
    ("LocalWindow", "scores", [1.0] * 5, "one for each of 14 words"),
    ("LocalWindow", "words", "abc", "3 to 16 words"),
    ("LocalWindow", "kind", "local-q", "one of 'global'"),
    ("LocalWindow", "centre", 20, "a number from 0 to 15"),
    ("LocalWindow", "half_width", 0, "a whole number from 1 to 10"),
    ("Roofline", "n", 0, "a whole number from 1 to 1048576, got 0"),
    ("Roofline", "variant", "flash", "one of"),
    ("Roofline", "device", "TPU", "one of 'T4'"),
    ("Roofline", "dtype", "fp8", "one of"),
    ("Roofline", "causal", 1, "True or False"),
    ("Roofline", "block", 8, "a whole number from 16 to 512, got 8"),
    ("Roofline", "group", 3, "a divisor of heads, 16, got 3"),
    ("Temperature", "temperature", 0.5, "a number from 1 to 100, got 0.5"),
    ("Temperature", "temperature", "hot", "a number"),
    ("Temperature", "scores", [1], "2 to 8 numbers from -1000 to 1000, got .1."),
    ("Temperature", "scores", [1, float("nan")], ""),
    ("Temperature", "scores", [1, True], ""),
    ("Temperature", "words", ["a", "b"], "4 words, one for each"),
    ("Temperature", "words", ["a", "a", "b", "c"], "different words"),
]


@pytest.mark.parametrize(("name", "trait", "bad", "expected"), BAD)
def test_a_bad_value_is_refused_with_what_is_expected(name, trait, bad, expected):
    with pytest.raises(ValueError, match=f"{name}: {trait} must be {expected}"):
        getattr(widgets, name)(**{trait: bad})
