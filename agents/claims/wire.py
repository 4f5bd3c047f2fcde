"""The base of every model of ours that travels: frozen, and strict about what it does not know."""

from pydantic import BaseModel, ConfigDict


class Wire(BaseModel):
    """Unknown fields are an error: an old worker must not drop what a newer one wrote."""

    model_config = ConfigDict(frozen=True, extra="forbid")
