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
    files = [list(dict.fromkeys(item.path for item in order)) for order in orders]
    assert all(sorted(order) == sorted(ITEMS) for order in orders)
    assert len({tuple(one) for one in files}) > 3
    for order, paths in zip(orders, files, strict=True):
        assert [item.path for item in order] == [path for path in paths for _ in range(9)]
        of = {path: [item.number for item in order if item.path == path] for path in paths}
        assert of.pop(Path("chapter.ipynb")) == list(range(9))
        assert all(numbers != list(range(9)) for numbers in of.values())


def test_an_order_of_one_number_is_one_order():
    assert shuffled(ITEMS, "7") == shuffled(ITEMS, "7") != shuffled(ITEMS, "8")
