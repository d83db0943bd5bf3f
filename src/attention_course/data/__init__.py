"""Real corpora with their provenance, small tasks, and batches. NumPy only."""

from attention_course.data.batches import Batch, LengthBatches, pad
from attention_course.data.characters import character_text
from attention_course.data.cmudict import load_cmudict
from attention_course.data.dates import (
    date_formats,
    date_vocabularies,
    random_dates,
    write_date,
)
from attention_course.data.images import CLOTHES, Images, load_images
from attention_course.data.lookup import lookup_batch
from attention_course.data.parallel import known, load_parallel, split_words, translation_task
from attention_course.data.published import Published, published
from attention_course.data.tasks import (
    random_strings,
    reverse,
    running_maximum,
    swap_neighbours,
)
from attention_course.data.tensors import load_checkpoint
from attention_course.data.verses import load_verses
from attention_course.data.vocabulary import END, Vocabulary

__all__ = [
    "CLOTHES",
    "END",
    "Batch",
    "Images",
    "LengthBatches",
    "Published",
    "Vocabulary",
    "character_text",
    "date_formats",
    "date_vocabularies",
    "known",
    "load_checkpoint",
    "load_cmudict",
    "load_images",
    "load_parallel",
    "load_verses",
    "lookup_batch",
    "pad",
    "published",
    "random_dates",
    "random_strings",
    "reverse",
    "running_maximum",
    "split_words",
    "swap_neighbours",
    "translation_task",
    "write_date",
]
