"""Placeholder while the language tasks land."""


def subclaims(claim: str) -> list[str]:
    return [claim]
