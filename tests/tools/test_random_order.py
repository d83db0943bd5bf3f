"""``make flakes`` runs the tests in other orders, the same in every worker."""

from collections import namedtuple
from pathlib import Path

from random_order import shuffled

Item = namedtuple("Item", "path number")
ITEMS = [
    Item(Path(name), number)
    for name in ("test_a.py", "test_b.py", "test_c.py", "chapter.ipynb")
    for number in range(9)
]


def test_an_order_is_random_file_by_file_and_a_notebook_keeps_its_own():
    orders = [shuffled(ITEMS, str(seed)) for seed in range(9)]
    assert all(sorted(order) == sorted(ITEMS) for order in orders)
    for order in orders:
        files = list(dict.fromkeys(item.path for item in order))
        assert [item.path for item in order] == [path for path in files for _ in range(9)]
        chapter = [item.number for item in order if item.path.suffix == ".ipynb"]
        assert chapter == list(range(9))
    assert len(set(map(tuple, orders))) == 9
    assert shuffled(ITEMS, "7") == orders[7]
