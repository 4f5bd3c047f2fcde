"""A WHERE clause from literal conditions: values are bound, never spelled into the statement."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Filters:
    """Collects the conditions whose value was given."""

    conditions: list[str] = field(default_factory=list)
    values: list[str | int | float] = field(default_factory=list)

    def add(self, condition: str, value: str | float | None) -> None:
        """Ask for `condition`, a literal with one placeholder, unless there is no value to compare with."""
        if value is not None:
            self.conditions.append(condition)
            self.values.append(value)

    @property
    def where(self) -> str:
        """The clause, or nothing at all."""
        return f"WHERE {' AND '.join(self.conditions)} " if self.conditions else ""
