"""Every layer, model and training loop works where its inputs lie, and in their format.

No GPU is needed. The meta device stands for one: it computes shapes alone, and has no value
that anybody could wait for. And where meta is the default device, whatever a layer makes
without saying where lies apart from its inputs, on the CPU, and shows.
"""

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
import torch
from pretended import Pretended, There
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

import attention_course.layers
import attention_course.models
from attention_course.data import draw_scenes
from attention_course.data.covered_letters import cover_every_letter
from attention_course.measure.equality import equivalence
from attention_course.models import image_accuracy
from attention_course.models.experiments.captioning import look_elsewhere
from attention_course.models.experiments.convolutional_networks import (
    answers_covered,
    cut_attention,
)
from attention_course.training import fit

INTERFACES = {"Score"}  # each of their subclasses is looked at


def find_modules() -> dict[str, type[nn.Module]]:
    """Find every public class of ours that is a torch module."""
    found = {}
    for package in (attention_course.layers, attention_course.models):
        for info in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            if "._" in info.name:
                continue
            for name, thing in vars(importlib.import_module(info.name)).items():
                ours = inspect.isclass(thing) and issubclass(thing, nn.Module)
                if ours and thing.__module__ == info.name and name[0] != "_":
                    found[name] = thing
    return found


FOUND = find_modules()


def floats(*shape: int) -> Tensor:
    """Draw numbers from a seed that is the shape."""
    return torch.from_numpy(np.random.RandomState(sum(shape)).standard_normal(shape)).float()


def symbols(*shape: int, below: int = 6) -> Tensor:
    return torch.from_numpy(np.random.RandomState(sum(shape)).randint(3, below, shape))


def rng() -> np.random.RandomState:
    return np.random.RandomState(0)


def make(name: str, *sizes, **choices) -> nn.Module:
    torch.manual_seed(0)
    return FOUND[name](*sizes, **choices)


def qkv() -> list[Tensor]:
    return [floats(2, 5, 4), floats(2, 7, 4), floats(2, 7, 3)]


def qkv_of_one_length() -> list[Tensor]:
    return [floats(2, 7, 4), floats(2, 7, 4), floats(2, 7, 3)]


def latents() -> list[Tensor]:
    queries = floats(2, 3, 5, 4), floats(2, 3, 5, 2)
    return [*queries, floats(2, 7, 6), floats(2, 7, 2), floats(3, 6, 4), floats(3, 6, 5)]


def pair() -> list[Tensor]:
    return [floats(2, 5, 4), floats(2, 7, 4)]


def read_and_write() -> list[Tensor]:
    return [symbols(2, 5), torch.tensor([5, 3]), symbols(2, 4)]


MASK = torch.arange(7) < 5
REAL = MASK.expand(2, 1, 1, 7)
WIDTHS = {"embedding": 3, "encoder": 4, "decoder": 8, "maxout": 2}


class Looking(nn.Module):
    """Lets a module that is used by two methods be called like any other."""

    def __init__(self, part: nn.Module):
        super().__init__()
        self.part = part

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.part.look(x, self.part.remember(x), mask)


class Saying(nn.Module):
    """Lets positions be called: added, turned and as a bias."""

    def __init__(self, part: nn.Module):
        super().__init__()
        self.part = part

    def forward(self, x: Tensor) -> list[Tensor | None]:
        return [self.part.add(x, 2), self.part.turn(x, 2), self.part.bias(3, 5, 2)]


class Computing(nn.Module):
    """Lets a function be called like any module."""

    def __init__(self, name: str, **choices):
        super().__init__()
        self.function, self.choices = FUNCTIONS[name], choices

    def forward(self, *inputs):
        return self.function(*inputs, **self.choices)


def find_functions() -> dict[str, Callable]:
    """Find every public function of the layers that computes with tensors."""
    layers, found = attention_course.layers, {}
    for name in layers.__all__:
        if inspect.isfunction(function := getattr(layers, name)):
            first = next(iter(inspect.signature(function).parameters.values()), None)
            annotation = first and getattr(first.annotation, "array_type", first.annotation)
            if annotation is Tensor:
                found[name] = function
    return found


FUNCTIONS = find_functions()
POSITIONS = torch.tensor([[1.0, 2.5, 3.0, 4.2, 6.0], [0.0, 1.0, 5.5, 5.0, 6.0]])

# Name of the function, what it is given, what is chosen.
CALLS: list[tuple[str, Callable[[], list], dict]] = [
    ("scaled_dot_product_attention", lambda: [*qkv(), MASK], {}),
    ("attend", lambda: [floats(2, 5, 7), floats(2, 7, 3), MASK], {}),
    ("masked_softmax", lambda: [floats(2, 5, 7), MASK], {}),
    ("local_weights", lambda: [floats(2, 5, 7), POSITIONS.clone()], {"D": 2}),
    ("gated_step", lambda: [floats(2, 12), floats(2, 4), floats(4, 12)], {}),
    ("reverse_rows", lambda: [floats(2, 5, 4), torch.tensor([5, 3])], {}),
    ("take", lambda: [floats(2, 7, 3), symbols(2, 5)], {}),
    (
        "reinforce_loss",
        lambda: [floats(2, 7).softmax(-1), symbols(2), floats(2)],
        {"baseline": 0.5},
    ),
    ("sliding_window_attention", qkv_of_one_length, {"width": 3}),
    ("linear_attention", qkv_of_one_length, {"causal": True}),
    ("linear_in_chunks", lambda: [x.sigmoid() for x in qkv_of_one_length()], {}),
    ("latent_attention", lambda: latents(), {}),
    ("absorbed_latent_attention", lambda: latents(), {}),
    (
        "native_sparse_attention",
        lambda: [*qkv_of_one_length(), floats(2, 7, 3), floats(3)],
        {"chosen": 2, "width": 2},
    ),
    ("summaries", lambda: [floats(2, 7, 3), floats(3)], {}),
    ("chosen_mask", lambda: [floats(2, 5, 4)], {"size": 2, "chosen": 2, "n_keys": 7}),
    ("post_norm", lambda: [floats(2, 5, 4)], {"part": torch.tanh, "norm": torch.sigmoid}),
    ("pre_norm", lambda: [floats(2, 5, 4)], {"part": torch.tanh, "norm": torch.sigmoid}),
]
# Its pattern belongs on the CPU, so not every tensor lies on one device.
MIXED = {"block_sparse_attention"}

# Name of the class or function, what is chosen, how it is built, what it is given.
Case = tuple[str, str, Callable[[], nn.Module], Callable[[], list]]
CASES: list[Case] = [
    *(
        (name, "", lambda name=name, choices=choices: Computing(name, **choices), give)
        for name, give, choices in CALLS
    ),
    ("Attention", "", lambda: make("Attention"), lambda: [*qkv(), MASK]),
    ("DotScore", "", lambda: make("DotScore"), pair),
    ("ScaledDotScore", "", lambda: make("ScaledDotScore"), pair),
    ("AdditiveScore", "", lambda: make("AdditiveScore", 4, 4, 6), pair),
    ("GeneralScore", "", lambda: make("GeneralScore", 4, 4), pair),
    ("ConcatScore", "", lambda: make("ConcatScore", 4, 4, 6), pair),
    ("LocationScore", "", lambda: make("LocationScore", 4, 9), pair),
    ("CosineScore", "fixed", lambda: make("CosineScore", 2.0), pair),
    ("CosineScore", "learned", lambda: make("CosineScore", 2.0, 4), pair),
    ("KernelScore", "", lambda: make("KernelScore"), pair),
    (
        "BahdanauAttention",
        "",
        lambda: make("BahdanauAttention", 4, 6, 5),
        lambda: [floats(2, 4), floats(2, 7, 5), floats(2, 7, 6), MASK.expand(2, 7)],
    ),
    (
        "GatedUnit",
        "",
        lambda: Stepping(make("GatedUnit", 3, 4)),
        lambda: [floats(2, 3), floats(2, 4)],
    ),
    (
        "TwoWayEncoder",
        "",
        lambda: make("TwoWayEncoder", 4, 5),
        lambda: [floats(2, 7, 4), MASK.expand(2, 7)],
    ),
    *(
        (
            "BlockAttention",
            kind,
            lambda kind=kind: Looking(make("BlockAttention", 8, 2, positions=places(kind))),
            lambda: [floats(2, 7, 8), MASK],
        )
        for kind in ("Positions", "RotaryPositions", "ALiBiPositions")
    ),
    (
        "SlowedRotary",
        "",
        lambda: Looking(
            make("BlockAttention", 8, 2, positions=make("SlowedRotary", "YaRN", 4.0, 32))
        ),
        lambda: [floats(2, 7, 8), MASK],
    ),
    *(
        (
            name,
            "",
            lambda name=name, sizes=sizes: Looking(
                make(name, 8, 2, *sizes, positions=places("RotaryPositions"))
            ),
            lambda: [floats(2, 7, 8), torch.ones(7, 7, dtype=torch.bool).tril()],
        )
        for name, sizes in (
            ("LatentAttention", (6, 2)),
            ("NativeSparseAttention", (3, 2, 2)),
            ("WindowedAttention", (3,)),
        )
    ),
    *(
        (
            "SteadyAttention",
            name,
            lambda more=more: Looking(make("SteadyAttention", 8, 2, **more)),
            lambda: [floats(2, 7, 8), MASK],
        )
        for name, more in (
            ("norm and cap", {"norm": True, "cap": 2.0}),
            ("gate", {"gate": True}),
        )
    ),
    (
        "RecurrentAttention",
        "",
        lambda: Looking(make("RecurrentAttention", 8, 2, decay=True, short=3)),
        lambda: [floats(2, 7, 8), MASK],
    ),
    *(
        (
            "TodayModel",
            kind,
            lambda kind=kind: make("TodayModel", [kind], [9, 9], 9, rng()),
            lambda: [symbols(2, 20), symbols(2, 20)],
        )
        for kind in ("full", "shared", "latent", "window", "sparse", "gated delta", "qk-norm")
    ),
    *(
        (name, "", partial(make, name, 4, 6), lambda: [floats(2, 5, 4)])
        for name in ("FeedForward", "SmoothFeedForward", "GatedFeedForward")
    ),
    (
        "PlainBlock",
        "",
        lambda: make("PlainBlock", 8, 2, 6),
        lambda: [floats(2, 7, 8), MASK],
    ),
    (
        "TransformerBlock",
        "",
        lambda: make("TransformerBlock", 8, 2, 6),
        lambda: [floats(2, 7, 8), MASK],
    ),
    (
        "CrossAttention",
        "",
        lambda: make("CrossAttention", 8, 4, 2),
        lambda: [floats(2, 5, 8), floats(2, 7, 4), None, MASK.expand(2, 7)],
    ),
    (
        "HardAttention",
        "training",
        lambda: make("HardAttention"),
        lambda: [*qkv(), rng(), MASK],
    ),
    (
        "HardAttention",
        "evaluation",
        lambda: make("HardAttention").eval(),
        lambda: [*qkv(), rng(), MASK],
    ),
    (
        "GumbelAttention",
        "training",
        lambda: make("GumbelAttention", 0.7),
        lambda: [*qkv(), rng(), MASK],
    ),
    (
        "PredictedCentre",
        "",
        lambda: make("PredictedCentre", 4, 3),
        lambda: [floats(2, 5, 4), torch.tensor([7, 4])],
    ),
    (
        "LocalAttention",
        "around the step",
        lambda: make("LocalAttention", make("DotScore"), 2),
        lambda: [*qkv(), MASK],
    ),
    (
        "LocalAttention",
        "predicted",
        lambda: make("LocalAttention", make("DotScore"), 2, make("PredictedCentre", 4, 3)),
        lambda: [*qkv(), MASK],
    ),
    (
        "TwoWayLSTM",
        "",
        lambda: make("TwoWayLSTM", 4, 3),
        lambda: [floats(2, 5, 4), torch.tensor([5, 3])],
    ),
    (
        "ResidualStack",
        "",
        lambda: make("ResidualStack", 4, 0, 3, 4),
        lambda: [floats(2, 5, 4)],
    ),
    ("LSTMN", "", lambda: make("LSTMN", 4, 3, 2), lambda: [floats(2, 5, 4)]),
    (
        "MultiHeadAttention",
        "",
        lambda: make("MultiHeadAttention", 8, 2),
        lambda: [floats(2, 5, 8), floats(2, 7, 8), MASK],
    ),
    (
        "MultiHeadAttention",
        "grouped",
        lambda: make("MultiHeadAttention", 8, 4, 2),
        lambda: [floats(2, 7, 8), None, MASK, torch.tensor([True, False, True, True])],
    ),
    *(
        (name, "", lambda name=name: Saying(places(name)), lambda: [floats(2, 2, 3, 8)])
        for name in (
            "Positions",
            "SinusoidalPositions",
            "LearnedPositions",
            "RotaryPositions",
            "ALiBiPositions",
        )
    ),
    (
        "SelfAttention",
        "",
        lambda: make("SelfAttention", 4, 3),
        lambda: [floats(2, 7, 4), MASK],
    ),
    (
        "BahdanauSeq2Seq",
        "",
        lambda: make("BahdanauSeq2Seq", 6, 7, rng(), **WIDTHS),
        read_and_write,
    ),
    (
        "FixedContextSeq2Seq",
        "",
        lambda: make("FixedContextSeq2Seq", 6, 7, rng(), **WIDTHS),
        read_and_write,
    ),
    (
        "Seq2SeqWithScore",
        "",
        lambda: make("Seq2SeqWithScore", "cosine", 6, 7, rng(), **WIDTHS),
        read_and_write,
    ),
    (
        "CoveredLetterModel",
        "",
        lambda: make("CoveredLetterModel", 2, rng()),
        lambda: [symbols(2, 5), torch.tensor([1, 4])],
    ),
    (
        "EncoderDecoder",
        "",
        lambda: make("EncoderDecoder", 8, 2, 6, 1, 1),
        lambda: [floats(2, 7, 8), floats(2, 5, 8), MASK.expand(2, 7)],
    ),
    (
        "FixedVectorSeq2Seq",
        "",
        lambda: make("FixedVectorSeq2Seq", 6, 7, 4, rng()),
        read_and_write,
    ),
    ("GNMT", "", lambda: make("GNMT", 6, 7, rng(), 3, 4), read_and_write),
    (
        "SceneEncoder",
        "",
        lambda: make("SceneEncoder", 5),
        lambda: [floats(2, 3, 24, 24)],
    ),
    *(
        (
            "Captioner",
            way,
            lambda way=way: make("Captioner", way, rng(), 8, 6, 4, 5),
            lambda: [floats(2, 3, 24, 24), symbols(2, 8)],
        )
        for way in ("soft", "hard", "even")
    ),
    (
        "HardLookup",
        "",
        lambda: make("HardLookup", "soft", 4, rng()),
        lambda: [symbols(2, 16), symbols(2, 16), symbols(2)],
    ),
    (
        "BidirectionalEncoder",
        "",
        lambda: make("BidirectionalEncoder", 6, 8, 2, 6, 2),
        lambda: [symbols(5)],
    ),
    *(
        (
            "LanguageModel",
            kind,
            lambda kind=kind: make("LanguageModel", 6, rng(), 8, 2, 6, 1, kind),
            lambda: [symbols(2, 5)],
        )
        for kind in ("none", "sinusoidal", "learned", "rotary", "alibi")
    ),
    ("SpatialGate", "", lambda: make("SpatialGate", 4), lambda: [floats(2, 4, 3, 5)]),
    (
        "SqueezeAndExcitation",
        "",
        lambda: make("SqueezeAndExcitation", 4, 2),
        lambda: [floats(2, 4, 3, 5)],
    ),
    *(
        (
            "NonLocalBlock",
            way,
            lambda way=way: make("NonLocalBlock", 4, 2, way),
            lambda: [floats(2, 4, 3, 5)],
        )
        for way in ("softmax", "dot product")
    ),
    *(
        (
            "AttentiveConvNet",
            kind,
            lambda kind=kind: make("AttentiveConvNet", kind, rng()),
            lambda: [floats(2, 28, 28)],
        )
        for kind in ("none", "doubled", "spatial", "channel", "softmax")
    ),
    *(
        (
            "VisionTransformer",
            kind,
            lambda kind=kind: make("VisionTransformer", rng(), positions=kind),
            lambda: [floats(2, 28, 28)],
        )
        for kind in ("learned", "sinusoidal")
    ),
    *(
        (
            "Asker",
            way,
            lambda way=way: make("Asker", way, rng(), 8, 6),
            lambda: [floats(2, 42, 42), symbols(2, 3)],
        )
        for way in ("two looks", "even")
    ),
    *(
        (
            "Glimpser",
            way,
            lambda way=way: make("Glimpser", way, rng(), 8, 6),
            lambda: [floats(2, 56, 56)],
        )
        for way in ("chosen", "soft")
    ),
    ("GarmentEncoder", "", lambda: make("GarmentEncoder", 6), lambda: [floats(2, 9, 196)]),
    ("Detector", "", lambda: make("Detector", rng(), 8), lambda: [floats(2, 42, 42)]),
    (
        "Look",
        "",
        lambda: make("Look", 8),
        lambda: [floats(2, 5, 8), floats(2, 9, 8)],
    ),
    (
        "DetectorLayer",
        "",
        lambda: make("DetectorLayer", 8),
        lambda: [floats(2, 8, 8), floats(2, 9, 8)],
    ),
    ("SmallConvNet", "", lambda: make("SmallConvNet", rng()), lambda: [floats(2, 28, 28)]),
    ("CallReader", "", lambda: make("CallReader", rng(), sink=True), lambda: [symbols(2, 16)]),
    (
        "LookupModel",
        "",
        lambda: make("LookupModel", "additive", 4, rng()),
        lambda: [symbols(2, 16), symbols(2, 16), symbols(2)],
    ),
    *(
        (
            "LuongSeq2Seq",
            scope,
            lambda scope=scope, score=score: make(
                "LuongSeq2Seq", 6, 7, rng(), 3, 4, score=score, scope=scope, D=2
            ),
            read_and_write,
        )
        for scope, score in (("global", "location"), ("local-m", "concat"), ("local-p", "dot"))
    ),
    ("PronounReader", "", lambda: make("PronounReader", rng()), lambda: [symbols(2, 11)]),
    ("CausalHead", "", lambda: make("CausalHead", 4, 3), lambda: [floats(2, 5, 4)]),
    *(
        (
            "NextSymbolModel",
            kind,
            lambda kind=kind: make("NextSymbolModel", kind, 6, rng(), 4, 9),
            lambda: [symbols(2, 5)],
        )
        for kind in ("lstm", "lstmn", "head")
    ),
    (
        "LookupWithScore",
        "",
        lambda: make("LookupWithScore", "cosine", 4, rng()),
        lambda: [symbols(2, 16), symbols(2, 16), symbols(2)],
    ),
    *(
        (
            "RecallModel",
            kind,
            lambda kind=kind: make("RecallModel", [kind], rng(), 20, 8),
            lambda: [symbols(2, 20), symbols(2, 20), symbols(2, 20)],
        )
        for kind in ("full", "window", "blocks", "linear")
    ),
    (
        "RecurrentTagger",
        "",
        lambda: make("RecurrentTagger", 6, 4, rng()),
        lambda: [symbols(2, 5)],
    ),
    (
        "AttentionOnlySeq2Seq",
        "",
        lambda: make("AttentionOnlySeq2Seq", 6, 7, rng(), 8, 2),
        read_and_write,
    ),
    *(
        (
            "Transformer",
            kind,
            lambda kind=kind: make(
                "Transformer", 6, 7, rng(), 8, 2, 6, 1, positions=kind, longest=9
            ),
            read_and_write,
        )
        for kind in ("sinusoidal", "rotary", "alibi")
    ),
    (
        "AssembledTransformer",
        "",
        lambda: make("AssembledTransformer", 6, 7, rng(), d_model=8, n_heads=2, d_ff=6),
        read_and_write,
    ),
    ("PlacedWords", "", lambda: make("PlacedWords", 6, 8), lambda: [symbols(2, 5)]),
    (
        "Encoder",
        "",
        lambda: make("Encoder", 6, 1, 8, 2, 6),
        lambda: [symbols(2, 7), REAL],
    ),
    (
        "Decoder",
        "",
        lambda: make("Decoder", 6, 1, 8, 2, 6),
        lambda: [symbols(2, 4), floats(2, 7, 8), REAL],
    ),
    (
        "EncoderLayer",
        "",
        lambda: make("EncoderLayer", 8, 2, 6),
        lambda: [floats(2, 7, 8), REAL],
    ),
    (
        "DecoderLayer",
        "",
        lambda: make("DecoderLayer", 8, 2, 6),
        lambda: [floats(2, 4, 8), floats(2, 7, 8), REAL],
    ),
    *(
        (
            "FaultyAttention",
            fault,
            lambda fault=fault: Looking(
                make("FaultyAttention", make("BlockAttention", 8, 2), fault)
            ),
            lambda: [floats(2, 7, 8), MASK],
        )
        for fault in ("none", "small scores", "wrong axis", "empty rows")
    ),
    *(
        (
            "FixedAttention",
            look,
            lambda look=look: Looking(make("FixedAttention", 8, look)),
            lambda: [floats(2, 7, 8)],
        )
        for look in ("itself", "mean")
    ),
    ("NoAttention", "", lambda: Looking(make("NoAttention", 8, 2)), lambda: [floats(2, 7, 8)]),
    ("Nothing", "", lambda: make("Nothing"), lambda: [floats(2, 7, 8)]),
    *(
        (
            "LocalAttentionCopier",
            kind,
            lambda kind=kind: make("LocalAttentionCopier", kind, 2, rng(), 4),
            read_and_write,
        )
        for kind in ("global", "local-m", "local-p")
    ),
]
every_case = pytest.mark.parametrize(
    ("name", "choice", "build", "give"), CASES, ids=[" ".join(case[:2]) for case in CASES]
)


def places(name: str) -> nn.Module:
    sizes = {"SinusoidalPositions": (8, 9), "LearnedPositions": (8, 9), "ALiBiPositions": (2,)}
    return make(name, *sizes.get(name, ()))


class Stepping(nn.Module):
    """Lets a unit that is used step by step be called like any other."""

    def __init__(self, part: nn.Module):
        super().__init__()
        self.part = part

    def forward(self, x: Tensor, s: Tensor) -> Tensor:
        return self.part.step(self.part.W(x), s)


def moved(inputs: list, to: str | torch.dtype) -> list:
    """Move tensors to a device, or their floats to a format; let gradients reach those."""

    def move(x):
        if not isinstance(x, Tensor) or (
            isinstance(to, torch.dtype) and not x.is_floating_point()
        ):
            return x
        x = x.to(to)
        return x.requires_grad_() if x.is_floating_point() else x

    return [move(x) for x in inputs]


def run(module: nn.Module, inputs: list) -> list[Tensor]:
    """Go forward and backward; return all outputs and gradients."""
    outputs = [x for x in tree_leaves(module(*inputs)) if isinstance(x, Tensor)]
    learnt = [x for x in outputs if x.requires_grad]
    if learnt:
        sum(x.square().sum() for x in learnt).backward()
    leaves = [x for x in inputs if isinstance(x, Tensor)] + list(module.parameters())
    return outputs + [x.grad for x in leaves if x.grad is not None]


CARRYING = ("copy", "lift_fresh")  # data on its way


class StraysError(AssertionError):
    """An operation mixed devices, or made a tensor in the wrong place."""


class OnlyOn(TorchDispatchMode):
    """Refuse every operation on tensors that lie elsewhere.

    A number (a tensor without axes) may lie on the CPU, and data may be carried over: torch
    does the same.
    """

    def __init__(self, device: str):
        super().__init__()
        self.device, self.seen = device, 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        if not any(word in str(func) for word in CARRYING):
            self.seen += 1
            met = {
                x.device.type
                for x in tree_leaves((args, kwargs, out))
                if isinstance(x, Tensor) and x.ndim
            }
            if not met <= {self.device}:
                raise StraysError(f"{func} has tensors on {sorted(met)}")
        return out


def test_every_public_layer_and_model_is_looked_at():
    public = set(FOUND) | set(FUNCTIONS)
    missing = public - INTERFACES - MIXED - {case[0] for case in CASES}
    assert not missing, f"without a case here: {sorted(missing)}"
    assert {case[0] for case in CASES} <= public
    assert len(FOUND) >= 55
    assert len(FUNCTIONS) >= 14


def test_a_pattern_of_blocks_stays_on_the_cpu_and_what_is_computed_does_not():
    blocks, block_sparse = torch.eye(2, dtype=torch.bool), FUNCTIONS["block_sparse_attention"]
    inputs = moved(qkv_of_one_length(), "meta")
    with OnlyOn("meta") as watch:
        block_sparse(*inputs, blocks, 4).sum().backward()
    assert watch.seen


@every_case
def test_forward_and_backward_on_meta(name, choice, build, give):
    module, inputs = build().to("meta"), moved(give(), "meta")
    with OnlyOn("meta") as watch:
        found = run(module, inputs)
    assert {x.device.type for x in found} == {"meta"}
    assert watch.seen


@every_case
def test_inputs_on_the_cpu_beside_another_default_device(name, choice, build, give):
    wanted = run(build(), moved(give(), "cpu"))
    module, inputs = build(), moved(give(), "cpu")
    torch.set_default_device("meta")
    try:
        found = run(module, inputs)
    finally:
        torch.set_default_device(None)
    assert len(found) == len(wanted)
    assert all(torch.equal(a, b) for a, b in zip(found, wanted, strict=True))


@every_case
@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.float16], ids=str)
def test_outputs_and_gradients_come_in_the_format_of_the_inputs(
    name, choice, build, give, dtype
):
    found = run(build().to(dtype), moved(give(), dtype))
    assert {x.dtype for x in found if x.is_floating_point()} <= {dtype}
    assert all(x.isfinite().all() for x in found if not name.endswith("Score"))


# Decoding, and what trains.

WRITERS = sorted(name for name, found in FOUND.items() if hasattr(found, "generate"))


def test_every_model_that_writes_is_found():
    assert len(WRITERS) >= 8


@pytest.mark.parametrize("name", WRITERS)
def test_writing_beside_another_default_device(name):
    build, give = next(case[2:] for case in CASES if case[0] == name)
    source, lengths, _ = give()
    model = build()
    wanted = model.generate(source, lengths, 6)
    torch.set_default_device("meta")
    try:
        assert torch.equal(model.generate(source, lengths, 6), wanted)
    finally:
        torch.set_default_device(None)


@pytest.mark.parametrize("kind", ["sinusoidal", "rotary", "alibi"])
def test_sampling_beside_another_default_device(kind):
    language = importlib.import_module(FOUND["LanguageModel"].__module__)
    model = make("LanguageModel", 6, rng(), 8, 2, 6, 1, kind)
    wanted = language.sample(model, [3], 6, rng())
    torch.set_default_device("meta")
    try:
        assert language.sample(model, [3], 6, rng()) == wanted
    finally:
        torch.set_default_device(None)


def small_run(checkpoint=None, steps=6) -> list[Tensor]:
    """Train a model on pairs for a few steps, with validation and a checkpoint."""
    fixed = importlib.import_module(FOUND["FixedVectorSeq2Seq"].__module__)
    with torch.device("cpu"):
        model = make("FixedVectorSeq2Seq", 6, 7, 4, rng())
    pairs = fixed.pad([[3, 4], [5]]) + fixed.pad([[4, 2], [3, 2]])
    settings = {"steps": steps, "every": 2, "checkpoint": checkpoint, "progress": False}
    fit(
        model,
        lambda rng: fixed.Batch(*pairs),
        fixed.sequence_loss,
        rng(),
        validate=lambda model: float(fixed.sequence_loss(model, fixed.Batch(*pairs))),
        patience=9,
        **settings,
    )
    return list(model.parameters())


def test_training_and_resuming_beside_another_default_device(tmp_path):
    wanted = small_run()
    torch.set_default_device("meta")
    try:
        small_run(tmp_path / "here.pt", steps=4)
        found = small_run(tmp_path / "here.pt")
    finally:
        torch.set_default_device(None)
    assert all(torch.equal(a, b) for a, b in zip(found, wanted, strict=True))


def pairs_batch():
    module = importlib.import_module(FOUND["FixedVectorSeq2Seq"].__module__)
    return module.Batch(*module.pad([[3, 4], [5]]), *module.pad([[4, 2], [3, 2]]))


def looked_up() -> tuple[Tensor, ...]:
    return symbols(2, 16), symbols(2, 16), symbols(2), symbols(2)


# Name of the loss, which model, and a batch on the CPU.
LOSSES: list[tuple[str, Callable[[], nn.Module], Callable]] = [
    ("sequence_loss", lambda: make("FixedVectorSeq2Seq", 6, 7, 4, rng()), pairs_batch),
    ("smoothed_loss", lambda: make("FixedVectorSeq2Seq", 6, 7, 4, rng()), pairs_batch),
    (
        "next_symbol_loss",
        lambda: case_of("NextSymbolModel")[2](),
        lambda: symbols(2, 5).numpy(),
    ),
    (
        "pronoun_loss",
        lambda: case_of("PronounReader")[2](),
        lambda: (symbols(2, 11), symbols(2)),
    ),
    ("hard_loss", lambda: case_of("HardLookup")[2](), looked_up),
    (
        "caption_loss",
        lambda: make("Captioner", "soft", rng(), 8, 6, 4, 5),
        lambda: (floats(2, 3, 24, 24), symbols(2, 8)),
    ),
    (
        "naming_loss",
        lambda: make("GarmentEncoder", 6),
        lambda: (floats(2, 196), symbols(2)),
    ),
    (
        "answer_loss",
        lambda: make("Asker", "two looks", rng(), 8, 6),
        lambda: (floats(2, 42, 42), symbols(2, 3), symbols(2)),
    ),
    (
        "glimpse_loss",
        lambda: make("Glimpser", "soft", rng(), 8, 6),
        lambda: (floats(2, 56, 56), symbols(2)),
    ),
    (
        "set_loss",
        lambda: make("Detector", rng(), 8),
        lambda: (floats(2, 42, 42), symbols(2, 5), floats(2, 5, 4)),
    ),
    (
        "image_loss",
        lambda: make("VisionTransformer", rng()),
        lambda: (floats(2, 28, 28), symbols(2)),
    ),
    (
        "call_loss",
        lambda: case_of("CallReader")[2](),
        lambda: (symbols(2, 16), floats(2, 16, 10)),
    ),
    (
        "copy_loss",
        lambda: make("TodayModel", ["full"], [9], 9, rng()),
        lambda: symbols(2, 9).numpy(),
    ),
    (
        "seldom_loss",
        lambda: make("TodayModel", ["full"], [9, 9, 9], 10, rng()),
        lambda: tuple(symbols(2, 9) for _ in range(4)),
    ),
    ("lookup_loss", lambda: case_of("LookupModel")[2](), looked_up),
    (
        "recall_loss",
        lambda: case_of("RecallModel")[2](),
        lambda: (*(symbols(2, 20) for _ in range(3)), torch.zeros(2, 20, dtype=torch.int64)),
    ),
    (
        "two_targets_loss",
        lambda: make("MultiHeadAttention", 16, 2),
        lambda: (floats(2, 8, 16), floats(2, 8, 8)),
    ),
    (
        "covered_loss",
        lambda: case_of("CoveredLetterModel")[2](),
        lambda: cover_every_letter(["heads"]),
    ),
    (
        "tagging_loss",
        lambda: case_of("RecurrentTagger")[2](),
        lambda: (symbols(2, 5), symbols(2, 5)),
    ),
]


def case_of(name: str) -> Case:
    return next(case for case in CASES if case[0] == name)


def functions_named(ending: str) -> dict[str, Callable]:
    """Find the public functions of the models whose names end so."""
    package, found = attention_course.models, {}
    for info in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        for name, thing in vars(importlib.import_module(info.name)).items():
            if name.endswith(ending) and inspect.isfunction(thing):
                found[name] = thing
    return found


def test_every_loss_is_looked_at():
    named = {name for name in functions_named("_loss") if name != "reinforce_loss"}
    assert named == {loss[0] for loss in LOSSES}


@pytest.mark.parametrize(("name", "build", "give"), LOSSES, ids=[loss[0] for loss in LOSSES])
def test_a_batch_follows_the_model_to_meta(name, build, give, monkeypatch):
    # Who answers for whom is decided by values, on the CPU, and meta has none.
    detection = importlib.import_module(FOUND["Detector"].__module__)
    monkeypatch.setattr(detection, "matched_queries", lambda found, names, boxes: names)
    batch, model = give(), build().to("meta")
    with OnlyOn("meta") as watch:
        functions_named("_loss")[name](model, batch).backward()
    assert watch.seen


# What a missing device would do.


@pytest.mark.gate("layers on the reader's device", "a position is made on the CPU")
def test_a_stray_position_is_noticed(monkeypatch):
    positions = FOUND["ALiBiPositions"]

    def stray(self, n_queries, n_keys, start=0):
        i = torch.arange(start, start + n_queries)[:, None]
        return -self.slopes[:, None, None] * (i - torch.arange(n_keys)).abs()

    monkeypatch.setattr(positions, "bias", stray)
    case = next(c for c in CASES if c[:2] == ("LanguageModel", "alibi"))
    with pytest.raises((StraysError, RuntimeError)):
        test_forward_and_backward_on_meta(*case)
    with pytest.raises((AssertionError, RuntimeError, NotImplementedError)):
        test_inputs_on_the_cpu_beside_another_default_device(*case)


@pytest.mark.gate("layers on the reader's device", "a layer looks at a value and waits")
def test_a_look_at_a_value_is_noticed(monkeypatch):
    attention = FOUND["Attention"]
    forward = attention.forward

    def waits(self, q, k, v, mask=None):
        if not torch.isfinite(q).all():
            raise ValueError
        return forward(self, q, k, v, mask)

    monkeypatch.setattr(attention, "forward", waits)
    case = next(c for c in CASES if c[0] == "Attention")
    with pytest.raises(RuntimeError, match="meta"):
        test_forward_and_backward_on_meta(*case)


@pytest.mark.gate("layers on the reader's device", "a new layer has no case")
def test_a_layer_without_a_case_is_noticed(monkeypatch):
    monkeypatch.setitem(FOUND, "NewAttention", nn.Linear)
    with pytest.raises(AssertionError, match="NewAttention"):
        test_every_public_layer_and_model_is_looked_at()


# A Mac's device, which has no float64.

MAC = {"refuses": (torch.float64,)}


@every_case
def test_forward_and_backward_on_a_macs_device(name, choice, build, give):
    if name == "LuongSeq2Seq":
        pytest.skip("torch keeps the lengths of a packed batch on the CPU")
    with Pretended("mps", **MAC):
        module, inputs = build().to("mps"), moved(give(), "mps")
        found = run(module, inputs)
    assert all(isinstance(x, There) for x in found)


@pytest.mark.parametrize("kind", ["sinusoidal", "rotary", "alibi"])
def test_a_macs_device_gives_the_same_logits(kind):
    language = importlib.import_module(FOUND["LanguageModel"].__module__)
    model, symbols_ = make("LanguageModel", 6, rng(), 8, 2, 6, 1, kind), symbols(1, 6)
    wanted = model(symbols_)
    with Pretended("mps", **MAC):
        moved_ = model.to("mps")
        found = moved_(symbols_.to("mps")).cpu()
        language.sample(moved_, [3], 6, rng())
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)


PICTURES = torch.from_numpy(np.random.RandomState(1).random_sample((9, 28, 28))).float()
RANKS = torch.arange(49.0).expand(9, 49)
MEASURES = {
    "VisionTransformer": ((), lambda model, to: image_accuracy(model, size=9)),
    "AttentiveConvNet": (
        ("softmax",),
        lambda model, to: [
            cut_attention(model, size=9),
            answers_covered(model, to(PICTURES), to(RANKS)),
        ],
    ),
    "Captioner": (
        ("soft",),
        lambda model, to: [x.tolist() for x in look_elsewhere(model, draw_scenes(rng(), 9))],
    ),
}


@pytest.mark.parametrize("name", MEASURES)
def test_what_is_measured_on_pictures_is_the_same_on_a_macs_device(name):
    kind, measure = MEASURES[name]
    model = make(name, *kind, rng()).eval()
    wanted = measure(model, lambda x: x)
    with Pretended("mps", **MAC):
        assert measure(model.to("mps"), lambda x: x.to("mps")) == wanted


def test_a_macs_device_has_no_reference_and_it_is_said():
    with Pretended("mps", **MAC), pytest.raises(ValueError, match="float64, got mps: move"):
        equivalence(torch.sin, torch.sin, [torch.ones(3).to("mps")])


@pytest.mark.gate("layers on the reader's device", "a Mac's device is asked for float64")
def test_float64_on_a_macs_device_is_noticed(monkeypatch):
    monkeypatch.setattr(
        "attention_course.layers.positions.Positions._apply", torch.nn.Module._apply
    )
    for kind in ("sinusoidal", "alibi"):
        with pytest.raises(TypeError, match="Cannot convert a mps Tensor"):
            test_a_macs_device_gives_the_same_logits(kind)
