"""Each function of the reference beside its rivals."""

from reference import rows_attention, rows_recurrent, rows_scale, rows_transformer
from rows import amiss, is_right

ROWS = [
    *rows_attention.ROWS,
    *rows_recurrent.ROWS,
    *rows_transformer.ROWS,
    *rows_scale.ROWS,
]


@is_right(ROWS)
def test_it_is_what_its_rivals_say(of):
    assert list(amiss(of)) == []
    for call in of.draws:
        call.to(of.function, warned="warn")  # what a reader would be warned of is an error here
