"""Ten small reactions in SMILES, with the origin of each atom of the product."""

from typing import NamedTuple


class Reaction(NamedTuple):
    """A reaction; for each atom of the product the atoms of the reactants it may come from.

    Atoms are counted from 0, those of the reactants and those of the product apart. Where the
    reactants have atoms that symmetry makes alike, all of them are named.
    """

    name: str
    smiles: str
    origins: tuple[tuple[int, ...], ...]


# Written for this course, from the mechanisms that any introduction to organic chemistry has.
_WRITTEN = """
esterification | CC(=O)O.CCO>>CC(=O)OCC | 0 1 2/3 6 5 4
acylation | CC(=O)Cl.Nc1ccccc1>>CC(=O)Nc1ccccc1 | 0 1 2 4 5 6/10 7/9 8 9/7 10/6
ether synthesis | CCBr.Oc1ccccc1>>CCOc1ccccc1 | 0 1 3 4 5/9 6/8 7 8/6 9/5
reduction of a nitro group | O=[N+]([O-])c1ccccc1>>Nc1ccccc1 | 1 3 4/8 5/7 6 7/5 8/4
hydrolysis | COC(=O)c1ccccc1.O>>OC(=O)c1ccccc1 | 3/10 2 3/10 4 5/9 6/8 7 8/6 9/5
amide coupling | CC(C)C(=O)O.NCC>>CC(C)C(=O)NCC | 0/2 1 2/0 3 4/5 6 7 8
reduction of a ketone | CC(=O)c1ccccc1.[BH4-]>>CC(O)c1ccccc1 | 0 1 2 3 4/8 5/7 6 7/5 8/4
sulfonamide | CS(=O)(=O)Cl.NCc1ccccc1>>CS(=O)(=O)NCc1ccccc1 | \
0 1 2/3 3/2 5 6 7 8/12 9/11 10 11/9 12/8
Suzuki coupling | Brc1ccc(C)cc1.OB(O)c1ccccc1>>Cc1ccc(-c2ccccc2)cc1 | \
5 4 3/6 2/7 1 11 12/16 13/15 14 15/13 16/12 7/2 6/3
removal of Boc | CC(C)(C)OC(=O)NCc1ccccc1.Cl>>NCc1ccccc1 | 7 8 9 10/14 11/13 12 13/11 14/10
"""


def _reaction(line: str) -> Reaction:
    name, smiles, origins = (part.strip() for part in line.split("|"))
    each = (tuple(map(int, atom.split("/"))) for atom in origins.split())
    return Reaction(name, smiles, tuple(each))


REACTIONS = tuple(_reaction(line) for line in _WRITTEN.strip().splitlines())
