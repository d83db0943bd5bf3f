"""Bahdanau's translator, and the same translator with one fixed context.

The specification is ``reference.bahdanau_by_loops``; :func:`bahdanau_weights` carries a model's
weights over to it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Float, Int
from attention_course.layers.recurrent.bahdanau import (
    BahdanauAttention,
    GatedUnit,
    TwoWayEncoder,
)
from attention_course.models._build import check_lengths, seeded
from attention_course.models.translators._translator import Translator
from attention_course.reference.recurrent import bahdanau as reference


@dataclass(frozen=True)
class Memory:
    """What the decoder may look back at.

    Attributes:
        annotations: one row for each source symbol (the values).
        keys: the same after U_a, computed once for all steps.
        mask: True where there is a symbol and not padding.
    """

    annotations: Tensor
    keys: Tensor
    mask: Tensor


class BahdanauSeq2Seq(Translator):
    r"""A decoder that looks back at the whole source before every symbol.

    .. math:: s_0 = \tanh(W_s \overleftarrow h_1), \qquad
       s_i = \operatorname{GRU}(E_{y_{i-1}}, c_i, s_{i-1})

    .. math:: \tilde t_i = U_o s_{i-1} + V_o E_{y_{i-1}} + C_o c_i, \qquad
       p(y_i) \propto \exp(W_o \operatorname{maxout}(\tilde t_i))

    Args:
        n_source: size of the source vocabulary.
        n_target: size of the target vocabulary.
        rng: the generator of the first weights.
        embedding: width of the embeddings (the paper's m, 620).
        encoder: width of each reader's state (1000).
        decoder: width of the decoder's state (n, 1000).
        alignment: width of the alignment model's hidden layer (n', 1000).
        maxout: units of the output layer (l, 500).

    Source:
        Bahdanau et al. (2015), appendix A, with biases.

    >>> model = BahdanauSeq2Seq(6, 7, np.random.RandomState(0), 3, 4, 5, 8, 2)
    >>> source, lengths = torch.tensor([[3, 4, 5], [3, 0, 0]]), torch.tensor([3, 1])
    >>> logits, weights = model.follow(source, lengths, torch.tensor([[1, 4], [1, 6]]))
    >>> logits.shape, weights.shape
    (torch.Size([2, 2, 7]), torch.Size([2, 2, 3]))
    """

    attention: Any  # what _attention builds: a subclass builds another module, or none

    def __init__(
        self,
        n_source: int,
        n_target: int,
        rng: np.random.RandomState,
        embedding: int = 96,
        encoder: int = 96,
        decoder: int = 192,
        alignment: int = 128,
        maxout: int = 128,
    ):
        super().__init__()
        sizes = {"n_source": n_source, "n_target": n_target, "embedding": embedding}
        sizes |= {
            "encoder": encoder,
            "decoder": decoder,
            "alignment": alignment,
            "maxout": maxout,
        }
        for name, size in sizes.items():
            if size < 1:
                raise ValueError(
                    f"{type(self).__name__}: {name} must be at least 1, got {size}"
                )
        with seeded(rng):
            self.E_x = nn.Embedding(n_source, embedding)
            self.E_y = nn.Embedding(n_target, embedding)
            self.encoder = TwoWayEncoder(embedding, encoder)
            self.W_s = nn.Linear(encoder, decoder)
            self.attention = self._attention(decoder, 2 * encoder, alignment)
            self.decoder = GatedUnit(embedding, decoder)
            self.C = nn.Linear(2 * encoder, 3 * decoder, bias=False)
            self.U_o = nn.Linear(decoder, 2 * maxout, bias=False)
            self.V_o = nn.Linear(embedding, 2 * maxout)
            self.C_o = nn.Linear(2 * encoder, 2 * maxout, bias=False)
            self.W_o = nn.Linear(maxout, n_target)
            for table in (self.E_x, self.E_y):
                nn.init.normal_(table.weight, std=embedding**-0.5)

    def _attention(self, d_query: int, d_key: int, d_a: int) -> nn.Module | None:
        return BahdanauAttention(d_query, d_key, d_a)

    def read(
        self, source: Int[Tensor, "batch source"], lengths: Int[Tensor, " batch"]
    ) -> tuple[Float[Tensor, "batch decoder"], Memory]:
        """Encode the source; return the decoder's first state and what it may look back at."""
        check_lengths(type(self).__name__, source, lengths)
        places = torch.arange(source.shape[1], device=source.device)
        mask = places < lengths.unsqueeze(1)
        annotations, ends = self.encoder(self.E_x(source), mask)
        backward_end = ends[:, self.W_s.in_features :]
        memory = self._remember(annotations, mask, ends)
        return torch.tanh(self.W_s(backward_end)), memory

    def _remember(self, annotations: Tensor, mask: Tensor, ends: Tensor) -> Memory:
        return Memory(annotations, self.attention.keys(annotations), mask)

    def look(
        self, s: Float[Tensor, "batch decoder"], memory: Memory
    ) -> tuple[Float[Tensor, "batch context"], Float[Tensor, "batch keys"]]:
        """Return the context for the state before the step, and the weights behind it."""
        return self.attention(s, memory.keys, memory.annotations, memory.mask)

    def emit(
        self,
        s: Float[Tensor, "*batch decoder"],
        y: Float[Tensor, "*batch embedding"],
        context: Float[Tensor, "*batch context"],
    ) -> Float[Tensor, "*batch symbols"]:
        """Return the logits: three inputs, one maxout layer, one matrix."""
        pairs = self.U_o(s) + self.V_o(y) + self.C_o(context)
        return self.W_o(pairs.unflatten(-1, (-1, 2)).amax(-1))

    def follow(
        self,
        source: Int[Tensor, "batch source"],
        lengths: Int[Tensor, " batch"],
        target_in: Int[Tensor, "batch target"],
    ) -> tuple[Float[Tensor, "batch target symbols"], Float[Tensor, "batch target keys"]]:
        """Return logits and weights of every step, given the true symbol before each."""
        s, memory = self.read(source, lengths)
        y = self.E_y(target_in)
        states, contexts, weights = [], [], []
        for drive in self.decoder.W(y).unbind(1):
            context, alpha = self.look(s, memory)
            states.append(s)
            contexts.append(context)
            weights.append(alpha)
            s = self.decoder.step(drive + self.C(context), s)
        logits = self.emit(torch.stack(states, 1), y, torch.stack(contexts, 1))
        return logits, torch.stack(weights, 1)

    def _begin(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Memory]:
        return self.read(source, lengths)

    def _advance(
        self, symbol: Tensor, kept: tuple[Tensor, Memory]
    ) -> tuple[Tensor, Tensor, tuple[Tensor, Memory]]:
        s, memory = kept
        y = self.E_y(symbol)
        context, weights = self.look(s, memory)
        logits = self.emit(s, y, context)
        s = self.decoder.step(self.decoder.W(y) + self.C(context), s)
        return logits, weights, (s, memory)


class FixedContextSeq2Seq(BahdanauSeq2Seq):
    r"""The same translator, with the same context at every step.

    .. math:: c_i = [\overrightarrow h_{T}; \overleftarrow h_1] \quad \text{for every } i

    Both readers, the decoder and the output layer stay as they are; only the alignment model
    is gone. The context still enters everywhere, at every step: what is missing is the choice.

    Args:
        n_source: size of the source vocabulary.
        n_target: size of the target vocabulary.
        rng: the generator of the first weights.
        **sizes: as :class:`BahdanauSeq2Seq`; ``alignment`` is not used.

    Source:
        RNNencdec of Bahdanau et al. (2015), section 2.1, after Cho et al. (2014), here with
        the two-way encoder, so that nothing but attention differs.

    >>> model = FixedContextSeq2Seq(6, 7, np.random.RandomState(0), 3, 4, 5, 8, 2)
    >>> source, lengths = torch.tensor([[3, 4, 5], [3, 0, 0]]), torch.tensor([3, 1])
    >>> model.follow(source, lengths, torch.tensor([[1, 4], [1, 6]]))[1].shape
    torch.Size([2, 2, 1])
    """

    def _attention(self, d_query: int, d_key: int, d_a: int) -> None:
        return None

    def _remember(self, annotations: Tensor, mask: Tensor, ends: Tensor) -> Memory:
        one = ends.unsqueeze(1)
        return Memory(one, one, mask[:, :1])

    def look(
        self, s: Float[Tensor, "batch decoder"], memory: Memory
    ) -> tuple[Float[Tensor, "batch context"], Float[Tensor, "batch keys"]]:
        """Return the only context: with one score the weight is 1."""
        return memory.annotations[:, 0], s.new_ones(len(s), 1)


def fixed_twin(model: BahdanauSeq2Seq, rng: np.random.RandomState) -> FixedContextSeq2Seq:
    r"""Build the fixed-context counterpart of a model with attention, at equal size.

    What the alignment model needed goes into a wider decoder, until the number of weights is
    as close as it can be.

    Args:
        model: with attention; its sizes are read, its weights are not.
        rng: the generator of the first weights.

    Returns:
        The counterpart.

    Source:
        Written for this course: a comparison at unequal size would prove little.

    >>> model = BahdanauSeq2Seq(46, 15, np.random.RandomState(0), 32, 16, 64, 64, 32)
    >>> twin = fixed_twin(model, np.random.RandomState(0))
    >>> [sum(p.numel() for p in m.parameters()) for m in (model, twin)]
    [47471, 47446]
    """
    sizes = {
        "n_source": model.E_x.num_embeddings,
        "n_target": model.E_y.num_embeddings,
        "embedding": model.E_x.embedding_dim,
        "encoder": model.W_s.in_features,
        "maxout": model.W_o.in_features,
    }
    wanted = sum(p.numel() for p in model.parameters())

    def build(width: int) -> FixedContextSeq2Seq:
        state = np.random.RandomState()
        state.set_state(rng.get_state())
        return FixedContextSeq2Seq(**sizes, rng=state, decoder=width)

    def gap(width: int) -> int:
        return abs(sum(p.numel() for p in build(width).parameters()) - wanted)

    width = model.W_s.out_features
    while gap(width + 1) < gap(width):
        width += 1
    twin = build(width)
    rng.randint(2**31 - 1)  # the one draw that building takes
    return twin


def bahdanau_weights(model: BahdanauSeq2Seq) -> reference.BahdanauWeights:
    """Copy a model's weights into the arrays that the reference takes.

    Args:
        model: with attention.

    Returns:
        The weights by their letters, as float64 if the model is.

    Raises:
        ValueError: if the model has no alignment model.

    Source:
        Bahdanau et al. (2015), appendix A.

    >>> model = BahdanauSeq2Seq(6, 7, np.random.RandomState(0), 3, 4, 5, 8, 2)
    >>> bahdanau_weights(model).U_a.shape
    (8, 8)
    """
    if model.attention is None:
        raise ValueError(
            f"bahdanau_weights: model must have attention, got {type(model).__name__}"
        )

    def array(tensor: Tensor) -> np.ndarray:
        return tensor.detach().cpu().numpy().copy()

    def unit(module: GatedUnit) -> reference.GatedUnit:
        return reference.GatedUnit(*map(array, (module.W.weight, module.U, module.W.bias)))

    linear = {
        name: array(getattr(model, name).weight)
        for name in ("E_x", "E_y", "W_s", "C", "U_o", "V_o", "C_o", "W_o")
    }
    alignment = {name: array(getattr(model.attention, name).weight) for name in ("W_a", "U_a")}
    return reference.BahdanauWeights(
        **linear,
        **alignment,
        v_a=array(model.attention.v_a.weight)[0],
        forward=unit(model.encoder.forward_unit),
        backward=unit(model.encoder.backward_unit),
        decoder=unit(model.decoder),
        b_s=array(model.W_s.bias),
        b_o=array(model.V_o.bias),
        b_w=array(model.W_o.bias),
    )
