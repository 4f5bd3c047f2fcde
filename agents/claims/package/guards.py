"""Every rule that fired, on the verdict or on a number, with its reason in words."""

from collections.abc import Iterator, Mapping

from agents.claims.package.model import Guard
from agents.claims.package.verdict import Decision
from scoring.derivation import Derivation

REASONS: Mapping[str, str] = {
    # On the verdict (000 §8, 004 §7).
    "only_orders": "The text gives orders and claims nothing.",
    "no_admissible_evidence": "Nothing that was found speaks about the claim.",
    "breakdown": "The proposal says more than the evidence bears out, or the opposite.",
    "strong_contradiction": "The claim is contradicted strongly, and no support is strong enough to stand against it.",
    "strong_entailment": "The claim is supported strongly, and nobody objects.",
    "weak_signal": "Even the clearest passage is closer to saying nothing than to taking a side.",
    "mixed_signal": "The sources disagree, and neither side outweighs the other.",
    "binary_gate:strength": "No passage is strong enough for a verdict.",
    "binary_gate:dominance": "The side of the verdict does not outweigh the other one.",
    "numeric_mismatch": "A closely matching passage gives another figure than the claim.",
    "absolute_quantifier": "The claim speaks of all cases; that needs stronger support, and no objection.",
    "rationale_polarity": "The reasons given for the proposal point the other way, and the evidence is not strong.",
    "proposal_abstained": "The sources found take no side.",
    "proposal_contradicted": "What was proposed does not follow from what was found.",
    "minimum_sources": "Too few credible sources bear the verdict out.",
    # On the verdict of a claim of several parts (004 §8).
    "aggregation:any_refuted": "A part of the claim is refuted.",
    "aggregation:split": "A part of the claim holds, and another is refuted.",
    "aggregation:any_mixed": "A part of the claim is disputed or only partly true, and none is refuted.",
    "aggregation:all_supported": "Every part of the claim is supported.",
    "aggregation:all_not_enough": "Too little was found about any part of the claim.",
    "aggregation:otherwise_mixed": "A part of the claim is supported, and about another too little was found.",
    "missing:deadline": "The part had no verdict when the time of the claim was over.",
    "missing:dead_letter": "The part could not be processed.",
    # On numbers (000 §6-7).
    "unresolved_support_cap": "A part of the claim is open or refuted, so the claim as a whole is not fully true.",
    "strong_true_floor": "Every part of the claim is corroborated.",
    "pure_contradiction_cap": "The claim is only contradicted.",
    "diversity_ceiling": "The evidence comes from too few sources for more.",
    "numeric_match_floor": "The figures of the claim were found.",
    "numeric_mismatch_cap": "The figures that were found are others.",
    "unverifiable_cap": "The claim could not be verified.",
    "absolute_quantifier_cap": "The claim speaks of all cases.",
    "cap": "No verdict is more certain than this.",
    "coverage_floor": "The claim is covered well, so the confidence follows its truthfulness.",
    "contract:unresolved": "Parts of the claim are open.",
    "contract:insufficient": "The evidence did not become sufficient.",
    "contract:numeric_silent": "The claim gives a figure, and no passage repeats it.",
    "contract:absolute_quantifier": "The claim speaks of all cases.",
    "contract:unverifiable": "The claim could not be verified.",
    "false_floor": "The refutation rests on contradiction alone.",
    "strong_contradiction_floor": "Several independent sources contradict the claim strongly.",
    "consistency_floor": "The best passage alone carries this much.",
    "clamp": "Shares lie between 0 and 1.",
}

_BINDING = ("cap", "floor", "clamp")


def guard(name: str, effect: str, on: str = "verdict") -> Guard:
    """A rule that fired; each has its reason in the table."""
    return Guard(name=name, effect=effect, on=on, reason=REASONS[name])


def verdict_guards(decision: Decision, *, only_orders: bool = False) -> Iterator[Guard]:
    """What reconciliation and validation did to the proposal, in order."""
    if only_orders:
        yield guard("only_orders", "locked as UNVERIFIABLE")
    for one in decision.reconciled.guards:
        yield guard(one.name, f"{one.before} → {one.after}")
    for lock in decision.reconciled.locks:
        yield guard(lock, "locked as UNVERIFIABLE")
    if decision.validated.downgraded:
        yield guard("minimum_sources", f"{decision.reconciled.verdict} → UNVERIFIABLE")


def number_guards(derivations: Mapping[str, Derivation]) -> Iterator[Guard]:
    """The caps and floors that held a number, as its derivation records them."""
    for name, derivation in derivations.items():
        before = 0.0
        for step in derivation.steps:
            if step.op in _BINDING and step.result != before:
                yield guard(step.name, f"{before:.4f} → {step.result:.4f}", on=name)
            before = step.result
