"""The words that a text is about, and how far two texts' words are apart."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

Distribution = Mapping[str, float]


def terms(text: str) -> list[str]:
    """Return the words of a text without stop words, lower-cased and without endings; identifiers are taken apart."""
    apart = _HUMP.sub(" ", text[:_LONGEST]).lower()
    return [stem(word) for run in _WORD.findall(apart) for word in _split(run) if word not in _STOP]


def distribution(text: str) -> Distribution:
    """Return what a text is about: a weight for each term, which sum to 1; empty where it holds no term.

    Words that any task holds ("add", "fix", "test") weigh a quarter of others.
    """
    return normal(weighted(terms(text)))


def weighted(found: Iterable[str]) -> dict[str, float]:
    """Count terms, those that any task holds at a quarter."""
    return {term: count * (_LIGHT if term in GENERAL else 1.0) for term, count in Counter(found).items()}


def normal(weights: Mapping[str, float]) -> Distribution:
    """Scale weights so that they sum to 1."""
    total = sum(weights.values())
    return {term: weight / total for term, weight in weights.items()} if total else {}


def divergence(left: Distribution, right: Distribution) -> float:
    """Jensen-Shannon divergence of two topic distributions, base 2: 0 (equal) to 1 (disjoint).

    Both sum to 1 over any vocabularies; a term missing from one counts as 0 there.
    Source: J. Lin, "Divergence measures based on the Shannon entropy", IEEE Trans. Inf. Theory 37(1), 1991.

    Raises:
        ValueError: a distribution is empty or holds a negative weight.
    """
    if not left or not right or min(left.values()) < 0 or min(right.values()) < 0:
        raise ValueError("a distribution holds at least one term and no negative weight")
    total = 0.0
    for term in sorted(left.keys() | right.keys()):
        here, there = left.get(term, 0.0), right.get(term, 0.0)
        middle = (here + there) / 2
        total += sum(share * math.log2(share / middle) for share in (here, there) if share > 0) / 2
    return min(1.0, max(0.0, total))


def stem(word: str) -> str:
    """Take the commonest English endings off a word of more than three letters."""
    ending = next((each for each in _ENDINGS if word.endswith(each) and len(word) - len(each) >= _SHORTEST_STEM), "")
    base = word.removesuffix(ending)
    return base[:-1] if len(base) > _SHORTEST_STEM and base[-1] == base[-2] else base


def _split(run: str) -> list[str]:
    """Cut a run of a script that writes no spaces into pairs of characters; drop single letters of others."""
    if _UNSPACED.search(run):
        return [run[at : at + 2] for at in range(max(1, len(run) - 1))]
    return [run] if len(run) > 1 else []


_LONGEST: Final = 20_000
_LIGHT: Final = 0.25
_SHORTEST_STEM: Final = 3
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD: Final = re.compile(r"[^\W_]+")
_UNSPACED: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")
_ENDINGS: Final = (
    "ations", "ation", "ingly", "ings", "ing", "edly", "ies", "ied", "ers", "er", "ed", "es", "s", "ly", "e",
)  # fmt: skip
_STOP: Final = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "but",
        "by",
        "for",
        "from",
        "had",
        "has",
        "have",
        "he",
        "her",
        "his",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "let",
        "me",
        "my",
        "no",
        "not",
        "of",
        "on",
        "or",
        "our",
        "ours",
        "she",
        "so",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "to",
        "too",
        "up",
        "us",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "whom",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
        "can",
        "could",
        "should",
        "do",
        "does",
        "did",
        "been",
        "being",
        "about",
        "after",
        "all",
        "also",
        "any",
        "before",
        "between",
        "both",
        "each",
        "few",
        "more",
        "most",
        "other",
        "over",
        "own",
        "same",
        "some",
        "such",
        "under",
        "until",
        "very",
        "just",
        "now",
        "out",
        "again",
        "off",
        "once",
        "only",
        "one",
        "two",
        "three",
        "please",
        "ok",
        "yes",
        "thanks",
        "don",
        "didn",
        "isn",
        "doesn",
        "won",
        "ll",
        "ve",
        "re",
    ]
)
GENERAL: Final = frozenset(
    stem(word)
    for word in [
        "add",
        "fix",
        "write",
        "make",
        "test",
        "tests",
        "check",
        "run",
        "use",
        "need",
        "new",
        "get",
        "set",
        "show",
        "find",
        "list",
        "draft",
        "update",
        "review",
        "look",
        "plan",
        "prepare",
        "create",
        "build",
        "implement",
        "compare",
        "report",
        "measure",
        "change",
        "remove",
        "delete",
        "move",
        "put",
        "try",
        "next",
        "start",
        "stop",
        "ask",
        "tell",
    ]
)
