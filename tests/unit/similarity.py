"""Cosines by words alone, for tests of decisions that are told how near texts are."""

import math
import re
from collections import Counter
from collections.abc import Sequence


def by_words(left: Sequence[str], right: Sequence[str]) -> list[list[float]]:
    return [[_cosine(_words(one), _words(other)) for other in right] for one in left]


def _words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.casefold()) or [text])


def _cosine(one: Counter[str], other: Counter[str]) -> float:
    dot = sum(count * other[word] for word, count in one.items())
    return dot / math.sqrt(sum(c * c for c in one.values()) * sum(c * c for c in other.values()))
