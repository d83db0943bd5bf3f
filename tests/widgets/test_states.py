"""What each widget's state may be, a bad value named, and which weights each sends."""

import base64
import json
import re

import pytest

from attention_course import widgets
from attention_course.site.assets import MODELS, write_models
from attention_course.widgets.live_training.widget import STEPS

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
    ("ImageAsker", "contents", [8] * 8, ""),
    ("ImageAsker", "contents", [9] * 9, ""),
    ("ImageAsker", "photograph", 0, ""),
    ("ImageAsker", "question", 7, ""),
    ("ImageAsker", "question", "w" * 61, ""),
    ("ImageAsker", "first", 10, ""),
    ("ImageAsker", "second", -1, ""),
    ("ImageAsker", "brush", 9, ""),
    ("ImageAsker", "loaded", 1, ""),
    ("ImageLooker", "picture", 11, ""),
    ("ImageLooker", "layer", 3, ""),
    ("ImageLooker", "head", -1, ""),
    ("ImageLooker", "asks", 50, ""),
    ("ImageLooker", "covered", [49], ""),
    ("ImageLooker", "swapped", [1, 2, 3], ""),
    ("ImageLooker", "silent", [8], ""),
    ("ImageLooker", "blade", "mask", ""),
    ("ImageLooker", "drawn", [784], ""),
    ("ImageLooker", "loaded", 1, ""),
    ("KernelLab", "gpu", "T4", "one of 'sm_80', 'sm_90'"),
    ("KernelLab", "d", 96, "one of 64, 128, got 96"),
    ("KernelLab", "block_q", 32, "one of 64, 128, got 32"),
    ("KernelLab", "block_k", 256, "one of 32, 64, 128, got 256"),
    ("KernelLab", "warps", 16, "one of 4, 8, got 16"),
    ("KernelLab", "stages", 0, "one of 1, 2, 3, 4, got 0"),
    ("LiveTraining", "seed", -1, ""),
    ("LiveTraining", "seed", 1000, ""),
    ("LiveTraining", "step", STEPS + 1, ""),
    ("LiveTraining", "step", "all", ""),
    ("LivingSentence", "sentence", "  ", ".*English text of 1 to 48 words"),
    ("LivingSentence", "sentence", "and " * 49, ".*English text of 1 to 48 words"),
    ("LivingSentence", "sentence", "a" * 301, ".*at most 300 characters"),
    ("LivingSentence", "view", "dreams", ".*'queries', 'scale'"),
    ("LivingSentence", "layer", 5, ".*a whole number from 1 to 4"),
    ("LivingSentence", "cuts", ["head-1-5"], '.*a list of cuts such as "head-1-2"'),
    ("LivingSentence", "blade", "knife", ".*'zero', 'mean'"),
    ("LivingSentence", "exchanged", [1, 2, 3], ".*two places from 0 to 47, or none"),
    ("LivingSentence", "alive", 1, ".*True or False"),
    ("MaskPainter", "mask", "all", "6 rows of 6 numbers 0 or 1"),
    ("MaskPainter", "mask", [[1]], "6 rows of 6"),
    ("MaskPainter", "mask", [[2] * 6] * 6, "6 rows of 6"),
    ("MaskPainter", "mask", None, "6 rows of 6"),
    ("MaskPainter", "rule", "guess", "one of 'right', 'after'"),
    ("MaskPainter", "token", 0, "a whole number from 1 to 6"),
    ("MaskPainter", "output", 7, "a whole number from 1 to 6"),
    ("MaskPainter", "seed", -1, "a whole number from 0 to 99"),
    ("PositionClocks", "kind", "learned", "one of 'sinusoidal'"),
    ("PositionClocks", "content", "odd", "one of 'alike'"),
    ("PositionClocks", "query_at", 97, "a whole number from 0 to 96"),
    ("PositionClocks", "key_at", -1, "a whole number from 0 to 96"),
    ("PositionClocks", "d", 6, "one of 4"),
    ("Roofline", "n", 0, "a whole number from 1 to 1048576, got 0"),
    ("Roofline", "variant", "flash", "one of"),
    ("Roofline", "device", "TPU", "one of 'T4'"),
    ("Roofline", "dtype", "fp8", "one of"),
    ("Roofline", "causal", 1, "True or False"),
    ("Roofline", "block", 8, "a whole number from 16 to 512, got 8"),
    ("Roofline", "group", 3, "a divisor of heads, 16, got 3"),
    ("SaturationLab", "d_k", "abc", "a whole number from 1 to 4096, got 'abc'"),
    ("SaturationLab", "d_k", 0, ""),
    ("SaturationLab", "n_keys", 1, "a whole number from 2 to 32, got 1"),
    ("SaturationLab", "scale", "sqrt", "one of 'none', 'sqrt_d_k'"),
    ("SaturationLab", "spread", 0, "a number from 0.001 to 1000, got 0"),
    ("SaturationLab", "number_format", "int8", "one of"),
    ("SaturationLab", "offsets", ["x"], "a list"),
    ("RecurrentFamily", "sentence", "and " * 61, "English text of 1 to 60 words"),
    (
        "PictureTeller",
        "left",
        "big pink coat",
        "size, colour and garment, as 'big red pullover'",
    ),
    ("PictureTeller", "right", "coat", "size, colour and garment"),
    ("PictureTeller", "way", "cut", "one of 'soft', 'hard', 'even', got 'cut'"),
    ("PictureTeller", "task", "tell", "one of 'captions', 'questions', got 'tell'"),
    ("PictureTeller", "question", "w" * 61, "a question of at most 60 characters"),
    ("PictureTeller", "word", 14, "a whole number from 1 to 13"),
    ("PictureTeller", "turned", [99], "at most 13 numbers from 0 to 98"),
    ("RecurrentFamily", "chosen", 61, "a whole number from 0 to 60, got 61"),
    ("Serving", "way", "at random", "one of 'one by one'"),
    ("Serving", "cache", 65, "a whole number from 1 to 64, got 65"),
    ("Serving", "budget", 8, "a whole number from 64 to 8192, got 8"),
    ("Serving", "speed", 0, "a whole number from 1 to 32, got 0"),
    ("Serving", "window", 5, "a whole number from 1 to 4, got 5"),
    ("Serving", "short", "weep", "one of 'recompute'"),
    ("Serving", "gpus", "three GPUs", "one of 'one GPU'"),
    ("Serving", "prompts", "long", "one of 'as they came'"),
    ("Temperature", "temperature", 0.5, "a number from 1 to 100, got 0.5"),
    ("TilePipeline", "device", "T4", "one of .A100 SXM."),
    ("TilePipeline", "d", 256, "one of 64, 128, got 256"),
    ("TilePipeline", "tiles", 3, "one of 1, 2, got 3"),
    ("TilePipeline", "ahead", 1, "True or False"),
    ("TilePipeline", "polynomial", 60, "a whole number from 0 to 50"),
    ("TilePipeline", "conditional", "on", "True or False"),
    ("Temperature", "temperature", "hot", "a number"),
    ("Temperature", "scores", [1], "2 to 8 numbers from -1000 to 1000, got .1."),
    ("Temperature", "scores", [1, float("nan")], ""),
    ("Temperature", "scores", [1, True], ""),
    ("Temperature", "words", ["a", "b"], "4 words, one for each"),
    ("Temperature", "words", ["a", "a", "b", "c"], "different words"),
    ("WorldPlayer", "sentence", "  ", "English text of 1 to 60 words"),
    ("WorldPlayer", "sentence", "a" * 301, ".*at most 300 characters"),
    ("WorldPlayer", "model", "google", ".*'attention', 'transformer', 'transformer_2'"),
    ("WorldPlayer", "models", [], "a list of models"),
    ("WorldPlayer", "moves", [[1]], "a list of pairs"),
    ("WorldPlayer", "forbidden", [60], "a list of numbers from 0 to 59"),
    ("WorldPlayer", "silent", [8], "a list of numbers from 0 to 7"),
    ("WorldPlayer", "head", 5, "a whole number from 0 to 4"),
    ("WorldPlayer", "blade", "silent", "one of 'zero', 'mean', 'other'"),
]


@pytest.mark.parametrize(("name", "trait", "bad", "expected"), BAD)
def test_a_bad_value_is_refused_with_what_is_expected(name, trait, bad, expected):
    with pytest.raises(ValueError, match=f"{name}: {trait} must be {expected}"):
        getattr(widgets, name)(**{trait: bad})


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("ImageAsker", 100_000),
        ("ImageLooker", 100_000),
        ("LivingSentence", 300_000),
        ("PictureTeller", 400_000),
        ("RecurrentFamily", 2_000_000),
        ("WorldPlayer", 2_000_000),
    ],
)
def test_python_and_the_scripts_beside_a_page_send_the_same_weights(name, most, tmp_path):
    widget, sent = getattr(widgets, name)(), []
    widget.send = lambda content, buffers: sent.append((content, *buffers))
    write_models(tmp_path, MODELS[widget.key])
    assert {path.stem for path in tmp_path.glob("*.js")} == {*MODELS[widget.key]}
    for model in MODELS[widget.key]:
        widget._answer(widget, {"model": model}, [])
        text = (tmp_path / f"{model}.js").read_text("utf-8")
        found = re.fullmatch(r"\(globalThis\.acModels \?\?= {}\)\.(\w+) = (.*);\n", text)
        assert found[1] == model
        assert sent.pop() == ({"model": model}, base64.b64decode(json.loads(found[2])))
        assert len(text) < most
