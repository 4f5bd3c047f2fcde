"""The stores and settings of the knowledge base's tests."""

from tests.unit.knowledge.conftest import environment, other, place, stores

__all__ = ["environment", "other", "place", "stores"]
