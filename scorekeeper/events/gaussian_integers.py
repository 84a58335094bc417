"""Exactly even schedules for 4n + 1 players, a sum of two squares: they are Gaussian integers modulo one of them.

So many residues x + iy form a ring in which i² = −1, and 1 − i divides 1. Multiplication by i puts all but zero into
circles of four: c, ic, −c, −ic. The tables of one round are {c, −c} against {ic, −ic}, and 0 sits out. Differences are
±2c and ±2ic for partners, and (±1 ± i)c, each twice, for opponents: together each residue but zero once, and twice. So
adding each residue to all players of this round gives the other rounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isqrt

from .schedule import EventRound, Table


class GaussianResidues:
    """The residues modulo g(a + ib), numbered from 0 so that 0 is zero; a and b have no common divisor.

    Each is x + iy with y < g and x < gt, where t = a² + b². Modulo a + ib, i is an integer: the root, whose square is
    −1 modulo t.
    """

    def __init__(self, common: int, norm: int, root: int) -> None:
        self._common, self._norm, self._root = common, norm, root
        self.size = common**2 * norm

    def add(self, first: int, second: int) -> int:
        """Return the sum of two residues, all by their numbers."""
        (y, x), (other_y, other_x) = self._parts(first), self._parts(second)
        return self._number(x + other_x, y + other_y)

    def times_i(self, number: int) -> int:
        """Return i times a residue, both by their numbers."""
        y, x = self._parts(number)
        return self._number(-y, x)

    def _parts(self, number: int) -> tuple[int, int]:
        return divmod(number, self._common * self._norm)

    def _number(self, x: int, y: int) -> int:
        multiple, y = divmod(y, self._common)
        width = self._common * self._norm
        return y * width + (x + self._common * self._root * multiple) % width


def residues(number: int) -> GaussianResidues | None:
    """Return a ring of so many residues, or None if an odd number is no sum of two squares."""
    for common in range(1, isqrt(number) + 1):
        norm, rest = divmod(number, common**2)
        root = next((one for one in range(norm) if (one**2 + 1) % norm == 0), None)
        if rest == 0 and root is not None:
            return GaussianResidues(common, norm, root)
    return None


def rounds_of_residues(ring: GaussianResidues) -> Iterator[EventRound]:
    """Yield the rounds for as many players as there are residues: partners once, opponents twice."""
    base, seated = [], {0}
    for number in range(1, ring.size):
        if number not in seated:
            circle = [number]
            while len(circle) < 4:
                circle.append(ring.times_i(circle[-1]))
            base.append(circle)
            seated.update(circle)
    for shift in range(ring.size):
        moved = [ring.add(number, shift) + 1 for number in range(ring.size)]
        tables: list[Table] = [((moved[a], moved[c]), (moved[b], moved[d])) for a, b, c, d in base]
        yield EventRound(tuple(tables), (moved[0],))
