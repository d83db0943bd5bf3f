"""A captioner and an asker of pictures of two garments, in the small world's words.

Both look at the same grid of features, which were learned by naming garments and then stay as
they are; how they look is the captioner's and the asker's of the chapters.
"""

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Bool, Float, Int
from attention_course.data.packed import unpack_translator
from attention_course.data.tensors import load_checkpoint, tensor_bytes
from attention_course.data.vocabulary import END, Vocabulary
from attention_course.data.world.pictured import (
    ACROSS,
    ANSWERS,
    DOWN,
    LONGEST,
    SIZES,
    TINTS,
    WORN,
    Pictured,
    cells_of,
    draw_pictured,
    scene_words,
    told_of,
)
from attention_course.models._build import seeded, to_model
from attention_course.models.cuts import BLADES
from attention_course.models.experiments.asking import Asker, normal, two_layers
from attention_course.models.experiments.captioning import Captioner, GridEncoder

ASKED = 8  # words of a question
COLOUR = 4  # which word of a caption is the first garment's colour, if it has a size


class QuestionReader(nn.Module):
    """An LSTM that reads a question: the same words in another order ask something else.

    Args:
        words: how many there are.
        d: width of the vectors.

    Source:
        Yang et al. (2016), section 3.2.

    >>> QuestionReader(9, 6)(torch.tensor([[3, 4, 5]])).shape
    torch.Size([1, 1, 6])
    """

    def __init__(self, words: int, d: int):
        super().__init__()
        self.E, self.lstm = nn.Embedding(words, d), nn.LSTM(d, d, batch_first=True)

    def forward(self, questions: Int[Tensor, "n words"]) -> Float[Tensor, "n 1 d"]:
        """Return the state after the last word."""
        states, _ = self.lstm(self.E(questions))
        return states[:, -1:]


class PictureAsker(Asker):
    """The asker of the chapter, on the grid of two garments and of whole sentences.

    Args:
        way: one of ``LOOKERS`` of :mod:`attention_course.models.experiments.asking`.
        rng: where the first parameters are drawn from.
        encoder: what names garments; it stays as it is.
        words: how many there are.
        hidden: width of the hidden layers.

    Source:
        Yang et al. (2016), section 3.

    >>> model = PictureAsker("two looks", np.random.RandomState(0), GridEncoder(6), 25, 5)
    >>> model(torch.zeros(2, 3, 28, 56), torch.zeros(2, 7).long()).weights.shape
    torch.Size([2, 2, 98])
    """

    def __init__(
        self,
        way: str,
        rng: np.random.RandomState,
        encoder: GridEncoder,
        words: int,
        hidden: int = 96,
    ):
        d = encoder.name.in_features
        super().__init__(way, rng, d, hidden)
        self.encoder = encoder.requires_grad_(False)  # type: ignore[assignment]
        with seeded(rng):
            self.place = nn.Parameter(0.7 * torch.randn(DOWN * ACROSS, d))
            self.E = QuestionReader(words, d)  # type: ignore[assignment]
            self.answer = two_layers(d, hidden, len(ANSWERS))

    def annotate(self, pictures: Float[Tensor, "n 3 28 56"]) -> Float[Tensor, "n 98 d"]:
        """Return what lies in each cell, and where that is, in one vector."""
        return torch.relu(self.W_a(self.encoder(pictures)) + self.place)


def garment_loss(encoder: GridEncoder, batch: tuple[Tensor, Tensor]) -> Tensor:
    r"""The loss by which the encoder learns: name the garment of each half.

    .. math:: -\ln p(\text{kind}) - \ln p(\text{colour}) - \ln p(\text{size})

    Args:
        encoder: to be trained.
        batch: pictures, and kind, colour and size of both garments.

    Returns:
        A scalar to be made small, the mean over garments.

    >>> batch = named_tensors(draw_pictured(np.random.RandomState(0), 4))
    >>> garment_loss(GridEncoder(6), batch).shape
    torch.Size([])
    """
    pictures, names = to_model(encoder, batch)
    parts = zip(encoder.names(pictures), names.unbind(-1), strict=True)
    return torch.stack(
        [nn.functional.cross_entropy(logits.flatten(0, 1), n.flatten()) for logits, n in parts]
    ).sum()


def named_tensors(
    seen: Pictured,
) -> tuple[Float[Tensor, "n 3 28 56"], Int[Tensor, "n 2 3"]]:
    """Return pictures with kind, colour and size of both garments, as numbers.

    Args:
        seen: what :func:`attention_course.data.world.pictured.draw_pictured` returns.

    Returns:
        Pictures and numbers of ``WORN``, ``TINTS`` and ``SIZES``.

    >>> named_tensors(draw_pictured(np.random.RandomState(0), 1))[1].tolist()
    [[[2, 0, 0], [8, 3, 0]]]
    """
    lists = WORN, [*TINTS], SIZES
    names = [
        [[words.index(w) for words, w in zip(lists, g, strict=True)] for g in both]
        for both in seen.garments
    ]
    return torch.from_numpy(seen.pictures), torch.tensor(names)


def words_of_scenes(language: str) -> Vocabulary:
    """Return the words of captions and questions with their numbers.

    Args:
        language: ``"french"`` or ``"english"``.

    Returns:
        The words of one language.

    >>> words_of_scenes("english").encode(["coat"])
    [11]
    """
    return Vocabulary(scene_words(language))


def told_tensors(
    seen: Pictured, language: str = "english"
) -> tuple[Float[Tensor, "n 3 28 56"], Int[Tensor, "n 13"]]:
    """Return pictures and captions; behind its end mark a caption is filled with such marks.

    Args:
        seen: what :func:`attention_course.data.world.pictured.draw_pictured` returns.
        language: ``"french"`` or ``"english"``.

    Returns:
        Pictures, and numbers of words.

    >>> told_tensors(draw_pictured(np.random.RandomState(0), 1))[1].shape
    torch.Size([1, 13])
    """
    words = words_of_scenes(language)
    rows = torch.full((len(seen.captions), LONGEST), END)
    for row, said in zip(rows, seen.captions, strict=True):
        numbers = words.encode(getattr(said, language))
        row[: len(numbers)] = torch.tensor(numbers)
    return torch.from_numpy(seen.pictures), rows


def asked_of_pictures(
    seen: Pictured, language: str = "english"
) -> tuple[Float[Tensor, "n 3 28 56"], Int[Tensor, "n 8"], Int[Tensor, " n"]]:
    """Return pictures, questions and answers; a short question is filled at its beginning.

    Args:
        seen: what :func:`attention_course.data.world.pictured.draw_pictured` returns.
        language: ``"french"`` or ``"english"``.

    Returns:
        Pictures, numbers of words, and numbers of ``ANSWERS``.

    >>> asked_of_pictures(draw_pictured(np.random.RandomState(0), 2))[2].tolist()
    [0, 0]
    """
    words = words_of_scenes(language)
    rows = torch.zeros((len(seen.questions), ASKED), dtype=torch.long)
    for row, said in zip(rows, seen.questions, strict=True):
        numbers = words.encode(getattr(said, language))
        row[ASKED - len(numbers) :] = torch.tensor(numbers)
    return torch.from_numpy(seen.pictures), rows, torch.from_numpy(seen.answers)


def about_of(seen: Pictured, language: str = "english") -> Int[np.ndarray, "n 13"]:
    """Return which garment each word of the captions names, -1 for the small words.

    Args:
        seen: what :func:`attention_course.data.world.pictured.draw_pictured` returns.
        language: ``"french"`` or ``"english"``.

    Returns:
        0 or 1 for the words that name a garment, its colour or its size.

    >>> about_of(draw_pictured(np.random.RandomState(0), 1)).tolist()
    [[-1, 0, 0, -1, 0, -1, -1, 1, 1, -1, 1, -1, -1]]
    """
    rows = np.full((len(seen.captions), LONGEST), -1)
    for row, said in zip(rows, seen.captions, strict=True):
        told = told_of(getattr(said, language))
        row[: len(told)] = told
    return rows


def cover_half(
    pictures: Float[Tensor, "n 3 28 56"], which: Int[np.ndarray, " n"], blade: str
) -> Float[Tensor, "n 3 28 56"]:
    """Cover one of the two garments of each picture.

    Args:
        pictures: to be covered.
        which: 0 covers the left half, 1 the right one.
        blade: what is put there: "zero" the background; "mean" the mean of all pictures there;
            "other" what the next picture has there.

    Returns:
        Other pictures; those given stay as they are.

    Raises:
        ValueError: if the blade is another.

    >>> cover_half(torch.ones(1, 3, 28, 56), np.array([1]), "zero").mean().item()
    0.5
    """
    if blade not in BLADES:
        raise ValueError(f"cover_half: blade must be one of {BLADES}, got {blade!r}")
    put = {
        "zero": torch.zeros_like(pictures),
        "mean": pictures.mean(0).expand_as(pictures),
        "other": pictures.roll(-1, 0),
    }[blade]
    right = torch.arange(pictures.shape[-1]) >= pictures.shape[-1] // 2
    return torch.where(
        right == torch.from_numpy(which)[:, None, None, None].bool(), put, pictures
    )


def share_where(
    weights: Float[np.ndarray, "n words cells"],
    cells: Bool[np.ndarray, "n 2 cells"],
    about: Int[np.ndarray, "n words"],
) -> dict[str, float]:
    """Return how much weight lies on the garment that a word is about, and on the other one.

    Args:
        weights: of the cells, for each word or look.
        cells: where the two garments lie.
        about: which of them a word is about; where it is -1, the word does not count.

    Returns:
        Means over the words: on the garment, on the other one.

    >>> cells = np.array([[[True, False, False], [False, True, True]]])
    >>> share_where(np.array([[[0.5, 0.25, 0.25]]]), cells, np.array([[1]]))
    {'own': 0.5, 'other': 0.5}
    """
    rows, words = np.nonzero(about >= 0)
    sides = about[rows, words]
    found = {}
    for name, side in (("own", sides), ("other", 1 - sides)):
        there = weights[rows, words] * cells[rows, side]
        found[name] = float(there.sum(-1).mean())
    return found


@torch.no_grad()
def turned_looks(model: Captioner, seen: Pictured) -> dict[str, list[float]]:
    """Turn the look before the first garment's colour to the other garment.

    The words before are the right ones. Pictures whose garments have one colour are left out,
    and those with trousers on the left, whose colour is another word of the caption.

    Args:
        model: a trained captioner in English.
        seen: pictures.

    Returns:
        Shares of the colours written that are the first garment's and the other one's: "free";
        "this look", with all its weight spread over the other garment; and "every look so
        far", with that of the words before as well.

    >>> model = load_scene_model("captions", "soft")[0]
    >>> found = turned_looks(model, draw_pictured(np.random.RandomState(0), 20))
    >>> sorted(found), len(found["free"])
    (['every look so far', 'free', 'this look'], 2)
    """
    kept = [
        row
        for row, (left, right) in enumerate(seen.garments)
        if left.kind != "trousers" and left.colour != right.colour
    ]
    pictures, captions = to_model(model, tuple(part[kept] for part in told_tensors(seen)))
    words = words_of_scenes("english")
    wanted = [[*words.encode(g.colour for g in seen.garments[k])] for k in kept]
    there = torch.from_numpy(cells_of(seen.pictures)[kept, 1]).to(pictures)
    there /= there.sum(1, keepdim=True)
    turns = {"free": [], "this look": [COLOUR], "every look so far": range(COLOUR + 1)}
    found = {}
    for name, turned in turns.items():
        logs = model(pictures, captions, look_at=dict.fromkeys(turned, there)).logs
        written = logs[:, COLOUR].argmax(-1, keepdim=True)
        same = written.cpu() == torch.tensor(wanted)
        found[name] = same.double().mean(0).tolist()
    return found


def load_scene_model(task: str, way: str) -> tuple[Captioner | PictureAsker, dict[str, str]]:
    """Load what ``benchmarks/small_scenes.py`` has trained, in eight bits, that of seed 0.

    Args:
        task: "captions" or "questions".
        way: how it looks: "soft", "hard" or "even"; the asker has "two looks".

    Returns:
        The model in evaluation mode, and where its weights come from.

    Raises:
        ValueError: if there are no such weights.

    Source:
        ``data/checkpoints/small_world/PROVENANCE.md``.
    """
    packed, about = load_checkpoint(f"small_world/{task}-{way.replace(' ', '_')}")
    arrays, _ = unpack_translator(tensor_bytes(packed))
    encoder = GridEncoder(arrays["encoder.name.weight"].shape[1])
    kind = PictureAsker if task == "questions" else Captioner
    model = kind(way, np.random.RandomState(0), encoder, len(words_of_scenes("english")))
    model.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})
    return model.eval(), about
