"""What boundaries of texts that lie end to end have to be."""

from typing import Any

from attention_course.reference._check import Call


def boundaries(axis: str) -> Any:
    """Ask for boundaries of the texts that lie along an axis."""

    def ask(call: Call, argument: str, cu: Any) -> Any:
        n, found = call[axis], cu.tolist()
        if len(found) < 2 or found[0] or found[-1] != n or found != sorted(found):
            expected = f"boundaries that rise from 0 to {n}, one more than texts"
            raise call.fail(argument, expected, found)
        return cu

    return ask


def same_texts(call: Call) -> None:
    """Ask for as many texts of keys as of queries."""
    many, keys = call["cu_seqlens"], call["cu_seqlens_k"]
    if keys is not None and len(keys) != len(many):
        raise call.fail("cu_seqlens_k", f"as long as cu_seqlens, {len(many)}", len(keys))
    if keys is None and call["q"] != call["k"]:
        raise call.fail("cu_seqlens_k", "given where queries and keys differ in number", "None")
