"""How wrong is a sequence? Edit distance and error rate."""

from collections.abc import Hashable, Sequence

from attention_course.reference._check import Call
from attention_course.reference._checked import checked


def edit_distance(written: Sequence[Hashable], true: Sequence[Hashable]) -> int:
    r"""Fewest insertions, deletions and replacements that turn one sequence into the other.

    .. math:: D_{ij} = \min(D_{i-1,j} + 1,\; D_{i,j-1} + 1,\; D_{i-1,j-1} + [a_i \ne b_j])

    Args:
        written: what a model wrote.
        true: what it should have written.

    Returns:
        The number of changes; 0 for equal sequences.

    Source:
        Levenshtein (1966); the table of Wagner and Fischer (1974).

    >>> edit_distance("robe rouge", "rouge robe")
    4
    """
    row = list(range(len(true) + 1))
    for i, a in enumerate(written, start=1):
        diagonal, row[0] = row[0], i
        for j, b in enumerate(true, start=1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (a != b))
    return row[-1]


def _as_many(call: Call) -> None:
    written, true = call["written"], call["true"]
    total = sum(len(sequence) for sequence in true)
    if len(written) != len(true) or total == 0:
        raise call.fail(
            "written and true",
            "as many as each other and not empty",
            f"{len(written)} and {len(true)} with {total} true symbols",
        )


@checked(_as_many)
def error_rate(
    written: Sequence[Sequence[Hashable]], true: Sequence[Sequence[Hashable]]
) -> float:
    r"""Changes needed for each true symbol; for phonemes, the *phoneme error rate* (PER).

    .. math:: \text{PER} = \frac{\sum_n D(\hat y^{(n)}, y^{(n)})}{\sum_n |y^{(n)}|}

    Args:
        written: what a model wrote, one sequence an example.
        true: what it should have written.

    Returns:
        0 if all is right; it can exceed 1 if too much was written.

    >>> error_rate([["R", "OW", "B"]], [["R", "UW", "ZH"]]).__round__(3)
    0.667
    """
    total = sum(len(sequence) for sequence in true)
    return sum(map(edit_distance, written, true)) / total


def _as_many_pairs(call: Call) -> None:
    written, pairs = len(call["written"]), len(call["pairs"])
    if written != pairs:
        raise call.fail("written", f"as many as pairs, {pairs}", written)


@checked(_as_many_pairs)
def error_by_length(
    written: Sequence[Sequence[Hashable]],
    pairs: Sequence[tuple[Sequence[Hashable], Sequence[Hashable]]],
    fewest: int = 1,
) -> dict[int, float]:
    """Error rate for each length of the source.

    Args:
        written: what a model wrote, one sequence an example.
        pairs: source and true target of each example.
        fewest: lengths with fewer examples than this are left out.

    Returns:
        The error rate by source length, shortest first.

    >>> error_by_length(["AB", "A", "A"], [("xy", "AB"), ("x", "A"), ("z", "B")])
    {1: 0.5, 2: 0.0}
    """
    groups: dict[int, list[int]] = {}
    for i, (source, _) in enumerate(pairs):
        groups.setdefault(len(source), []).append(i)
    return {
        length: error_rate([written[i] for i in group], [pairs[i][1] for i in group])
        for length, group in sorted(groups.items())
        if len(group) >= fewest
    }
