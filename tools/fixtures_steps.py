"""Fixtures of the widgets that go through attention itself: steps, scores, masks, heads."""

from typing import Any

import numpy as np
from fixtures_plain import plain

from attention_course import reference
from attention_course.data.covered_letters import letter_words
from attention_course.data.tensors import load_checkpoint
from attention_course.reference.transformer.mask_errors import RULES
from attention_course.widgets import (
    HardChoice,
    HeadsSideBySide,
    LocalWindow,
    MaskPainter,
    PositionClocks,
    ScoreResponse,
    Stepper,
)
from attention_course.widgets.clocks.widget import CONTENTS
from attention_course.widgets.clocks.widget import KINDS as POSITIONS
from attention_course.widgets.hard_choice.widget import ESTIMATORS
from attention_course.widgets.heads import pack_heads
from attention_course.widgets.local_window.widget import KINDS
from attention_course.widgets.mask_painter.widget import PRESETS
from attention_course.widgets.stepper.examples import EXAMPLES
from attention_course.widgets.stepper.widget import SCALES


def self_attention() -> list[dict[str, Any]]:
    """Return sentences with the stages of their self-attention."""
    draw = np.random.RandomState(5)
    pool = ["the", "The", "bank", "river", "don't", "naïve", "数", "é", "7", "cat-like", "a"]
    rows = []
    for i in range(45):
        words = [pool[w] for w in draw.randint(0, len(pool), draw.randint(1, 10))]
        setting = {
            "text": draw.choice([" ", ", ", "... ", "\u00a0"]).join(words) + "?",
            "d_k": int(draw.randint(1, 9)),
            "d_v": int(draw.randint(1, 9)),
            "seed": int(draw.choice([0, 1, 18, 2**32 - 1])),
            "mask": reference.labs.sentence.MASKS[i % 3],
            "positions": bool(draw.randint(2)),
        }
        stages = reference.sentence_attention(**setting)
        kept = ("q", "masked", "weights", "context")
        numbers = {name: plain(stages[name]) for name in kept}
        rows.append({"setting": setting, "words": stages["words"], "numbers": numbers})
    return rows


def score_response() -> list[dict[str, Any]]:
    """Return settings of the response widget with the scores and weights of every score."""
    draw = np.random.RandomState(6)
    rows = []
    for i in range(120):
        setting = {
            "angle": float(draw.randint(-36, 37) * 5),
            "length": float(np.round(10 ** draw.uniform(-1, 0.6), 3)),
            "d": (4, 16, 64, 256)[i % 4],
            "beta": float(np.round(10 ** draw.uniform(-0.3, 1.69), 3)),
            "seed": int(draw.randint(0, 10)),
        }
        rows.append({"setting": setting, "numbers": plain(ScoreResponse(**setting).readouts())})
    return rows


def local_window() -> list[dict[str, Any]]:
    """Return windows on rows of scores: every kind, whole and broken centres, both ends."""
    draw = np.random.RandomState(10)
    rows = []
    for i in range(80):
        n = int(draw.randint(3, 17))
        centre = float(draw.choice([draw.uniform(0, 15), draw.randint(0, 16)]))
        setting = {
            "words": [f"w{j}" for j in range(n)],
            "scores": draw.uniform(-4, 4, n).round(2).tolist(),
            "kind": KINDS[i % 4],
            "centre": round(centre, 1),
            "half_width": int(draw.randint(1, 11)),
        }
        rows.append({"setting": setting, "numbers": plain(LocalWindow(**setting).readouts())})
    return rows


def clocks() -> list[dict[str, Any]]:
    """Return a query and a key at many places, under every kind of position."""
    draw = np.random.RandomState(12)
    rows = []
    for i in range(36):
        setting = {
            "kind": POSITIONS[i % 3],
            "content": CONTENTS[i // 3 % 3],
            "query_at": int(draw.randint(0, 97)),
            "key_at": int(draw.randint(0, 97)),
            "d": (4, 8, 16)[i // 12 % 3],
        }
        numbers = PositionClocks(**setting).readouts()
        rows.append({"setting": setting, "numbers": plain(numbers)})
    return rows


def hard_choice() -> list[dict[str, Any]]:
    """Return sampled choices with their estimates, for every estimator."""
    draw = np.random.RandomState(11)
    rows = []
    for i in range(48):
        n = int(draw.randint(2, 7))
        setting = {
            "scores": draw.uniform(-3, 3, n).round(2).tolist(),
            "rewards": draw.uniform(-6, 2, n).round(2).tolist(),
            "shift": float(draw.randint(-10, 21)),
            "estimator": ESTIMATORS[i % 4],
            "samples": int(draw.choice([10, 30, 100, 300])),
            "tau": round(float(10 ** draw.uniform(-0.9, 0.6)), 3),
            "seed": int(draw.randint(1000)),
        }
        rows.append({"setting": setting, "numbers": plain(HardChoice(**setting).readouts())})
    return rows


def mask_painter() -> list[dict[str, Any]]:
    """Return masks, by name and painted, under every rule, with all that is shown."""
    draw = np.random.RandomState(10)
    rows = []
    for rule in RULES:
        painted = [(draw.random_sample((6, 6)) < share).astype(int) for share in (0.3, 0.7)]
        painted[0][2] = 0
        for mask in [*PRESETS.values(), *(p.tolist() for p in painted)]:
            state = {
                "mask": mask,
                "rule": rule,
                "token": int(draw.randint(1, 7)),
                "output": int(draw.randint(1, 7)),
                "seed": int(draw.randint(0, 100)),
            }
            rows.append({"setting": state, "numbers": plain(MaskPainter(**state).readouts())})
    return rows


def heads() -> list[dict[str, Any]]:
    """Return held-out words, and what the trained heads do with some others."""
    draw = np.random.RandomState(4)
    _, test = letter_words(np.random.RandomState(0))
    models = pack_heads(load_checkpoint("heads/covered_letters")[0])
    rows: list[dict[str, Any]] = [{"words": test[:12]}]
    for i in range(40):
        n_heads = (1, 2, 4, 8)[i % 4]
        word = test[100 + i]
        setting = {
            "word": word,
            "place": int(draw.randint(1, len(word) + 1)),
            "n_heads": n_heads,
            "silent": np.flatnonzero(draw.random_sample(n_heads) < 0.3).tolist(),
        }
        numbers = HeadsSideBySide(models=models, words=test[:12], **setting).readouts()
        rows.append({"setting": setting, "numbers": plain(numbers)})
    return rows


def stepper() -> list[dict[str, Any]]:
    """Return the examples with every choice: their numbers and the sentence of each step."""
    rows = []
    for name, example in EXAMPLES.items():
        plan = Stepper(example=name).plan
        rows.append({"example": name, "plan": plan | {"drawing": ""}, "played": []})
        for word in range(len(example.words) if example.ask else 1):
            for scale in SCALES if example.scale else ("none",):
                widget = Stepper(example=name, word=word, scale=scale)
                played = {"word": word, "scale": scale, "sentences": widget.sentences()}
                numbers = widget.numbers()
                said = {
                    name: numbers.pop(name) for name in ("words", "factor") if name in numbers
                }
                rows[-1]["played"].append(played | {"numbers": plain(numbers) | said})
    return rows


FIXTURES = {
    "self_attention": self_attention,
    "score_response": score_response,
    "local_window": local_window,
    "clocks": clocks,
    "hard_choice": hard_choice,
    "mask_painter": mask_painter,
    "heads": heads,
    "stepper": stepper,
}
