"""The records of ``scale/decoding`` come from its script, and say what they measured."""

import decoding_cache as script
import numpy as np
import pytest

from attention_course.measure import recorded

TASKS = ["sixth", "whole"]


@pytest.mark.parametrize("task", TASKS)
def test_the_record_is_of_the_scripts_settings(task):
    rows, source = recorded(f"decoding_cache_{task}")
    assert source["script"] == f"benchmarks/decoding_cache.py {task}"
    assert (source["width"], source["heads"]) == (script.WIDTH, script.HEADS)
    assert (source["prompt"], source["temperature"]) == (script.PROMPT, script.TEMPERATURE)
    assert source["threads"] == 1
    for row, (length, ways, rounds) in zip(rows, script.RUNS[task], strict=True):
        assert {k: row[k] for k in ("blocks", "symbols")} == script.SHAPES[task]
        assert row["length"] == length
        assert {way: len(times) for way, times in row["seconds"].items()} == dict.fromkeys(
            ways, rounds
        )


@pytest.mark.parametrize("task", TASKS)
def test_all_ways_wrote_one_text_and_the_ratios_are_those_of_the_times(task):
    for row in recorded(f"decoding_cache_{task}")[0]:
        assert row["texts"] == 1
        assert row["different symbols"] > row["length"] / 2
        for way in [way for way in row["seconds"] if way != "in place"]:
            ratios = np.divide(row["seconds"][way], row["seconds"]["in place"])
            assert row[f"{way} / in place"] == pytest.approx(np.median(ratios), abs=1e-3)


def test_a_cache_saves_what_the_chapter_says():
    ratios = {r["length"]: r["nothing / in place"] for r in recorded("decoding_cache_sixth")[0]}
    assert ratios[256] >= 5
    assert ratios[1024] >= 8


def test_the_weights_are_those_of_the_shape():
    row = recorded("decoding_cache_sixth")[0][0]
    model = script.model_of(script.SHAPES["sixth"], row["length"])
    assert sum(p.numel() for p in model.parameters()) == row["weights"]
