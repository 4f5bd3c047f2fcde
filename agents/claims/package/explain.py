"""A verdict package as a person would read it, in the order of 000 §10's debug recipe."""

from collections.abc import Iterator

from agents.claims.costs import END_TO_END, stage_times
from agents.claims.package.model import VerdictPackage
from scoring.derivation import Derivation


def explain(package: VerdictPackage) -> Iterator[str]:
    """What was claimed, what was found, what each number is made of, and which rule fired."""
    yield f"Claim      {package.claim}"
    sure = f"confidence {package.verdict_confidence:.2f}"
    yield f"Verdict    {package.verdict} ({package.label}), {sure}, as of {package.as_of}"
    yield f"Because    {package.rationale}"
    yield ""
    yield from _sub_claims(package)
    yield from _admissible(package)
    yield from _parts(package)
    yield from _trust(package)
    yield from _evidence(package)
    yield from _rules(package)
    yield from _numbers(package)
    yield from _cost(package)


def _sub_claims(package: VerdictPackage) -> Iterator[str]:
    """Those of a decomposed claim come first: everything else is made of them."""
    for sub in package.sub_results:
        yield f"Part       {sub.claim}"
        yield f"           {sub.verdict} ({sub.label}): {sub.reasoning}"
    if package.sub_results:
        yield ""


def _admissible(package: VerdictPackage) -> Iterator[str]:
    ratio = package.analysis_counts.get("admissible_evidence_ratio", 0.0)
    yield f"1. Evidence: {len(package.evidence)} passages, {ratio:.0%} of them admissible"


def _parts(package: VerdictPackage) -> Iterator[str]:
    unresolved = package.analysis_counts.get("unresolved_subclaims", 0)
    yield f"2. Parts of the claim: {len(package.claim_breakdown)}, {unresolved} of them unresolved"
    for segment in package.claim_breakdown:
        yield f"   {segment.status:<17} {segment.text}"


def _trust(package: VerdictPackage) -> Iterator[str]:
    gate = package.trust_gate
    how = f"sufficient by {gate.route}" if gate.is_sufficient else "not sufficient"
    yield (
        f"3. Trust: {how}; coverage {package.coverage:.2f}, diversity {package.diversity:.2f}, "
        f"agreement {package.agreement:.2f}, trust {package.trust_post_adaptive:.2f} ({package.verdict_state})"
    )
    loop = package.loop
    yield f"   {loop.count} loops, stopped because of {loop.stop_reason}; {len(loop.urls_processed)} pages read"
    for number, step in enumerate(loop.steps, start=1):
        after = "–" if step.trust_after is None else f"{step.trust_after:.2f}"
        worth = "" if step.evoi is None else f", another page worth {step.evoi.value:.2f}"
        yield (
            f"   {number}. set {step.iteration}: {step.query}: {step.results} results, {step.read} of {step.pages} "
            f"pages read, trust {step.trust_before:.2f} → {after}{worth}"
        )


def _evidence(package: VerdictPackage) -> Iterator[str]:
    yield "4. The passages, best first, with their anchors and their overlap with the claim"
    cited = {citation.evidence_id for citation in package.citations}
    for row in package.evidence:
        mark = "cited" if row.id in cited else "     "
        yield (
            f"   {mark} {row.stance.label:<8} score {row.score.value:.2f}  overlap {row.claim_overlap:.2f}"
            f"  anchors {row.anchor_match_score:.2f}  {row.domain}: {row.title}"
        )


def _rules(package: VerdictPackage) -> Iterator[str]:
    yield f"5. Rules that fired: {len(package.guards) or 'none'}"
    yield from _binary_gate(package)
    for guard in package.guards:
        yield f"   {guard.name} on {guard.on}: {guard.effect}. {guard.reason}".rstrip()


def _binary_gate(package: VerdictPackage) -> Iterator[str]:
    """What a verdict that takes a side had to pass; that of a decomposed claim is made of verdicts that have."""
    if package.sub_results:
        return
    asked = package.policy.values["reconciliation"]
    for segment in package.claim_breakdown:
        both = segment.support + segment.contradiction
        share = max(segment.support, segment.contradiction) / both if both else 0.0
        yield (
            f"   binary gate: support {segment.support:.2f}, contradiction {segment.contradiction:.2f} "
            f"({asked['binary_signal']:g} needed); {share:.0%} on one side ({asked['binary_dominance']:.0%} needed)"
        )


def _numbers(package: VerdictPackage) -> Iterator[str]:
    yield "6. What each number is made of"
    for name, derivation in package.derivations.items():
        yield f"   {name} = {derivation.value:.4f}: {_steps(derivation)}"


def _steps(derivation: Derivation) -> str:
    signs = {"set": "", "add": "+", "subtract": "−", "multiply": "×", "cap": "at most ", "floor": "at least "}
    parts = []
    for step in derivation.steps:
        value = f"{step.value[0]:g}..{step.value[1]:g}" if isinstance(step.value, tuple) else f"{step.value:.4g}"
        parts.append(f"{signs.get(step.op, 'within ')}{value} ({step.name})")
    return " ".join(parts)


def _cost(package: VerdictPackage) -> Iterator[str]:
    cost = package.cost
    took = package.timings.get(END_TO_END, 0.0)
    yield (
        f"7. What it took: {took:.2f} s, {cost.stages_ms:.0f} ms of it in stages; {cost.model_calls} model calls "
        f"({cost.tokens} tokens), {cost.searches} searches, {cost.extracts} pages, {cost.usd:.4f} USD"
    )
    stages = [f"{name.removesuffix('_ms')} {value:.1f} ms" for name, value in stage_times(package.timings).items()]
    if stages:
        yield f"   {', '.join(stages)}"
