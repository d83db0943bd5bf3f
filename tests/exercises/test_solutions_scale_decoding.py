"""The solutions about parts of the keys and pages equal the package's reference."""

import numpy as np
import pytest
import torch

from attention_course.exercises import exercise_named
from attention_course.exercises.examine import generator, judge, observe, right_outcome
from attention_course.exercises.runner import load
from attention_course.kernels.paged import PagedCache
from attention_course.reference import merge_partials, partial_attention

SLUGS = ("split-kv", "paged-cache")


def solution(slug):
    exercise = exercise_named(slug)
    return load(exercise.solution)[exercise.target]


@pytest.mark.parametrize("shape", [(5,), (2, 3), ()])
def test_merged_parts_are_those_of_the_reference(shape):
    rng = np.random.default_rng(4)
    contexts, log_sums = rng.standard_normal((3, *shape, 4)), rng.standard_normal((3, *shape))
    found = solution("split-kv")(contexts, log_sums)
    if not shape:
        contexts, log_sums = contexts[:, None], log_sums[:, None]
    wanted = merge_partials(contexts, log_sums)
    for x, y in zip(found, wanted, strict=True):
        assert np.allclose(x, y.reshape(x.shape))


def test_parts_of_real_keys_are_merged_into_attention():
    rng = np.random.default_rng(5)
    q, k, v = (rng.standard_normal(s) for s in ((2, 6), (11, 6), (11, 3)))
    parts = [partial_attention(q, k[i : i + 4], v[i : i + 4]) for i in range(0, 11, 4)]
    contexts, log_sums = map(np.stack, zip(*parts, strict=True))
    context, log_sum = solution("split-kv")(contexts, log_sums)
    whole = partial_attention(q, k, v)
    assert np.allclose(context, whole[0])
    assert np.allclose(log_sum, whole[1])


def test_pages_hold_what_the_paged_cache_of_the_course_holds():
    rng, pages = np.random.default_rng(6), solution("paged-cache")(9, 3)
    cache, texts = PagedCache(9, 3, 1, 2, dtype=torch.float64), {}

    def append(text, n):
        for _ in range(n):
            x = rng.standard_normal(2)
            pages.append(text, x)
            if text not in texts:
                texts[text] = cache.start()
            row = torch.from_numpy(x)[None, None]
            cache.append(texts[text], row, row)

    append(0, 4)
    append(1, 2)
    pages.fork(0, 2)
    texts[2] = cache.fork(texts[0])
    append(2, 3)
    append(0, 1)
    for text, theirs in texts.items():
        blocks = cache.tables[theirs]
        kept = torch.cat([cache.k[b, 0] for b in blocks])[: cache.lengths[theirs]]
        assert pages.table(text).tolist() == blocks
        assert np.array_equal(pages.read(text), kept.numpy())
    assert pages.n_free == cache.blocks.n_free


def holds(exercise, defined, seed):
    """Return whether an answer holds every property on inputs that nobody has seen."""
    for probe in exercise.probes:
        calls = list(probe.calls(generator(str(seed), probe.name)))
        expected = right_outcome(exercise, probe, calls)
        if judge(exercise, probe, expected, observe(exercise, probe, defined, calls)):
            return False
    return True


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("slug", SLUGS)
def test_other_inputs_judge_every_answer_in_the_same_way(slug, seed):
    exercise = exercise_named(slug)
    passed = [w.name for w in exercise.wrong if holds(exercise, _load(exercise, w), seed)]
    failed = [o.name for o in exercise.right if not holds(exercise, _load(exercise, o), seed)]
    assert (passed, failed) == ([], [])


def _load(exercise, answer):
    return load(exercise.source_of(answer))
