"""Exactly even schedules for 4n + 1 players, a prime or a power of one. The players are the elements of a field.

With a primitive root g, the tables of one round are {gⁱ, −gⁱ} against {gⁱ⁺ⁿ, −gⁱ⁺ⁿ} for i < n, and 0 sits out. Adding
each element of the field to all players of this round gives the other rounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from .schedule import EventRound, Table

Element = tuple[int, ...]  # of a field with pᵏ elements: k coefficients of a polynomial modulo p, lowest power first


def prime_power(number: int) -> tuple[int, int] | None:
    """Return p and k if the number is pᵏ with a prime p, otherwise None."""
    prime = next((divisor for divisor in range(2, number + 1) if number % divisor == 0), 0)
    power, rest = 0, number
    while prime and rest % prime == 0:
        power, rest = power + 1, rest // prime
    return (prime, power) if prime and rest == 1 else None


class FiniteField:
    """The field with pᵏ elements, numbered from 0 so that 0 is zero."""

    def __init__(self, prime: int, power: int) -> None:
        self.prime, self.size = prime, prime**power
        self.elements: list[Element] = [digits[::-1] for digits in product(range(prime), repeat=power)]
        self.numbers = {element: number for number, element in enumerate(self.elements)}
        self.powers = self._powers_of_a_primitive_root(power)

    def add(self, first: int, second: int) -> int:
        """Return the sum of two elements, all by their numbers."""
        pairs = zip(self.elements[first], self.elements[second], strict=True)
        return self.numbers[tuple((one + other) % self.prime for one, other in pairs)]

    def _powers_of_a_primitive_root(self, power: int) -> list[int]:
        """Return the numbers of g⁰, g¹, … of a primitive root g: every element but zero.

        With k > 1, g is the polynomial x. Modulo a primitive polynomial its powers are all elements but zero.
        """
        candidates = [(one,) for one in range(1, self.prime)] if power == 1 else self.elements[1:]
        for candidate in candidates:
            powers = list(self._powers(candidate))
            if len(powers) == self.size - 1:
                return [self.numbers[element] for element in powers]
        raise AssertionError("every finite field has a primitive root")

    def _powers(self, candidate: Element) -> Iterator[Element]:
        """Yield the powers of the candidate, or of x modulo xᵏ − candidate, until the first that was there before."""
        one: Element = (1, *[0] * (len(candidate) - 1))
        element, seen = one, set[Element]()
        while element not in seen and any(element):
            yield element
            seen.add(element)
            element = self._times(element, candidate)

    def _times(self, element: Element, candidate: Element) -> Element:
        if len(candidate) == 1:
            return (element[0] * candidate[0] % self.prime,)
        *rest, highest = element
        pairs = zip((0, *rest), candidate, strict=True)
        return tuple((low + highest * coefficient) % self.prime for low, coefficient in pairs)


def rounds_in_field(field: FiniteField) -> Iterator[EventRound]:
    """Yield the rounds for as many players as the field has elements: partners once, opponents twice."""
    quarter = (field.size - 1) // 4
    minus = 2 * quarter  # g to this power is −1
    powers = field.powers
    base = [
        (powers[i], powers[i + minus], powers[i + quarter], powers[(i + quarter + minus) % len(powers)])
        for i in range(quarter)
    ]
    for shift in range(field.size):
        moved = [field.add(number, shift) + 1 for number in range(field.size)]
        tables: list[Table] = [((moved[a], moved[b]), (moved[c], moved[d])) for a, b, c, d in base]
        yield EventRound(tuple(tables), (moved[0],))
