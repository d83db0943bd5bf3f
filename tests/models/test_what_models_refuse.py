"""What does not fit a model, a task or a loss, and what is said of it."""

import numpy as np
import pytest
import torch
from rows_models import (
    attention_only,
    bahdanau,
    fixed_context,
    fixed_vector,
    gnmt,
    luong,
    padded,
    transformer,
)
from torch import nn

from attention_course import layers
from attention_course import models as m
from attention_course.data.asked import garments
from attention_course.data.characters import character_text
from attention_course.data.lookup import lookup_batch
from attention_course.data.recall import recall_batch
from attention_course.data.vocabulary import Vocabulary
from attention_course.layers.transformer.transformer_block import BlockAttention
from attention_course.models.experiments import (
    attention_today,
    glimpses,
    linear_today,
    recall,
    uniform_attention,
)
from attention_course.models.translators.regularised import drop_out
from attention_course.models.translators.word_cuts import cut_words
from attention_course.reference.transformer.attention_only import attention_only_by_loops
from attention_course.training import warm_up

R = np.random.RandomState(0)
SYMBOLS = (np.array([[1, 2, 3]]), np.array([1]))
WEIGHTS = np.tril(np.ones((3, 8, 8))) / 8
CUT = torch.zeros(3, 4, dtype=torch.bool)


def language(**more):
    return m.LanguageModel(9, R, **{"d_model": 8, "n_heads": 2, "d_ff": 16} | more)


def only_loops(source, ahead=0):
    return attention_only_by_loops(
        source, [1, 4], m.attention_only_weights(attention_only()), ahead
    )


def torchs(**more):
    return m.from_torch(nn.Transformer(8, 2, 1, 1, 8, batch_first=True, **more))


def cut(where, blade="zero", build=bahdanau):
    model = build()
    with cut_words(model, where, blade):
        model.read(*padded())


def entered(change, head):
    with change(layers.MultiHeadAttention(12, 3), head):
        pass


def encode(n):
    return m.BidirectionalEncoder(10, 12, 3, 20, 2, longest=16)(torch.zeros(n, dtype=int))


def reader(**more):
    good = {"kind": "lstm", "n_symbols": 9, "rng": R, "width": 6}
    return m.NextSymbolModel(**good | more)


def image(**more):
    return m.VisionTransformer(R, **more)


TOO_SMALL = {
    "LanguageModel: n_layers": lambda n: language(n_layers=n),
    "FixedVectorSeq2Seq: n_source": lambda n: m.FixedVectorSeq2Seq(n, 4, 5, R),
    "FixedVectorSeq2Seq: n_target": lambda n: m.FixedVectorSeq2Seq(3, n, 5, R),
    "FixedVectorSeq2Seq: width": lambda n: fixed_vector(width=n),
    "BahdanauSeq2Seq: alignment": lambda n: bahdanau(alignment=n),
    "AttentionOnlySeq2Seq: width": lambda n: attention_only(width=n),
    "GNMT: width": lambda n: gnmt(width=n),
    "LuongSeq2Seq: width": lambda n: luong(width=n),
    "Transformer: n_layers": lambda n: transformer(n_layers=n),
    "NextSymbolModel: width": lambda n: reader(width=n),
    "NextSymbolModel: longest": lambda n: reader(longest=n),
    "LSTMN: d_a": lambda n: layers.LSTMN(3, 4, n),
    "RecurrentTagger: n_symbols": lambda n: m.RecurrentTagger(n, 5, R),
    "RecurrentTagger: width": lambda n: m.RecurrentTagger(3, n, R),
}
NO_SIZE = {
    "BahdanauAttention: d_a": lambda n: layers.BahdanauAttention(1, 1, n),
    "lookup_batch: size": lambda n: lookup_batch(R, n),
    "recall_batch: size": lambda n: recall_batch(R, n),
    "recall_batch: n": lambda n: recall_batch(R, 2, n),
    "call_tensors: size": lambda n: m.call_tensors(R, n),
    "LookupModel: d_k": lambda n: m.LookupModel("scaled", n, R),
    "LocalAttention: D": lambda n: layers.recurrent.local.LocalAttention(
        layers.scores.DotScore(), n
    ),
}
UNKNOWN = {
    "Asker: way": lambda x: m.Asker(x, R, 8, 6),
    "Captioner: way": lambda x: m.Captioner(x, R, m.GridEncoder(6), 9),
    "Glimpser: way": lambda x: glimpses.Glimpser(x, R, 6, 5),
    "AttentiveConvNet: kind": lambda x: m.AttentiveConvNet(x, R),
    "attention_named: kind": lambda x: attention_today.attention_named(
        x, attention_today.Positions()
    ),
    "slowed_speeds: way": lambda x: m.slowed_speeds(x, 16, 4, 32),
    "LookupModel: method": lambda x: m.LookupModel(x, 8, R),
    "NextSymbolModel: kind": lambda x: reader(kind=x),
    "attend_causally: kind": lambda x: recall.attend_causally(x, *torch.ones(3, 1, 4, 2)),
    "make_score: name": lambda x: layers.make_score(x, 4, 9),
    "VisionTransformer: positions": lambda x: image(positions=x),
    "new_positions: kind": lambda x: transformer(positions=x),
    "LuongSeq2Seq: score": lambda x: luong(score=x),
    "LuongSeq2Seq: scope": lambda x: luong(scope=x),
    "LuongSeq2Seq: query": lambda x: luong(query=x),
    "find_model: name": lambda x: m.find_model(x),
}
REFUSED = [
    *((lambda f=f: f(0), f"{said} must be at least 1, got 0") for said, f in TOO_SMALL.items()),
    *(
        (lambda f=f: f(0), rf"{said} must be a positive whole number")
        for said, f in NO_SIZE.items()
    ),
    *(
        (lambda f=f: f("gremlin"), rf"{said} must be one of .*got 'gremlin'")
        for said, f in UNKNOWN.items()
    ),
    (lambda: m.write(language(), [3], 3, R, temperature=0.0), "must be positive"),
    (lambda: character_text(10, 0), "character_text: held_out must be from 1"),
    (lambda: warm_up(0.0, 10), "warm_up: peak and steps must be positive"),
    (lambda: attention_only(ahead=-1), "AttentionOnlySeq2Seq: ahead must be at least 0"),
    (lambda: only_loops([]), "source and target_in must be sequences that hold a symbol"),
    (lambda: only_loops([3, 5], -1), "and ahead at least 0, got 2, 2 and -1"),
    (lambda: m.bahdanau_weights(fixed_context()), "bahdanau_weights: model must have"),
    (lambda: torchs(dropout=0.1), "theirs must have ReLU and dropout 0"),
    (lambda: torchs(dropout=0.0, activation="gelu"), "theirs must have ReLU and dropout 0"),
    *(
        (lambda bad=bad: drop_out(fixed_context(), bad), "drop_out: share must be from 0")
        for bad in (-0.1, 1.0)
    ),
    (lambda: cut(CUT, "blunt"), "blade must be one of"),
    (lambda: cut(CUT[:, :2]), r"got \(3, 2\) for \(3, 4\)"),
    (lambda: cut(~CUT), "leave a word of each"),
    (lambda: cut(CUT, build=fixed_context), "one vector for each source word"),
    (lambda: attention_today.TodayModel(["dense"], [9], 9, R), "kinds must be of"),
    (lambda: attention_today.TodayModel([], [9], 9, R), "kinds must be of"),
    (lambda: m.cut_attention(m.AttentiveConvNet("none", R)), "must have atten"),
    (lambda: m.call_loss(m.CallReader(R), (1, 2, 3)), "batch must have two parts, got"),
    *(
        (lambda bad=bad: glimpses.hide_garments(R, bad[0], garments("test"), bad[1]),
         f"hide_garments: {bad[2]} must be a whole number")
        for bad in ((0, 4, "size"), (2.0, 4, "size"), (2, 2, "grid"), (2, True, "grid"))
    ),
    (lambda: linear_today.rewritten_batch(R, 0), "rewritten_batch: sizes must be positive"),
    *(
        (lambda n=n: linear_today.seldom_batch(R, 2, n), "seldom_batch: size must be positive")
        for n in (65, 1)
    ),
    *(
        (lambda k=k, d=d: recall.RecallModel(k, R, d=d), f"RecallModel: {said}")
        for k, d, said in (
            ([], 8, "kinds must be"), (["near"], 8, "kinds must"), (["full"], 0, "n and d")
        )
    ),
    (lambda: recall.recall_loss(nn.Identity(), ()), "recall_loss: batch must have four"),
    (lambda: m.lookup_loss(nn.Identity(), ()), "lookup_loss: batch must have four"),
    (lambda: m.tagging_loss(
        m.RecurrentTagger(9, 5, R), (torch.tensor([[3, 4]]), torch.tensor([[3]]))
    ), "tagging_loss: target must have the shape of source"),
    (lambda: uniform_attention.FaultyAttention(BlockAttention(4, 2), "no residual"),
     "fault must be in an attention, got 'no residual'"),
    (lambda: m.plant(language(), "gremlin"), "got 'gremlin'"),
    (lambda: image(patch=5), "VisionTransformer: patch must be a divisor of 28"),
    *(
        (lambda at=at: m.without_head(image(), *at), "head must be below 2")
        for at in ((2, 0), (0, -1))
    ),
    (lambda: gnmt(depth=1), "GNMT: depth must be at least"),
    *(
        (lambda n=n: encode(n), f"BidirectionalEncoder: tokens must be 1 to 16, got {n}")
        for n in (0, 17)
    ),
    (lambda: m.read_tokens(m.llama_like(9, 16, 4, 2, 24, 1), torch.zeros(0, dtype=int)),
     "read_tokens: tokens must not be empty"),
    *(
        (lambda f=f, n=n: entered(f, n), rf"heads must be from 0 to 2, got \({n},\)")
        for f in (m.silenced, m.evened) for n in (-1, 3)
    ),
    (lambda: m.looks_back(WEIGHTS, 8), "looks_back: steps must be below 8, got 8"),
    *(
        (lambda n=n: m.induction_scores(WEIGHTS, n), "scores: period must be from 1 to 7")
        for n in (0, 8)
    ),
]  # fmt: skip


@pytest.mark.parametrize(("call", "said"), REFUSED, ids=[said[:50] for _, said in REFUSED])
def test_what_does_not_fit_is_refused(call, said):
    with pytest.raises(ValueError, match=said):
        call()
