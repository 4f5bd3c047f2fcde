"""One epoch's pairs: the sources at their rates, with perturbed, padded, framed and neutral pairs among them."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from training import compare, context, perturb
from training.neutrals import HardNeutrals, random_neutrals
from training.pairs import Pair, TrainingData
from training.perturb import Operation
from training.text import names

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AugmentRules:
    """How much is added per epoch, as shares of the pairs it is made from. Zero switches an operation off."""

    perturbed: float = 0.25
    """Share of supported pairs that also come perturbed."""
    operations: Mapping[str, float] = field(
        default_factory=lambda: {
            "change_number": 3.0, "change_unit": 1.0, "swap_name": 2.0, "flip_antonym": 2.0, "negate_claim": 2.0,
            "negate_evidence": 0.7, "strengthen": 1.0, "substitute_word": 1.5, "without_key_sentence": 1.5,
        }
    )  # fmt: skip
    compared: float = 0.5
    """Share of supported pairs whose number or year, if they share one, also comes as a comparison."""
    negated_others: float = 0.04
    """Share of refuted and neutral pairs that also come with the claim negated."""
    framed: float = 0.015
    garbage: float = 0.004
    identical: float = 0.01
    padded: float = 0.2
    """Share of short passages that are padded with other sentences, in place."""
    titled: float = 0.35
    dated: float = 0.04
    random_neutral: float = 0.04
    hard_neutral: float = 0.09


PAD_BELOW_WORDS = 60
POOL_SIZE = 4000


class EpochBuilder:
    """Draws the pairs of any epoch from the data, the same for the same seed and epoch number."""

    def __init__(
        self, data: TrainingData, rules: AugmentRules, neighbours: Mapping[str, Sequence[str]], seed: int
    ) -> None:
        self._data, self._rules, self._seed = data, rules, seed
        draw = random.Random(f"{seed}-pools")
        self._operations = {
            source: self._operations_for(pairs, neighbours, draw) for source, pairs in data.by_source.items()
        }
        self._hard = (
            {source: HardNeutrals(pairs) for source, pairs in data.by_source.items()}
            if (rules.hard_neutral > 0)
            else {}
        )
        self._pads = {
            source: context.pad([pair.evidence for pair in _some(pairs, POOL_SIZE, draw)])
            for source, pairs in data.by_source.items()
        }

    def _operations_for(
        self, pairs: Sequence[Pair], neighbours: Mapping[str, Sequence[str]], draw: random.Random
    ) -> list[tuple[str, Operation, float]]:
        pool = [name for pair in _some(pairs, POOL_SIZE, draw) for name in names(pair.claim)]
        known: dict[str, Operation] = {
            "change_number": perturb.change_number,
            "change_unit": perturb.change_unit,
            "swap_name": perturb.swap_name(pool),
            "flip_antonym": perturb.flip_antonym,
            "negate_claim": perturb.negate_claim,
            "negate_evidence": perturb.negate_evidence,
            "strengthen": perturb.strengthen,
            "substitute_word": perturb.substitute_word(neighbours),
            "without_key_sentence": context.without_key_sentence,
        }
        return [(name, known[name], share) for name, share in self._rules.operations.items() if share > 0]

    def build(self, epoch: int) -> list[Pair]:
        """All pairs of one epoch, shuffled."""
        draw = random.Random(f"{self._seed}-{epoch}")
        made: list[Pair] = []
        for source, pairs in self._data.by_source.items():
            chosen = _at_rate(pairs, self._data.rules[source].rate, draw)
            made += [self._in_context(pair, draw) for pair in chosen]
            made += [self._in_context(pair, draw) for pair in self._added(source, chosen, draw)]
        draw.shuffle(made)
        return made

    def _added(self, source: str, chosen: Sequence[Pair], draw: random.Random) -> list[Pair]:
        rules = self._rules
        perturbed = rules.perturbed * self._data.rules[source].perturb
        added: list[Pair | None] = []
        for pair in chosen:
            luck = draw.random()
            if pair.label == 0 and luck < perturbed:
                added.append(self._perturbed(source, pair, draw))
            elif pair.label in (1, 2) and luck < rules.negated_others:
                added.append(perturb.negate_claim(pair, draw))
            if pair.label == 0 and draw.random() < rules.compared:
                added.append(self._compared(pair, draw))
            luck = draw.random()
            if luck < rules.framed:
                added.append(context.frame(pair, draw))
            elif luck < rules.framed + rules.garbage:
                added.append(perturb.empty_or_garbage(pair, draw))
            elif luck < rules.framed + rules.garbage + rules.identical:
                added.append(perturb.identical(pair, draw))
        pairs = self._data.by_source[source]
        added += random_neutrals(pairs, round(rules.random_neutral * len(chosen)), draw)
        if source in self._hard:
            added += self._hard[source].draw(round(rules.hard_neutral * len(chosen)), draw)
        return [pair for pair in added if pair is not None]

    @staticmethod
    def _compared(pair: Pair, draw: random.Random) -> Pair | None:
        operations = [compare.compare_number, compare.compare_year, compare.recompare]
        draw.shuffle(operations)
        return next((made for operation in operations if (made := operation(pair, draw)) is not None), None)

    def _perturbed(self, source: str, pair: Pair, draw: random.Random) -> Pair | None:
        """The first operation that applies, tried in an order drawn by their shares."""
        operations = self._operations[source]
        order = sorted(operations, key=lambda item: -(draw.random() ** (1.0 / item[2])))
        return next((made for _, operation, _ in order if (made := operation(pair, draw)) is not None), None)

    def _in_context(self, pair: Pair, draw: random.Random) -> Pair:
        rules = self._rules
        if len(pair.evidence.split()) < PAD_BELOW_WORDS and draw.random() < rules.padded:
            pair = self._pads[pair.source](pair, draw) or pair
        if pair.group and "vitaminc" in pair.source and draw.random() < rules.titled:
            return context.with_title(pair, draw)
        return context.with_date(pair, draw) if draw.random() < rules.dated else pair


def _at_rate(pairs: Sequence[T], rate: float, draw: random.Random) -> list[T]:
    whole, part = divmod(rate, 1.0)
    return list(pairs) * int(whole) + (draw.sample(list(pairs), round(part * len(pairs))) if part else [])


def _some(pairs: Sequence[T], most: int, draw: random.Random) -> Sequence[T]:
    return pairs if len(pairs) <= most else draw.sample(list(pairs), most)
