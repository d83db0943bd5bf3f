"""Write what JavaScript must reproduce: numbers from ``attention_course.reference``.

    python tools/make_fixtures.py

The files in ``tests/js/fixtures`` are committed; a test makes them again and compares.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from fixtures import limits, models, prediction, roofline, serving, steps, temperature
from fixtures.as_json import as_json

from attention_course import reference
from attention_course.reference.labs.saturation import SCALES, TYPICAL
from attention_course.reference.number_formats import FORMATS
from attention_course.widgets import AttentionPlane
from attention_course.widgets.saturation_lab.widget import SIZES

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "js" / "fixtures"
SEEDS = (0, 1, 7)
WIDTHS = [1, 2, 3, 5, 16, 33, 63, 64, 65, 100, 127, 128, 300, 512]
WIDTHS += [1024, 2048, 3001, 4095, 4096]


def settings() -> Iterator[dict[str, Any]]:
    """Yield the settings of the grid: every width, scale and format, the rest drawn."""
    draw = np.random.RandomState(2017)
    for d_k in WIDTHS:
        for scale in SCALES:
            for number_format in FORMATS:
                moved = draw.uniform(-5, 5, draw.randint(0, 5)).round(2).tolist()
                yield {
                    "d_k": d_k,
                    "n_keys": int(draw.choice([2, 3, 5, 16, 31, 32])),
                    "scale": scale,
                    "scale_value": round(float(10 ** draw.uniform(-3, 0.5)), 4),
                    "spread": round(float(10 ** draw.uniform(-1, 1)), 3),
                    "number_format": number_format,
                    "seed": int(draw.choice(SEEDS)),
                    "query": TYPICAL if d_k % 2 else int(draw.randint(0, 256)),
                    "offsets": moved,
                }
    plain = {
        "scale_value": 1.0,
        "seed": 0,
        "query": 0,
        "offsets": [],
        "number_format": "float16",
    }
    for n_keys in (2, 32):  # float16 overflows: some queries, then nearly all
        for spread in (300.0, 1000.0):
            wide = {"d_k": 4096, "n_keys": n_keys, "scale": "none", "spread": spread}
            yield from (plain | wide | {"query": query} for query in (0, TYPICAL))
    last = {"query": 255, "number_format": "float32", "offsets": [0.0] * 15 + [40.0]}
    yield plain | last | {"d_k": 64, "n_keys": 16, "scale": "none", "spread": 1.0}


def saturation() -> list[dict[str, Any]]:
    """Return each setting with all that the lab shows for it."""
    order = sorted(settings(), key=lambda s: (s["seed"], s["number_format"]))
    rows = [{"setting": s, "numbers": as_json(reference.saturation(**s))} for s in order]
    for row in (row for i, row in enumerate(rows) if i % 36):
        row["numbers"].pop("queries")  # 512 numbers: some rows have them
    return rows


def lab() -> dict[str, Any]:
    """Return what the lab's script is told of its mathematics."""
    return SIZES


def formats() -> dict[str, list]:
    """Return numbers with their roundings: random bits, ties, subnormals, overflow."""
    draw = np.random.RandomState(754)
    size = 2.0 ** draw.uniform(-30, 20, 400)
    spread_out = size * draw.choice([-1.0, 1.0], 400)
    bits = draw.randint(0, 2**32, 300, dtype=np.uint64).astype(np.uint32).view(np.float32)
    halves = np.arange(-40, 41) / 2.0
    ties = np.concatenate(
        [1 + halves * 2.0**-p for p in (7, 8, 10, 11, 23, 24)]
        + [halves * 2.0**-24, 2.0**-14 + halves * 2.0**-25, 65504 + halves * 2, 65520 + halves]
    )
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 3.4e38, 3.5e38, -1e300, 5e-324])
    x = np.concatenate([spread_out, bits.astype(np.float64), ties, special])
    return {"x": as_json(x, None)} | {
        name: as_json(reference.round_to(x, name), None) for name in FORMATS
    }


def randoms() -> list[dict[str, Any]]:
    """Return the first draws of some seeds, and far ones."""
    rows = []
    for seed in (0, 1, 7, 42, 2**32 - 1):
        draws = np.random.RandomState(seed).standard_normal(3000)
        uniform = np.random.RandomState(seed).random_sample(4)
        rows.append(
            {
                "seed": seed,
                "first": as_json(draws[:8], None),
                "last": as_json(draws[-2:], None),
                "uniform": as_json(uniform, None),
            }
        )
    return rows


def attention() -> dict[str, list[dict[str, Any]]]:
    """Return scores, weights and contexts of every size, mask and scale; and the softmax's."""
    draw = np.random.RandomState(17)
    rows = []
    for i in range(48):
        n_queries, n_keys, d_k, d_v = (int(n) for n in draw.randint(1, 8, 4))
        q, k = draw.standard_normal((n_queries, d_k)), draw.standard_normal((n_keys, d_k))
        v = draw.standard_normal((n_keys, d_v))
        mask = draw.random_sample((n_queries, n_keys)) < 0.5 if i % 3 else None
        scale = (None, 1.0, 30.0, 0.01)[i % 4]
        context, weights = reference.scaled_dot_product_attention(q, k, v, mask, scale=scale)
        row = {"q": q, "k": k, "v": v, "weights": weights, "context": context}
        row |= {"scores": reference.dot_scores(q, k)}
        row |= {"scaled": reference.scaled_dot_scores(q, k, scale)}
        if mask is not None:
            row |= {"mask": mask.astype(int)}
        rows.append({name: as_json(x, None) for name, x in row.items()} | {"scale": scale})
    return {"attention": rows, "softmax": _softmax()}


def _softmax() -> list[dict[str, Any]]:
    """Return softmax, Jacobian, its norm, entropy and quantiles of some scores."""
    draw = np.random.RandomState(3)
    rows = []
    for n, spread in ((2, 1.0), (3, 0.1), (5, 10.0), (7, 40.0), (16, 1.0), (4, 0.0)):
        x = draw.standard_normal(n) * spread
        p = reference.softmax(x)
        jacobian = reference.softmax_jacobian(p)
        rows.append(
            {
                "x": as_json(x, None),
                "softmax": as_json(p, None),
                "jacobian": as_json(jacobian, None),
                "norm": float(np.sqrt((jacobian**2).sum())),
                "entropy": float(reference.entropy(p)),
                "quantiles": as_json(np.quantile(x, [0, 0.25, 0.5, 0.99, 1]), None),
            }
        )
    return rows


def plane() -> list[dict[str, Any]]:
    """Return settings of the plane with scores, weights, entropy and context."""
    draw = np.random.RandomState(2)
    rows = []
    for i in range(210):
        score = ("dot", "scaled", "cosine")[i % 3]
        points = draw.uniform(-5, 5, (draw.randint(3, 8), 2)).round(1)
        if i % 20 == 0:
            points[0] = 0.0  # a query without direction
        temperature = float(np.round(10 ** draw.uniform(-1, 1), 3))
        setting = {
            "query": points[0].tolist(),
            "key_points": points[1:].tolist(),
            "score": score,
            "temperature": temperature,
        }
        rows.append(
            {"setting": setting, "numbers": as_json(AttentionPlane(**setting).readouts())}
        )
    return rows


MADE = (
    {
        "saturation": saturation,
        "lab": lab,
        "formats": formats,
        "randoms": randoms,
        "attention": attention,
        "plane": plane,
    }
    | steps.FIXTURES
    | temperature.FIXTURES
    | limits.FIXTURES
    | models.FIXTURES
    | prediction.FIXTURES
    | roofline.FIXTURES
    | serving.FIXTURES
)


def main() -> None:
    """Write the files."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, make in MADE.items():
        text = json.dumps(make(), separators=(",", ":"), allow_nan=False)
        # A line for each row, so that a change shows in a diff.
        text = text.replace('},{"', '},\n{"')
        path = FOLDER / f"{name}.json"
        path.write_text(text + "\n", encoding="utf-8")
        print(f"{path.name}: {path.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
