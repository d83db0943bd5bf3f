"""What the player shows, in NumPy: the translators with their cuts, word after word."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from attention_course.data.packed import CHOICES, pack_of_the_world, unpack_translator
from attention_course.data.vocabulary import END, START
from attention_course.reference.positions import sinusoidal_positions
from attention_course.reference.softmax import softmax
from attention_course.reference.transformer.transformer_block import feed_forward, layer_norm
from attention_course.widgets.world_player.stacked import GNMT, Gaze, Luong

HEADS, LAYERS, LONGEST = 4, 2, 60
BLADES = ("zero", "mean", "other")
UNCUT: dict[str, Any] = {
    "moves": [],
    "forbidden": [],
    "uniform": False,
    "backward": True,
    "positions": True,
    "silent": [],
    "blade": "zero",
}
# What "other" puts in place of a part is what it gives for this sentence, which was held out.
OTHER = "the neighbour leaves the river bank and a child buys this orange and loves it ."


@dataclass(frozen=True)
class Packed:
    """A translator as a page gets it: arrays by torch's names, and the words."""

    p: dict[str, np.ndarray]
    source: dict[str, int]
    target: list[str]
    choices: dict[str, str]  # Luong's: his score, and where he looks


@cache
def load(name: str) -> Packed:
    """Unpack a translator once."""
    arrays, about = unpack_translator(pack_of_the_world(name))
    marks = ["<pad>", "<start>", "<end>"]
    source, target = ([*marks, *about[of].split("\n")] for of in ("english", "french"))
    wide = {key: array.astype(np.float64) for key, array in arrays.items()}
    choices = {choice: about[choice] for choice in CHOICES if choice in about}
    return Packed(wide, {word: i for i, word in enumerate(source)}, target, choices)


def translate(
    name: str, words: list[str], longest: int, cuts: Mapping[str, Any]
) -> tuple[list[int], np.ndarray]:
    """Write greedily, with cuts.

    Args:
        name: one of ``IN_THE_WORLD``.
        words: of the sentence that is translated.
        longest: words after which it is cut off.
        cuts: "moves", "forbidden", "uniform", "backward", "positions", "silent" and
            "blade", as ``models/translators.js`` has them.

    Returns:
        The numbers of the words written, and the weights: words, heads, source words.
    """
    written, looked, _ = _write(name, words, longest, cuts)
    return written, looked


def _write(
    name: str, words: list[str], longest: int, cuts: Mapping[str, Any]
) -> tuple[list[int], np.ndarray, Any]:
    packed = load(name)
    tokens = [packed.source[word] for word in words]
    model = _model(name, packed, tokens, cuts)
    written: list[int] = []
    looked: list[np.ndarray] = []
    while len(written) < longest and (not written or written[-1] != END):
        gaze = _gaze(len(written), len(tokens), cuts)
        logits, weights = model.advance(written[-1] if written else START, len(written), gaze)
        written.append(int(logits.argmax()))
        looked.append(weights)
    return written, np.array(looked), model


def _model(name: str, packed: Packed, tokens: list[int], cuts: Mapping[str, Any]) -> Any:
    if "b" in packed.p:
        return _Transformer(name, tokens, cuts)
    if packed.choices:
        return Luong(packed.p, tokens, packed.choices, cuts)
    if "decoder.U" in packed.p:
        return _Recurrent(name, tokens, cuts)
    return GNMT(packed.p, tokens)


@cache
def _for_other(name: str) -> np.ndarray:
    """Return what the heads, or the backward reader, give for another sentence, by word."""
    return np.array(_write(name, OTHER.split(), LONGEST, UNCUT)[2].given)


def _gaze(step: int, n: int, cuts: Mapping[str, Any]) -> Gaze:
    moved = [j for at, j in cuts["moves"] if at == step and j < n]
    allowed = ~np.isin(np.arange(n), cuts["forbidden"])

    def look(scores: np.ndarray) -> np.ndarray:
        if moved:
            return np.broadcast_to(np.eye(n)[moved[0]], scores.shape)
        if not allowed.any():
            return np.zeros_like(scores)
        level = np.zeros_like(scores) if cuts["uniform"] else scores
        return softmax(np.where(allowed, level, -np.inf))

    return look


class _Recurrent:
    def __init__(self, name: str, tokens: list[int], cuts: Mapping[str, Any]):
        self.name, self.p = name, load(name).p
        ahead = self._follow("encoder.forward_unit", tokens)
        back = self._follow("encoder.backward_unit", tokens[::-1])[::-1]
        self.given = back
        if not cuts["backward"]:
            back = self._instead(back, cuts["blade"])
        self.annotations = np.concatenate([ahead, back], axis=1)
        self.all = np.concatenate([ahead[-1], back[0]])
        self.s = np.tanh(self.p["W_s.weight"] @ back[0] + self.p["W_s.bias"])

    def _instead(self, back: np.ndarray, blade: str) -> np.ndarray:
        if blade == "zero":
            return np.zeros_like(back)
        if blade == "mean":
            return np.repeat(self.p["means.backward"], len(back), axis=0)
        other = _for_other(self.name)
        return other[np.arange(len(back)) % len(other)]

    def _follow(self, unit: str, tokens: list[int]) -> np.ndarray:
        s, states = np.zeros(self.p[f"{unit}.U"].shape[1]), []
        for x in self.p["E_x.weight"][tokens]:
            s = _gated_step(
                self.p[f"{unit}.W.weight"] @ x + self.p[f"{unit}.W.bias"],
                s,
                self.p[f"{unit}.U"],
            )
            states.append(s)
        return np.array(states)

    def advance(self, symbol: int, step: int, gaze: Gaze) -> tuple[np.ndarray, np.ndarray]:
        p, s, y = self.p, self.s, self.p["E_y.weight"][symbol]
        context, weights = self.all, np.zeros((0, len(self.annotations)))
        if "attention.v_a.weight" in p:
            asked = p["attention.W_a.weight"] @ s
            keys = self.annotations @ p["attention.U_a.weight"].T
            weights = gaze(np.tanh(asked + keys) @ p["attention.v_a.weight"][0])[None]
            context = weights[0] @ self.annotations
        pairs = p["U_o.weight"] @ s + p["V_o.weight"] @ y + p["V_o.bias"]
        pairs = pairs + p["C_o.weight"] @ context
        logits = p["W_o.weight"] @ pairs.reshape(-1, 2).max(axis=1) + p["W_o.bias"]
        drive = p["decoder.W.weight"] @ y + p["decoder.W.bias"] + p["C.weight"] @ context
        self.s = _gated_step(drive, s, p["decoder.U"])
        return logits, weights


def _gated_step(drive: np.ndarray, s: np.ndarray, U: np.ndarray) -> np.ndarray:
    d = len(s)
    z, r = np.split(1 / (1 + np.exp(-(drive[d:] + U[d:] @ s))), 2)
    return (1 - z) * s + z * np.tanh(drive[:d] + U[:d] @ (r * s))


class _Transformer:
    def __init__(self, name: str, tokens: list[int], cuts: Mapping[str, Any]):
        self.name, self.p, self.blade = name, load(name).p, cuts["blade"]
        self.positions, self.silent = cuts["positions"], cuts["silent"]
        self.given: list[list[np.ndarray]] = []
        layers = range(sum(key.endswith("cross.W_q.weight") for key in self.p))
        x = self._enter("E_x.weight", tokens, 0)
        for block in (f"core.encoder.{layer}" for layer in layers):
            found = self._look(
                f"{block}.attention", x, self._remember(f"{block}.attention", x)
            )[0]
            x = self._join(f"{block}.norms.0", x, found)
            x = self._join(f"{block}.norms.1", x, self._think(block, x))
        crosses = (f"core.decoder.{layer}.cross" for layer in layers)
        self.memories = [self._remember(cross, x) for cross in crosses]
        self.past: list[list[np.ndarray]] = [[] for _ in self.memories]

    def _linear(self, name: str, x: np.ndarray) -> np.ndarray:
        return x @ self.p[f"{name}.weight"].T + self.p[f"{name}.bias"]

    def _enter(self, table: str, tokens: list[int], start: int) -> np.ndarray:
        x = self.p[table][tokens] * np.sqrt(self.p[table].shape[1])
        places = sinusoidal_positions(start + len(tokens), x.shape[1])[start:]
        return x + places * self.positions

    def _join(self, norm: str, x: np.ndarray, found: np.ndarray) -> np.ndarray:
        return layer_norm(x + found, self.p[f"{norm}.weight"], self.p[f"{norm}.bias"])

    def _think(self, block: str, x: np.ndarray) -> np.ndarray:
        names = (f"{block}.feed_forward.W_{i}" for i in (1, 2))
        pairs = [(self.p[f"{n}.weight"].T, self.p[f"{n}.bias"]) for n in names]
        return feed_forward(x, *pairs[0], *pairs[1])

    def _split(self, x: np.ndarray) -> np.ndarray:
        return x.reshape(len(x), HEADS, -1).swapaxes(0, 1)

    def _remember(self, name: str, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        k, v = (self._split(self._linear(f"{name}.W_{part}", x)) for part in "kv")
        return k, v

    def _look(
        self,
        name: str,
        x: np.ndarray,
        seen: tuple[np.ndarray, np.ndarray],
        gaze: Gaze = softmax,
        silent: tuple[int, ...] = (),
        put: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        q = self._split(self._linear(f"{name}.W_q", x))
        weights = gaze(q @ seen[0].swapaxes(1, 2) / np.sqrt(q.shape[-1]))
        context = (weights @ seen[1]).swapaxes(0, 1).reshape(len(x), -1)
        if put is not None:
            cut = np.isin(np.arange(HEADS), silent).repeat(context.shape[1] // HEADS)
            context = np.where(cut, put, context)
        return self._linear(f"{name}.W_o", context), weights, context

    def _instead(self, layer: int, step: int) -> np.ndarray:
        """Return what stands in place of the heads of a layer."""
        if self.blade == "mean":
            return self.p["means.context"][layer]
        if self.blade == "zero":
            return np.zeros(1)
        other = _for_other(self.name)
        return other[step % len(other), layer]

    def advance(self, symbol: int, step: int, gaze: Gaze) -> tuple[np.ndarray, np.ndarray]:
        y, weights = self._enter("E_y.weight", [symbol], step), np.zeros(0)
        given: list[np.ndarray] = []
        for layer, memory in enumerate(self.memories):
            block = f"core.decoder.{layer}"
            self.past[layer].append(y)
            seen = self._remember(f"{block}.attention", np.concatenate(self.past[layer]))
            y = self._join(f"{block}.norms.0", y, self._look(f"{block}.attention", y, seen)[0])
            silent = tuple(h - layer * HEADS for h in self.silent)
            put = self._instead(layer, step) if silent else None
            found, weights, context = self._look(f"{block}.cross", y, memory, gaze, silent, put)
            given.append(context[0])
            y = self._join(f"{block}.norms.1", y, found)
            y = self._join(f"{block}.norms.2", y, self._think(block, y))
        self.given.append(given)
        return (y @ self.p["E_y.weight"].T + self.p["b"])[0], weights[:, 0]
