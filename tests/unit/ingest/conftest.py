"""The stores and settings of the knowledge base's tests."""

from tests.unit.knowledge.conftest import environment, knowledge_spaces, other, place, stores

__all__ = ["environment", "knowledge_spaces", "other", "place", "stores"]
