"""Luong's translator, with every choice of the paper as an argument.

The specification is ``reference.luong_by_loops``; :func:`luong_weights` carries a model's
weights over to it.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Float, Int
from attention_course.layers.attention import Attention
from attention_course.layers.recurrent.local import LocalAttention, PredictedCentre
from attention_course.layers.recurrent.luong_scores import (
    ConcatScore,
    GeneralScore,
    LocationScore,
)
from attention_course.layers.scores import DotScore, Score
from attention_course.models._build import check_lengths, seeded
from attention_course.models.translators._translator import Translator
from attention_course.reference.recurrent import luong as reference


@dataclass(frozen=True)
class Memory:
    """What the decoder may look back at: the encoder's top states.

    Attributes:
        states: one row for each source symbol, keys and values at once.
        mask: True where there is a symbol and not padding.
    """

    states: Tensor
    mask: Tensor


@dataclass(frozen=True)
class DecoderState:
    """All that a decoder step takes over from the one before.

    Attributes:
        lstm: output and cell of every layer.
        fed: the attentional vector of the last step; zeros at the first.
        step: which step comes next, from 0.
    """

    lstm: tuple[Tensor, Tensor]
    fed: Tensor
    step: int = 0


class LuongSeq2Seq(Translator):
    r"""A stacked decoder that looks back after each of its steps.

    .. math:: h_t = \operatorname{LSTM}([E_{y_{t-1}}; \tilde h_{t-1}], h_{t-1}), \quad
       c_t = \operatorname{attend}(h_t, \bar h), \quad
       \tilde h_t = \tanh(W_c [c_t; h_t]), \quad p(y_t) \propto \exp(W_s \tilde h_t)

    Args:
        n_source: size of the source vocabulary.
        n_target: size of the target vocabulary.
        rng: the generator of the first weights.
        embedding: width of the embeddings (the paper's is 1000).
        width: width of every LSTM layer and of the attentional vector (1000).
        layers: LSTM layers on either side (4; its figures draw 2).
        score: "dot", "general", "concat" or "location".
        scope: "global", "local-m" or "local-p".
        feeding: feed the attentional vector into the next step (*input feeding*).
        W_c: False leaves the attentional layer out, :math:`\tilde h_t = c_t + h_t`.
        query: whose state asks, of "this step" (Luong) or the "step before" (Bahdanau).
        D: half the width of the local window (10).
        longest: source places that "location" can score.

    Source:
        Luong et al. (2015), section 3. They reverse the source, use dropout, and draw all
        first weights from [-0.1, 0.1]; here the source is read as it stands, nothing is
        dropped, and forget gates start open.

    >>> model = LuongSeq2Seq(6, 7, np.random.RandomState(0), 3, 4)
    >>> source, lengths = torch.tensor([[3, 4, 5], [3, 0, 0]]), torch.tensor([3, 1])
    >>> logits, weights = model.follow(source, lengths, torch.tensor([[1, 4], [1, 6]]))
    >>> logits.shape, weights.shape
    (torch.Size([2, 2, 7]), torch.Size([2, 2, 3]))
    """

    attention: Attention | LocalAttention

    def __init__(
        self,
        n_source: int,
        n_target: int,
        rng: np.random.RandomState,
        embedding: int = 64,
        width: int = 64,
        layers: int = 2,
        score: str = "general",
        scope: str = "global",
        feeding: bool = True,
        W_c: bool = True,
        query: str = "this step",
        D: int = 10,
        longest: int = 50,
    ):
        super().__init__()
        sizes = {"n_source": n_source, "n_target": n_target, "embedding": embedding}
        sizes |= {"width": width, "layers": layers, "D": D, "longest": longest}
        for name, size in sizes.items():
            if size < 1:
                raise ValueError(f"LuongSeq2Seq: {name} must be at least 1, got {size}")
        for name, choice, choices in (
            ("score", score, reference.SCORES),
            ("scope", scope, reference.SCOPES),
            ("query", query, reference.QUERIES),
        ):
            if choice not in choices:
                wanted = ", ".join(choices)
                raise ValueError(
                    f"LuongSeq2Seq: {name} must be one of {wanted}, got {choice!r}"
                )
        self.score, self.scope, self.feeding, self.query = score, scope, feeding, query
        with seeded(rng):
            self.E_x = nn.Embedding(n_source, embedding)
            self.E_y = nn.Embedding(n_target, embedding)
            self.encoder = nn.LSTM(embedding, width, layers, batch_first=True)
            inputs = embedding + width if feeding else embedding
            self.decoder = nn.LSTM(inputs, width, layers, batch_first=True)
            makers: dict[str, Callable[[], Score]] = {
                "dot": DotScore,
                "general": lambda: GeneralScore(width, width),
                "concat": lambda: ConcatScore(width, width, width),
                "location": lambda: LocationScore(width, longest),
            }
            module = makers[score]()
            predictor = PredictedCentre(width, width) if scope == "local-p" else None
            is_global = scope == "global"
            self.attention = (
                Attention(module) if is_global else LocalAttention(module, D, predictor)
            )
            self.W_c = nn.Linear(2 * width, width, bias=False) if W_c else None
            self.W_s = nn.Linear(width, n_target, bias=False)
            for table in (self.E_x, self.E_y):
                nn.init.normal_(table.weight, std=embedding**-0.5)
            for lstm in (self.encoder, self.decoder):
                _open_forget_gates(lstm)

    def read(
        self, source: Int[Tensor, "batch source"], lengths: Int[Tensor, " batch"]
    ) -> tuple[DecoderState, Memory]:
        """Encode the source; return where the decoder begins and what it may look back at."""
        check_lengths("LuongSeq2Seq", source, lengths)
        places = torch.arange(source.shape[1], device=source.device)
        mask = places < lengths.unsqueeze(1)
        states, last = self._encode(self.E_x(source), lengths)
        nothing = states.new_zeros(len(source), states.shape[-1])
        return DecoderState(last, nothing), Memory(states, mask)

    def _encode(self, x: Tensor, lengths: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        if x.is_meta:  # without values there are no lengths to pack by
            return self.encoder(x)
        packed = nn.utils.rnn.pack_padded_sequence(
            x, lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        states, last = self.encoder(packed)
        states, _ = nn.utils.rnn.pad_packed_sequence(
            states, batch_first=True, total_length=x.shape[1]
        )
        return states, last

    def look(
        self, h: Float[Tensor, "batch steps width"], memory: Memory, first: int = 0
    ) -> tuple[Float[Tensor, "batch steps width"], Float[Tensor, "batch steps source"]]:
        """Return contexts and weights for the states *of* these steps.

        Args:
            h: top states of one step or of several.
            memory: what :meth:`read` returned.
            first: which step the first of them is; local-m needs to know.
        """
        mask = memory.mask.unsqueeze(1)
        if self.scope == "global":
            return self.attention(h, memory.states, memory.states, mask)
        context, weights, _ = self.attention(h, memory.states, memory.states, mask, first)
        return context, weights

    def join(
        self, context: Float[Tensor, "*batch width"], h: Float[Tensor, "*batch width"]
    ) -> Float[Tensor, "*batch width"]:
        """Return the attentional vector."""
        if self.W_c is None:
            return context + h
        return torch.tanh(self.W_c(torch.cat([context, h], -1)))

    def advance(
        self,
        y: Float[Tensor, "batch embedding"],
        state: DecoderState,
        memory: Memory,
    ) -> tuple[Tensor, Tensor, DecoderState]:
        """Take one step: state, look, attentional vector, logits.

        Returns:
            Logits (batch, symbols), weights (batch, source), and what the next step needs.
        """
        x = torch.cat([y, state.fed], -1) if self.feeding else y
        h, lstm = self.decoder(x.unsqueeze(1), state.lstm)
        before = state.lstm[0][-1].unsqueeze(1)
        asking = h if self.query == "this step" else before
        context, weights = self.look(asking, memory, state.step)
        fed = self.join(context, h).squeeze(1)
        after = DecoderState(lstm, fed, state.step + 1)
        return self.W_s(fed), weights.squeeze(1), after

    def follow(
        self,
        source: Int[Tensor, "batch source"],
        lengths: Int[Tensor, " batch"],
        target_in: Int[Tensor, "batch target"],
    ) -> tuple[Float[Tensor, "batch target symbols"], Float[Tensor, "batch target source"]]:
        """Return logits and weights of every step, given the true symbol before each.

        Without input feeding no step waits for the look of the one before: all states first,
        then all looks at once.
        """
        state, memory = self.read(source, lengths)
        y = self.E_y(target_in)
        if not self.feeding:
            h, _ = self.decoder(y, state.lstm)
            asking = h
            if self.query != "this step":
                asking = torch.cat([state.lstm[0][-1].unsqueeze(1), h[:, :-1]], 1)
            context, weights = self.look(asking, memory)
            return self.W_s(self.join(context, h)), weights
        all_logits, all_weights = [], []
        for step in y.unbind(1):
            logits, weights, state = self.advance(step, state, memory)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, 1), torch.stack(all_weights, 1)

    def _begin(self, source: Tensor, lengths: Tensor) -> tuple[DecoderState, Memory]:
        return self.read(source, lengths)

    def _advance(
        self, symbol: Tensor, kept: tuple[DecoderState, Memory]
    ) -> tuple[Tensor, Tensor, tuple[DecoderState, Memory]]:
        state, memory = kept
        logits, weights, state = self.advance(self.E_y(symbol), state, memory)
        return logits, weights, (state, memory)


def _open_forget_gates(lstm: nn.LSTM) -> None:
    """Begin with memories that keep: forget gates at sigmoid(1), orthogonal recurrences."""
    d = lstm.hidden_size
    for _, W_h, b_x, b_h in lstm.all_weights:
        for block in W_h.data.split(d):
            nn.init.orthogonal_(block)
        for bias in (b_x, b_h):
            nn.init.zeros_(bias)
        b_x.data[d : 2 * d] = 1.0


def luong_weights(model: LuongSeq2Seq) -> reference.LuongWeights:
    """Copy a model's weights into the arrays that the reference takes.

    Args:
        model: any choice of score, scope, input feeding and attentional layer.

    Returns:
        The weights by their letters, as float64 if the model is.

    Source:
        Luong et al. (2015), section 3.

    >>> luong_weights(LuongSeq2Seq(6, 7, np.random.RandomState(0), 3, 4)).W_c.shape
    (4, 8)
    """

    def array(tensor: Tensor) -> np.ndarray:
        return tensor.detach().cpu().numpy().copy()

    def array_of(module: nn.Module, name: str) -> np.ndarray | None:
        tensor = getattr(module, name, None)
        return None if tensor is None else array(tensor)

    def layers(lstm: nn.LSTM) -> list[tuple[np.ndarray, ...]]:
        return [tuple(map(array, weights)) for weights in lstm.all_weights]

    attention = model.attention
    W_a = array_of(attention.score, "W")
    if W_a is not None and model.score in ("concat", "location"):
        W_a = W_a.T
    weights = reference.LuongWeights(
        E_x=array(model.E_x.weight),
        E_y=array(model.E_y.weight),
        encoder=layers(model.encoder),
        decoder=layers(model.decoder),
        score=model.score,
        W_a=W_a,
        v_a=array_of(attention.score, "w_v"),
        W_c=None if model.W_c is None else array(model.W_c.weight),
        W_s=array(model.W_s.weight),
        feeding=model.feeding,
        scope=model.scope,
        query=model.query,
    )
    if isinstance(attention, LocalAttention):
        weights = weights._replace(D=attention.D)
        if attention.predictor is not None:
            W_p, v_p = attention.predictor.W_p.weight, attention.predictor.v_p.weight
            weights = weights._replace(W_p=array(W_p), v_p=array(v_p)[0])
    return weights
