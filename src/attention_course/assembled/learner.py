"""A small Transformer that learns with the reader's own backward pass of attention.

It has one block on each side and learns to translate the part of the small world that
:mod:`attention_course.data.world.sentences` draws. All is NumPy. The reader's function
differentiates the three attentions; everything else is differentiated here, by hand.

A batch has sentences of one length, so nothing is padded. Where words look at those before
them, the reader's function, which knows no mask, is called for each word, with the words up to
it.
"""

from collections.abc import Callable, Iterator, Sequence
from textwrap import shorten
from time import perf_counter
from typing import Any

import numpy as np

from attention_course._shapes import Float, Int
from attention_course.assembled.guard import PartError, complaint, frozen
from attention_course.data.vocabulary import END, START
from attention_course.data.world import read_sentence, translations
from attention_course.data.world.sentences import part_vocabularies, random_sentences
from attention_course.exercises.bank import exercise_named
from attention_course.reference.attention import scaled_dot_product_attention
from attention_course.reference.masks import causal_mask
from attention_course.reference.positions import sinusoidal_positions
from attention_course.reference.transformer.multi_head import merge_heads, split_heads

D_MODEL, D_FF, HEADS = 32, 64, 2
BATCH, POOL, RATE, LONGEST, HELD_OUT = 32, 2000, 4e-3, 16, 60
SAYS_EVERY = 100
EPSILON = 1e-5
PLACES = {
    "encoder": "the encoder's attention",
    "decoder": "the decoder's attention to its own words",
    "cross": "the decoder's attention to the source",
}

Backward = Callable[..., Any]
Back = Callable[[np.ndarray], Any]
Arrays = dict[str, np.ndarray]


class Learner:
    """A small translator, its losses, and what it needs to learn.

    Args:
        backward: as the exercise attention-backward asks for it: from q, k, v and the
            gradient of the context, the gradients of q, k and v.
        seed: draws the parameters and the sentences.

    Attributes:
        losses: of each step, the mean over the words of its batch, in nats.
        held_out: 60 sentences that no batch has.
    """

    def __init__(self, backward: Backward, seed: int = 0):
        self.backward, self.rng = backward, np.random.RandomState(seed)
        self.english, self.french = part_vocabularies()
        self.losses: list[float] = []
        self.p = self._drawn()
        self._grads: Arrays = {}
        self._moments = {name: [0 * p, 0 * p] for name, p in self.p.items()}
        self.batches = self._drawn_batches()
        drawn = random_sentences(HELD_OUT, np.random.RandomState(seed), held_out=True)
        self.held_out = [pair.source for pair in drawn]
        self._where = ""

    def _drawn(self) -> Arrays:
        d, draw = D_MODEL, self.rng.standard_normal
        p = {"E_x": draw((len(self.english), d)), "E_y": draw((len(self.french), d))}
        p = {name: E * d**-0.5 for name, E in p.items()} | {"b": np.zeros(len(self.french))}
        for at in ("encoder", "decoder", "cross"):
            p |= {f"{at}.W_{x}": draw((d, d)) * d**-0.5 for x in "qkvo"}
        for at, norms in (("encoder", 2), ("decoder", 3)):
            p[f"{at}.W_1"], p[f"{at}.b_1"] = draw((d, D_FF)) * d**-0.5, np.zeros(D_FF)
            p[f"{at}.W_2"], p[f"{at}.b_2"] = draw((D_FF, d)) * D_FF**-0.5, np.zeros(d)
            for i in range(norms):
                p[f"{at}.gain_{i}"], p[f"{at}.shift_{i}"] = np.ones(d), np.zeros(d)
        return p

    def _drawn_batches(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield source and target of sentences of one length, in a drawn order."""
        groups: dict[tuple[int, int], list[tuple[list[int], list[int]]]] = {}
        for pair in random_sentences(POOL, self.rng):
            x = self.english.encode(pair.source.split())
            y = [START, *self.french.encode(pair.target.split()), END]
            groups.setdefault((len(x), len(y)), []).append((x, y))
        kinds = [*groups.values()]
        shares = np.array([len(kind) for kind in kinds]) / POOL
        while True:
            kind = kinds[self.rng.choice(len(kinds), p=shares)]
            chosen = [kind[i] for i in self.rng.randint(len(kind), size=BATCH)]
            yield np.array([x for x, _ in chosen]), np.array([y for _, y in chosen])

    # ---- the model, and its way back --------------------------------------------------------

    def _gain(self, name: str, gradient: np.ndarray) -> None:
        self._grads[name] = self._grads.get(name, 0) + gradient

    def _linear(self, x: np.ndarray, W: str, b: str = "") -> tuple[np.ndarray, Back]:
        def back(g: np.ndarray) -> np.ndarray:
            self._gain(W, np.einsum("bni,bnj->ij", x, g))
            if b:
                self._gain(b, g.sum(axis=(0, 1)))
            return g @ self.p[W].T

        return x @ self.p[W] + (self.p[b] if b else 0), back

    def _attend(
        self, x: np.ndarray, seen: np.ndarray, at: str, causal: bool = False
    ) -> tuple[np.ndarray, Back]:
        (q, back_q), (k, back_k), (v, back_v) = (
            self._linear(one, f"{at}.W_{name}")
            for one, name in ((x, "q"), (seen, "k"), (seen, "v"))
        )
        q, k, v = (split_heads(one, HEADS) for one in (q, k, v))
        mask = causal_mask(q.shape[-2], k.shape[-2]) if causal else None
        context, _ = scaled_dot_product_attention(q, k, v, mask)
        out, back_out = self._linear(merge_heads(context), f"{at}.W_o")

        def back(g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            self._where = at
            slopes = self._slopes(q, k, v, split_heads(back_out(g), HEADS), causal)
            dq, dk, dv = map(merge_heads, slopes)
            return back_q(dq), back_k(dk) + back_v(dv)

        return out, back

    def _slopes(
        self, q: np.ndarray, k: np.ndarray, v: np.ndarray, g: np.ndarray, causal: bool
    ) -> tuple[np.ndarray, ...]:
        """Return the gradients of q, k and v, from the reader's function."""
        if not causal:
            return self._asked(q, k, v, g)
        dq, dk, dv = np.empty_like(q), np.zeros_like(k), np.zeros_like(v)
        for i in range(q.shape[-2]):
            one, upto = np.s_[..., i : i + 1, :], np.s_[..., : i + 1, :]
            dq[one], more_k, more_v = self._asked(q[one], k[upto], v[upto], g[one])
            dk[upto] += more_k
            dv[upto] += more_v
        return dq, dk, dv

    def _asked(self, *args: np.ndarray) -> tuple[np.ndarray, ...]:
        where = f"backward in {PLACES[self._where]} at step {len(self.losses) + 1}"
        try:
            found = self.backward(*map(frozen, args))
        except Exception as error:
            raise PartError(
                f"{where}: expected (q, k, v, g), which returns the gradients of q, k and v, "
                f"got {type(error).__name__}: {error}"
            ) from error
        wrong = complaint(found, [(float, one.shape) for one in args[:3]])
        if wrong:
            raise PartError(f"{where}: {wrong}")
        return tuple(found)

    def _normal(self, x: np.ndarray, at: str, i: int) -> tuple[np.ndarray, Back]:
        gain, shift = f"{at}.gain_{i}", f"{at}.shift_{i}"
        centred = x - x.mean(axis=-1, keepdims=True)
        deviation = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + EPSILON)
        unit = centred / deviation

        def back(g: np.ndarray) -> np.ndarray:
            self._gain(gain, (g * unit).sum(axis=(0, 1)))
            self._gain(shift, g.sum(axis=(0, 1)))
            g = g * self.p[gain]
            along = unit * (g * unit).mean(axis=-1, keepdims=True)
            return (g - g.mean(axis=-1, keepdims=True) - along) / deviation

        return unit * self.p[gain] + self.p[shift], back

    def _forward_layers(self, x: np.ndarray, at: str) -> tuple[np.ndarray, Back]:
        inner, back_1 = self._linear(x, f"{at}.W_1", f"{at}.b_1")
        out, back_2 = self._linear(np.maximum(0, inner), f"{at}.W_2", f"{at}.b_2")
        return out, lambda g: back_1(back_2(g) * (inner > 0))

    def _enter(self, words: Int[np.ndarray, "batch n"], E: str) -> tuple[np.ndarray, Back]:
        root = D_MODEL**0.5

        def back(g: np.ndarray) -> None:
            slope = np.zeros_like(self.p[E])
            np.add.at(slope, words, root * g)
            self._gain(E, slope)

        positions = sinusoidal_positions(words.shape[1], D_MODEL)
        return self.p[E][words] * root + positions, back

    def _read(self, source: Int[np.ndarray, "batch n"]) -> tuple[np.ndarray, Back]:
        x, back_in = self._enter(source, "E_x")
        found, back_attend = self._attend(x, x, "encoder")
        x, back_0 = self._normal(x + found, "encoder", 0)
        more, back_more = self._forward_layers(x, "encoder")
        x, back_1 = self._normal(x + more, "encoder", 1)

        def back(g: np.ndarray) -> None:
            g = back_1(g)
            g = back_0(g + back_more(g))
            back_in(g + sum(back_attend(g)))

        return x, back

    def _write(self, target: np.ndarray, memory: np.ndarray) -> tuple[np.ndarray, Back]:
        y, back_in = self._enter(target, "E_y")
        found, back_own = self._attend(y, y, "decoder", causal=True)
        y, back_0 = self._normal(y + found, "decoder", 0)
        found, back_cross = self._attend(y, memory, "cross")
        y, back_1 = self._normal(y + found, "decoder", 1)
        more, back_more = self._forward_layers(y, "decoder")
        y, back_2 = self._normal(y + more, "decoder", 2)

        def back(g: np.ndarray) -> np.ndarray:
            self._gain("b", g.sum(axis=(0, 1)))
            self._gain("E_y", np.einsum("bnw,bnd->wd", g, y))
            g = back_2(g @ self.p["E_y"])
            g = back_1(g + back_more(g))
            asked, to_memory = back_cross(g)
            g = back_0(g + asked)
            back_in(g + sum(back_own(g)))
            return to_memory

        return y @ self.p["E_y"].T + self.p["b"], back

    def gradients(
        self, source: Int[np.ndarray, "batch n"], target: Int[np.ndarray, "batch m"]
    ) -> tuple[float, Arrays]:
        """Return the loss of a batch, and its gradient with respect to each parameter.

        Args:
            source: sentences of one length.
            target: their translations, of one length, with the marks around them.

        Raises:
            PartError: if the reader's function cannot be used.
        """
        self._grads = {}
        memory, back_read = self._read(source)
        logits, back_write = self._write(target[:, :-1], memory)
        exps = np.exp(logits - logits.max(axis=-1, keepdims=True))
        chances = exps / exps.sum(axis=-1, keepdims=True)
        right = target[:, 1:, None]
        loss = -np.log(np.take_along_axis(chances, right, axis=-1)).mean()
        np.put_along_axis(chances, right, np.take_along_axis(chances, right, -1) - 1, axis=-1)
        back_read(back_write(chances / right.size))
        return float(loss), self._grads

    def step(self) -> float:
        """Learn from one batch, by Adam; return its loss before.

        Raises:
            PartError: if the reader's function cannot be used.
        """
        loss, grads = self.gradients(*next(self.batches))
        self.losses.append(loss)
        t = len(self.losses)
        for name, g in grads.items():
            m, v = self._moments[name]
            m += 0.1 * (g - m)
            v += 0.01 * (g**2 - v)
            unbiased = (1 - 0.99**t) ** 0.5 / (1 - 0.9**t)
            self.p[name] -= min(1, t / 100) * RATE * unbiased * m / (np.sqrt(v) + 1e-8)
        return loss

    def translate(self, sentence: str) -> str:
        """Translate an English sentence of the part, greedily.

        Raises:
            ValueError: if a word is not in the part.
        """
        tokens = read_sentence(sentence, "english")
        return self._written([[min(token or ()) for token in tokens]])[0]

    def _written(self, sentences: Sequence[Sequence[str]]) -> list[str]:
        """Translate sentences of one length, greedily."""
        memory, _ = self._read(np.array([self.english.encode(words) for words in sentences]))
        written = np.full((len(sentences), 1), START)
        while written.shape[1] <= LONGEST and not (written == END).any(axis=1).all():
            logits, _ = self._write(written, memory)
            written = np.append(written, logits[:, -1:].argmax(axis=-1), axis=1)
        rows = [row[: [*row, END].index(END)] for row in written[:, 1:].tolist()]
        return [" ".join(self.french.decode(row)) for row in rows]

    def right(self) -> int:
        """Return how many of the sentences held out it translates rightly."""
        groups: dict[int, list[str]] = {}
        for sentence in self.held_out:
            groups.setdefault(len(sentence.split()), []).append(sentence)
        return sum(
            (*wrote.split(),) in translations(sentence, "english")
            for group in groups.values()
            for sentence, wrote in zip(
                group, self._written([one.split() for one in group]), strict=True
            )
        )


def _say(learner: Learner, when: str, sentence: str) -> None:
    wrote = shorten(learner.translate(sentence) or "(nothing)", 60, placeholder=" …")
    print(f"{when:7} {wrote}")
    print(f"        {learner.right()} of {len(learner.held_out)} held-out sentences right")


def _solution() -> Backward:
    exercise = exercise_named("attention-backward")
    space: dict[str, Any] = {}
    exec(exercise.solution, space)
    found: Backward = space[exercise.target]
    return found


def train_with(
    backward: Backward | None = None,
    steps: int = 600,
    seconds: float = 45.0,
    seed: int = 0,
    sentence: str = "the girl sees the red dress .",
) -> Learner:
    """Train a small translator with your own backward pass of attention, and print how it goes.

    Args:
        backward: your function: from q, k, v and the gradient of the context, the gradients of
            q, k and v, as the exercise attention-backward asks for it; unless given, the
            exercise's solution. The rest of the model is differentiated by the course.
        steps: batches of 32 sentences.
        seconds: so long it may take at most.
        seed: draws the first parameters and the sentences.
        sentence: translated before the training and after it.

    Returns:
        The translator, with its ``losses`` and ``translate``.

    Raises:
        PartError: if your function cannot be used.
        ValueError: if a number is not positive, or the sentence has words that it cannot know.
    """
    if steps < 1 or seconds <= 0:
        raise ValueError(
            f"train_with: steps and seconds must be positive, got {steps} and {seconds}"
        )
    learner = Learner(backward or _solution(), seed)
    print(f"backward by {'your function' if backward else 'the solution of the exercise'}")
    _say(learner, "before:", sentence)
    began, highest = perf_counter(), 0.0
    for step in range(1, steps + 1):
        learner.step()
        over = perf_counter() - began > seconds
        if step % SAYS_EVERY == 0 or step == steps or over:
            loss = float(np.mean(learner.losses[-SAYS_EVERY:]))
            highest = max(highest, loss)
            print(f"step {step:4}  loss {loss:5.2f}  {'#' * round(40 * loss / highest)}")
        if over:
            print(f"stopped after {seconds:g} seconds")
            break
    _say(learner, "after:", sentence)
    return learner
