"""The translators of stacked LSTMs that the player shows, in NumPy: Luong's and Google's."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from attention_course.reference.recurrent.gnmt import run_by_loops
from attention_course.reference.recurrent.local import predicted_centres
from attention_course.reference.recurrent.lstm import LSTM, lstm_step
from attention_course.reference.recurrent.luong import (
    attentional_vector,
    luong_encode_by_loops,
    scores_by_loops,
    step_through,
)

Arrays = Mapping[str, np.ndarray]
Gaze = Callable[[np.ndarray], np.ndarray]
STACKED = (
    *("luong", "luong_dot", "luong_concat", "luong_location"),
    *("local_m", "local_p", "gnmt"),
)


def _lstm(p: Arrays, name: str, end: str = "_l0") -> LSTM:
    ih, hh = f"ih{end}", f"hh{end}"
    weights = p[f"{name}.weight_{ih}"], p[f"{name}.weight_{hh}"]
    return (*weights, p[f"{name}.bias_{ih}"], p[f"{name}.bias_{hh}"])


class Luong:
    """Luong's translator: global or local, with one of his scores."""

    def __init__(
        self,
        p: Arrays,
        tokens: list[int],
        choices: Mapping[str, str],
        cuts: Mapping[str, Any],
    ):
        self.p, self.score, self.scope = p, choices["score"], choices["scope"]
        self.uniform, self.moved = cuts["uniform"], {at for at, _ in cuts["moves"]}
        self.D = np.inf if self.scope == "global" else float(choices["D"])
        layers = range(sum(name.startswith("encoder.weight_ih") for name in p))
        encoder, self.decoder = (
            [_lstm(p, side, f"_l{layer}") for layer in layers]
            for side in ("encoder", "decoder")
        )
        self.memory, self.states = luong_encode_by_loops(tokens, p["E_x.weight"], encoder)
        self.fed = np.zeros(self.memory.shape[1])

    def advance(self, symbol: int, step: int, gaze: Gaze) -> tuple[np.ndarray, np.ndarray]:
        """Return the logits of the next word, and where it looks."""
        p, n = self.p, len(self.memory)
        x = np.concatenate([p["E_y.weight"][symbol], self.fed])
        self.states = step_through(x, self.states, self.decoder)
        h = self.states[-1][0]
        W_a, v_a = p.get("attention.score.W"), p.get("attention.score.w_v")
        if W_a is not None and self.score != "general":
            W_a = W_a.T
        centre = float(step)
        if self.scope == "local-p":
            W_p, v_p = (p[f"attention.predictor.{part}.weight"] for part in ("W_p", "v_p"))
            centre = predicted_centres(h[None], W_p, v_p[0], n)[0]
        off = np.abs(np.arange(n) - centre)
        scores = scores_by_loops(h, self.memory, self.score, W_a, v_a)
        weights = gaze(np.where(off <= self.D, scores, -np.inf))
        if self.scope == "local-p" and not self.uniform and step not in self.moved:
            weights = weights * np.exp(-2 * (off / self.D) ** 2)
        self.fed = attentional_vector(weights @ self.memory, h, p["W_c.weight"])
        return p["W_s.weight"] @ self.fed, weights[None]


class GNMT:
    """Google's translator, in small: the first reader goes both ways."""

    def __init__(self, p: Arrays, tokens: list[int]):
        self.p = p
        layers = range(sum(name.startswith("decoder.layers") for name in p) // 4)
        words = list(p["E_x.weight"][tokens])
        ahead = run_by_loops(words, _lstm(p, "bottom_encoder.forward_unit"))
        back = run_by_loops(words[::-1], _lstm(p, "bottom_encoder.backward_unit"))[::-1]
        x = np.hstack([ahead, back])
        for layer in layers:
            m = np.array(run_by_loops(list(x), _lstm(p, f"encoder.layers.{layer}")))
            x = m + x if layer else m
        self.memory, self.keys = x, x @ p["attention.U_a.weight"].T
        self.layers = [_lstm(p, "bottom_decoder", "")]
        self.layers += [_lstm(p, f"decoder.layers.{layer}") for layer in layers]
        zero = np.zeros(x.shape[1])
        self.states = [(zero, zero)] * len(self.layers)

    def advance(self, symbol: int, step: int, gaze: Gaze) -> tuple[np.ndarray, np.ndarray]:
        """Return the logits of the next word, and where it looks."""
        p, x = self.p, self.p["E_y.weight"][symbol]
        asked = p["attention.W_a.weight"] @ self.states[0][0]
        weights = gaze(np.tanh(asked + self.keys) @ p["attention.v_a.weight"][0])
        context, after = weights @ self.memory, []
        for (m, c), lstm in zip(self.states, self.layers, strict=True):
            after.append(lstm_step(np.concatenate([x, context]), m, c, *lstm))
            x = after[-1][0] + x if len(after) > 2 else after[-1][0]
        self.states = after
        return p["W_o.weight"] @ x + p["W_o.bias"], weights[None]
