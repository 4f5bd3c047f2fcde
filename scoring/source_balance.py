"""How far the sources are spread over domains and how far they agree (000 §5.1). Copies of a story come in once."""

from collections import Counter
from collections.abc import Mapping, Sequence

from scoring.derivation import Derivation, Recorder
from scoring.identity import domain_key
from scoring.inputs import Inputs, count
from scoring.polarity import Relation
from scoring.values import Evidence


def source_diversity(stories: Sequence[Evidence]) -> Derivation:
    """The chance that two passages drawn at random come from different domains (Simpson's index); 0 below two.

    Passages whose domain is unknown count as one domain: nothing shows that they are independent.
    """
    return _diversity(Counter(domain_key(item.domain) for item in stories))


def _diversity(domains: Mapping[str, int]) -> Derivation:
    total = sum(domains.values())
    recorder = Recorder(domains=dict(sorted(domains.items())), evidence_count=total)
    if total < 2:
        recorder.set("fewer_than_two", 0.0)
        return recorder.derivation()
    recorder.set("all_pairs", 1.0)
    same = sum(n * (n - 1) for n in domains.values())
    recorder.subtract("same_domain_pairs", same / (total * (total - 1)))
    recorder.clamp()
    return recorder.derivation()


def recompute_diversity(inputs: Inputs) -> Derivation:
    """Diversity from its inputs alone."""
    domains = inputs.get("domains")
    if isinstance(domains, Mapping):
        return _diversity({name: count(domains, name) for name in domains})
    raise ValueError(f"domains must map each domain to its number of passages, got {domains!r}")


def source_agreement(sides: Sequence[Relation]) -> Derivation:
    """The fraction of the evidence that does not contradict; 0 without evidence. Qualifying is not contradicting."""
    return _agreement(len(sides), sides.count(Relation.CONTRADICTS))


def _agreement(total: int, contradicting: int) -> Derivation:
    recorder = Recorder(evidence_count=total, contradicting=contradicting)
    recorder.set("not_contradicting", float(total - contradicting))
    if total:
        recorder.multiply("per_passage", 1.0 / total)
    recorder.clamp()
    return recorder.derivation()


def recompute_agreement(inputs: Inputs) -> Derivation:
    """Agreement from its inputs alone."""
    total, contradicting = count(inputs, "evidence_count"), count(inputs, "contradicting")
    if contradicting > total:
        raise ValueError(f"contradicting must not exceed evidence_count, got {contradicting} of {total}")
    return _agreement(total, contradicting)
