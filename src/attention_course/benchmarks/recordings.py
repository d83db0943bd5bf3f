"""What was recorded on GPUs, as the end of a chapter prints it, or how to record it."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from attention_course.benchmarks.results import WIDTH, Results, _wrap, recorded, three_digits
from attention_course.kernels import triton_variants

__all__ = ["gpus", "on_record"]

# Which step of the ladder each step adds its trick to.
_BUILDS_ON = {b.name: a.name for a, b in pairwise(triton_variants.LADDER)}
_BUILDS_ON[triton_variants.TUNED.name] = triton_variants.DESCRIPTORS.name


def gpus(name: str) -> list[Results]:
    """Return a benchmark's results on every GPU on which they were recorded.

    Args:
        name: the benchmark's.

    Returns:
        The results; none where it was not yet recorded on a GPU.
    """
    return [found for found in recorded(name) if found.device["kind"] == "cuda"]


def on_record(*tables: str) -> str:
    """Say what was recorded on GPUs: the tables that a chapter names, for each GPU.

    A chapter prints this once, at its end, so that a file in ``data/recorded/devices`` is all
    that it takes to show a device.

    Args:
        *tables: "rates" of the forward pass over lengths, or "gradients": of both passes;
            "steps" of the ladder, "memory" over lengths, "reading" a cache, in "parts" or not,
            "kernels" that ran, "errors", "layers", "pictures" a second, or the "goals".

    Returns:
        The tables, or the command that records them.

    Raises:
        ValueError: if a table is something else.
    """
    from attention_course.benchmarks.runner import names

    for what in tables:
        if what not in _TABLES:
            raise ValueError(f"on_record: expected one of {list(_TABLES)}, got {what!r}")
    parts = []
    for what in tables:
        of, table = _TABLES[what]
        runs = {one.device["name"]: one for name in (of or names()) for one in gpus(name)}
        for one in runs.values():
            parts.append("\n".join([*_wrap(f"Recorded on {one.measured_on}."), *table(one)]))
    return "\n\n".join(parts) or (
        "Not yet recorded on a GPU. There, in the course's folder, this records it:\n"
        "  python benchmarks/gpu.py"
    )


def _goals(results: Results) -> list[str]:
    from attention_course.benchmarks.goals import everything_on, goals

    table = [["", "reached", "floor", "stretch"]]
    for goal in goals(everything_on(results)):
        asked = (goal.reached, goal.floor, goal.stretch)
        reached, floor, stretch = ("-" if x is None else f"{x:.2f}" for x in asked)
        if goal.most is not None:
            floor = f"{goal.floor:.1f}-{goal.most:.1f}"
        table.append([f"{goal.name:3} {goal.words}", reached, floor, stretch])
    return _columns(table)


def _rates(results: Results) -> list[str]:
    lines = ["Trillion operations a second:"]
    for size in _kinds(results, "d", "causal"):
        lines += ["", *_over_lengths(results, "TFLOP/s", size)]
    return lines + _missing(results)


def _pictures(results: Results) -> list[str]:
    lines = ["Pictures that are learned from in a second, by tokens of a picture:"]
    for size in _kinds(results, "d"):
        lines += ["", *_over_lengths(results, "pictures/s", size)]
    return lines + _missing(results)


def _memory(results: Results) -> list[str]:
    lines = ["Extra MB, forwards and backwards:"]
    for size in _kinds(results, "d", "causal"):
        if not size["causal"]:  # a mask changes nothing that is to be seen here
            lines += ["", *_over_lengths(results, "extra MB", size, doubled=True)]
    return lines + _missing(results)


def _steps(results: Results) -> list[str]:
    lines = _wrap(
        "Trillion operations a second, and times as fast as the step that it builds on "
        "(median of pairs, 95 % interval):"
    )
    for (d,) in (size.values() for size in _kinds(results, "d")):
        masks = [size["causal"] for size in _kinds(results, "causal")]
        table = [[f"d {d}", *(x for mask in masks for x in ("", _mask(mask)))]]
        for name in (*(step.name for step in triton_variants.LADDER), results.baseline):
            line = [name]
            for mask in masks:
                line += _step(results, name, {"d": d, "causal": mask})
            if any(line[1:]):
                table.append(line)
        lines += ["", *_columns(table)]
    return lines + _missing(results)


def _step(results: Results, name: str, size: Mapping[str, Any]) -> list[str]:
    """Return a step's rate, and its ratio to the step that it builds on."""
    _, rate = results.series(name, "n", "TFLOP/s", **size)
    if not rate:
        return ["", ""]
    try:
        times = results.ratio(_BUILDS_ON[name], name, **size)
    except (KeyError, ValueError):
        return [_number(rate[-1]), ""]
    low, high = (f"{x:.2f}" for x in (times.low, times.high))
    return [_number(rate[-1]), f"{times.value:.2f} ({low} to {high})"]


def _reading(results: Results) -> list[str]:
    n = max(size["n"] for size in _kinds(results, "n"))
    heads = [size["kv_heads"] for size in _kinds(results, "kv_heads")]
    lines = _wrap(
        f"{n:,} keys: milliseconds, and bytes a second as a share of a plain copy's. "
        "Heads that have keys of their own:"
    )
    table = [["", *(x for kv in heads for x in ("", str(kv)))]]
    for name in results.variants:
        line = [name]
        for kv in heads:
            at = {"n": n, "kv_heads": kv}
            _, ms = results.series(name, "n", "milliseconds", **at)
            _, rate = results.series(name, "n", "GB/s", **at)
            share = [_of_a_copy(results, 1e9 * r) for r in rate]
            line += [three_digits(ms[0]), *share] if ms else ["", ""]
        if any(line[1:]):
            table.append(line)
    return [*lines, *_columns(table), *_missing(results)]


def _parts(results: Results) -> list[str]:
    n = max(size["n"] for size in _kinds(results, "n"))
    heads = sorted(size["kv_heads"] for size in _kinds(results, "kv_heads"))
    at = {"n": n, "kv_heads": heads[len(heads) // 2]}
    series = {name: results.series(name, "n", "seconds", **at)[1] for name in results.variants}
    took = {name: seconds[0] for name, seconds in series.items() if seconds}
    cut = [name for name in took if name.startswith("split")]
    if not cut:
        return _missing(results)
    best = min(cut, key=lambda name: took[name])
    share = _of_a_copy(results, results.row(best, **at)["bytes"] / took[best])
    others = (
        f"{name} {took[name] / took[best]:.1f}"
        for name in took
        if name not in (*cut, "repeated")
    )
    return [
        f"{n:,} keys of {at['kv_heads']} heads, in {best.split()[-1]} parts: "
        f"{three_digits(1e3 * took[best])} ms, {share} of a copy's rate",
        *_wrap(f"times as long: {'; '.join(others)}"),
    ]


def _of_a_copy(results: Results, rate: float) -> str:
    """Return bytes a second as a share of a plain copy's; "?" where that was not measured."""
    copy = results.ceilings.get("copy")
    return f"{rate / copy:.2f}" if copy else "?"


def _kernels(results: Results) -> list[str]:
    """Return a line a variant: its costliest kernel at the greatest length that names one."""
    lines = []
    for name in results.variants:
        if name in ("eager", "chunked", "tiled"):  # many kernels, none of which says much
            continue
        named = [r for r in results.rows if r["variant"] == name and r.get("kernels")]
        if named:
            row = max(named, key=lambda r: r["size"]["n"])
            line = f"{name:15} {row['kernels'][0]}"
            lines.append(line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…")
    return lines + _missing(results)


def _errors(results: Results) -> list[str]:
    lines = [*_wrap("Largest error, as a share of what is allowed:")]
    table = [["", "output", "gradient"]]
    for name, pair in results.errors.items():
        table.append([name, *("" if x is None else f"{x:.2f}" for x in pair)])
    return [*lines, *_columns(table), *_missing(results)]


def _layers(results: Results) -> list[str]:
    return ["Milliseconds:", *_over_lengths(results, "milliseconds", {}), *_missing(results)]


# Of which benchmarks each table is; the goals are of all together.
_TABLES: dict[str, tuple[tuple[str, ...], Callable[[Results], list[str]]]] = {
    "rates": (("forward",), _rates),
    "gradients": (("backward",), _rates),
    "pictures": (("pictures",), _pictures),
    "steps": (("ladder",), _steps),
    "memory": (("memory",), _memory),
    "reading": (("decode",), _reading),
    "parts": (("decode",), _parts),
    "kernels": (("forward",), _kernels),
    "errors": (("forward",), _errors),
    "layers": (("layers",), _layers),
    "goals": ((), _goals),
}


def _over_lengths(
    results: Results, quantity: str, size: Mapping[str, Any], *, doubled: bool = False
) -> list[str]:
    """Return a table with a line a variant and a column a length."""
    lengths = [at["n"] for at in _kinds(results, "n")]
    said = ", ".join(_mask(v) if k == "causal" else f"{k} {v}" for k, v in size.items())
    head = [f"n {lengths[0]}", *map(str, lengths[1:])]
    table = [[said, *head, *(["doubled"] if doubled else [])]]
    for name in results.variants:
        found = dict(zip(*results.series(name, "n", quantity, **size), strict=True))
        line = [name, *(_number(found[n]) if n in found else "" for n in lengths)]
        half, last = found.get(lengths[-1] / 2), found.get(lengths[-1])
        if doubled:
            line.append(f"x {last / half:.2f}" if half and last else "")
        if found:
            table.append(line)
    return _columns(table)


def _missing(results: Results) -> list[str]:
    """Return why variants have no number at all, after an empty line."""
    there = {row["variant"] for row in results.rows if "why_not" not in row}
    found: dict[str, dict[str, None]] = {}
    for row in results.rows:
        if row["variant"] not in there:
            found.setdefault(row["why_not"], {})[row["variant"]] = None
    said = [x for why, names in found.items() for x in _wrap(f"{', '.join(names)}: {why}")]
    return ["", "Not measured:", *said] if said else []


def _kinds(results: Results, *keys: str) -> list[dict[str, Any]]:
    """Return what these numbers of a size are, each combination once."""
    found: list[dict[str, Any]] = []
    for row in results.rows:
        size = {key: row["size"][key] for key in keys}
        if size not in found:
            found.append(size)
    return found


def _number(number: float) -> str:
    return f"{number:.0f}" if number >= 20 else f"{number:.1f}"


def _mask(causal: bool) -> str:
    return "causal" if causal else "full"


def _columns(table: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table: names to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(
            word.rjust(width) if i else word.ljust(width)
            for i, (word, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in table
    ]
