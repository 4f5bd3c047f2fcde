"""One policy object, its profiles, and its way through JSON."""

import json
from dataclasses import replace

import pytest

from scoring.policy import PROFILES, Policy, policy_named
from scoring.trust import TrustPolicy


def test_the_default_policy_is_the_specification() -> None:
    assert policy_named("specification") == Policy()


def test_an_unknown_profile_is_refused_with_the_choice() -> None:
    with pytest.raises(ValueError, match=r"'mine'.*specification"):
        policy_named("mine")


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_every_profile_survives_the_package(name: str) -> None:
    policy = policy_named(name)
    assert Policy.from_values(policy.name, json.loads(json.dumps(policy.as_values()))) == policy


def test_the_specified_constants_are_the_defaults() -> None:
    values = Policy().as_values()
    gates = values["adaptive_trust"]["normal"]
    assert [gates[name] for name in ("coverage_high", "coverage_medium", "diversity_high", "agreement_high")] == [
        0.60,
        0.40,
        0.70,
        0.80,
    ]
    assert gates["min_evidence"] == 3
    confidence = values["confidence"]
    assert [confidence[f"w_{name}"] for name in ("truthfulness", "coverage", "agreement", "diversity")] == [
        0.30,
        0.25,
        0.20,
        0.15,
    ]
    assert (confidence["unverifiable_cap"], confidence["unverifiable_comparative_cap"]) == (0.35, 0.45)
    assert (values["news"]["credible_min"], values["news"]["credible_share"]) == (3, 0.30)
    assert values["news"]["max_citations"] == 25


def test_a_changed_constant_shows_in_the_values() -> None:
    changed = replace(Policy(), name="mine", trust=replace(TrustPolicy(), resamples=50))
    assert changed.as_values()["trust"]["resamples"] == 50
    assert Policy.from_values("mine", changed.as_values()) == changed


def test_values_that_do_not_fit_are_refused_by_name() -> None:
    values = Policy().as_values()
    with pytest.raises(ValueError, match="flavour"):
        Policy.from_values("x", {**values, "flavour": 1})
    del values["trust"]["interval"]
    with pytest.raises(ValueError, match="interval"):
        Policy.from_values("x", values)
