"""Which generation of a collection a name stands for: names are aliases, and a swap is one alias that moves.

A generation says in its description who made its vectors, when it was made and which name owns it. Should whoever
swaps die after the alias moved, the fresh name still leads to what is live now; that is recognised (the owner's
alias of a generation that another alias leads to as well) and counts as gone.
"""

import asyncio
import json
import logging
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from storage.errors import StoreError, StoreMismatch
from storage.ports.evidence import Embedder
from storage.servers.weaviate.connection import WeaviateConnection
from storage.servers.weaviate.failures import UNPROCESSABLE, is_gone, status_of
from storage.servers.weaviate.names import alias_of, collection_of, physical_of
from storage.servers.weaviate.objects import schema

T = TypeVar("T")
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Generation:
    """One physical collection."""

    physical: str
    owner: str
    embedder: Embedder
    made_at: float

    def described(self) -> str:
        """What its description says."""
        facts = {"collection": self.owner, "embedder": self.embedder.name, "dimension": self.embedder.dimension}
        return json.dumps({"veristream": 1, **facts, "made_at": self.made_at})


def read_description(physical: str, description: str | None) -> Generation | None:
    """The generation that a description tells of; None if it is not one of ours."""
    try:
        said = json.loads(description or "")
        if said["veristream"] != 1:
            return None
        embedder = Embedder(said["embedder"], said["dimension"])
        return Generation(physical, said["collection"], embedder, float(said["made_at"]))
    except (ValueError, KeyError, TypeError):
        return None


class Catalog:
    """Finds, makes, swaps and drops collections by name."""

    def __init__(
        self,
        connection: WeaviateConnection,
        *,
        now: Callable[[], float] = time.time,
        token: Callable[[], str] = lambda: uuid.uuid4().hex[:12],
    ) -> None:
        self._weaviate = connection
        self._client = connection.client
        self._space = connection.server.space
        self._now = now
        self._token = token

    async def find(self, name: str) -> Generation | None:
        """What a name stands for now; None if the collection does not exist."""
        alias = alias_of(self._space, name)
        target = await self._target(alias)
        while target is not None:
            generation, aliases = await asyncio.gather(
                self._describe(target), self._weaviate.read(self._client.alias.list_all(collection=target))
            )
            if generation is not None:
                return None if _is_left_over(name, alias, generation, set(aliases)) else generation
            gone, target = target, await self._target(alias)
            if target == gone:  # the alias outlived its collection; any other target came by a swap just now
                return None
        return None

    async def _target(self, alias: str) -> str | None:
        found = await self._weaviate.read(self._client.alias.get(alias_name=alias))
        return None if found is None else str(found.collection)

    async def _describe(self, physical: str) -> Generation | None:
        try:
            config = await self._weaviate.read(self._weaviate.collection(physical).config.get(simple=True))
        except StoreError as error:
            if is_gone(error.__cause__ or error):
                return None
            raise
        generation = read_description(physical, config.description)
        if generation is None:
            raise StoreMismatch(f"{physical} in Weaviate was not made by this program; choose another space")
        return generation

    async def find_or_make(self, name: str, embedder: Embedder) -> Generation:
        """What a name stands for; the collection is created if there is none."""
        found = await self.find(name)
        if found is not None:
            return found
        physical = physical_of(self._space, name, self._token())
        made = Generation(physical, name, embedder, self._now())
        await self._weaviate.write(self._client.collections.create(physical, description=made.described(), **schema()))
        if await self._name(name, physical):
            return made
        await self._delete(physical)  # somebody else was quicker
        theirs = await self.find(name)
        if theirs is None:
            raise StoreError(f"collection {name!r} was created and dropped at the same time; try again")
        return theirs

    async def _name(self, name: str, physical: str) -> bool:
        """Give a new generation its name; false if the name leads to something alive by now."""
        alias = alias_of(self._space, name)
        if await self._target(alias) is None:
            return await self._first(alias, physical)
        if await self.find(name) is not None:
            return False
        return await self._weaviate.read(self._client.alias.update(alias_name=alias, new_target_collection=physical))

    async def _first(self, alias: str, physical: str) -> bool:
        """Create an alias; false if somebody else was quicker."""
        try:
            await self._weaviate.read(self._client.alias.create(alias_name=alias, target_collection=physical))
        except StoreError as error:
            if error.__cause__ is None or status_of(error.__cause__) != UNPROCESSABLE:
                raise
            return False
        return True

    async def still(self, name: str, physical: str) -> bool:
        """Whether a name still leads to this generation."""
        return await self._target(alias_of(self._space, name)) == physical

    async def names(self) -> dict[str, Generation]:
        """Every collection that has a name."""
        aliases, generations = await self._survey()
        found = {}
        for alias, physical in aliases.items():
            name = collection_of(self._space, alias)
            generation = generations.get(physical)
            if name is not None and generation is not None:
                leading = {other for other, target in aliases.items() if target == physical}
                if not _is_left_over(name, alias, generation, leading):
                    found[name] = generation
        return dict(sorted(found.items()))

    async def _survey(self) -> tuple[dict[str, str], dict[str, Generation]]:
        """All aliases of the space, and all generations."""
        aliases, configs = await asyncio.gather(
            self._weaviate.read(self._client.alias.list_all()),
            self._weaviate.read(self._client.collections.list_all(simple=True)),
        )
        ours = {alias: str(it.collection) for alias, it in aliases.items() if alias.startswith(f"{self._space}_")}
        read = (
            read_description(physical, config.description)
            for physical, config in configs.items()
            if physical.startswith(f"{self._space}_")
        )
        return ours, {generation.physical: generation for generation in read if generation is not None}

    async def swap(self, fresh: str, live: str) -> None:
        """Move the alias of `live` to what `fresh` stands for, then clear away. The move is the swap."""
        generation = await self.find(fresh)
        if generation is None:
            raise StoreError(f"there is no collection {fresh!r} to put in the place of {live!r}; fill it first")
        if fresh == live:
            return
        if generation.owner != fresh:  # it got its present name by a swap; only the owner's alias is ever left over
            owned = replace(generation, owner=fresh)
            update = self._weaviate.collection(generation.physical).config.update(description=owned.described())
            await self._weaviate.write(update)
        alias = alias_of(self._space, live)
        old = await self._target(alias)
        if old is not None or not await self._first(alias, generation.physical):
            old = old or await self._target(alias)  # another swap gave `live` its first collection just now
            if not await self._weaviate.read(
                self._client.alias.update(alias_name=alias, new_target_collection=generation.physical)
            ):
                raise StoreError(f"collection {live!r} was dropped while it was to be replaced; try again")
        await self._tidy(self._after_swap(fresh, old))

    async def _after_swap(self, fresh: str, old: str | None) -> None:
        await self._weaviate.read(self._client.alias.delete(alias_name=alias_of(self._space, fresh)))
        if old is not None:
            await self.discard(old)
        await self.sweep()

    async def _tidy(self, work: Awaitable[None]) -> None:
        """What fails here is made good by the next sweep; the swap itself has happened."""
        try:
            await work
        except StoreError as error:
            log.warning("a swap in Weaviate left something to clear away: %s", error)

    async def drop(self, name: str) -> None:
        """Take the name away, then delete what it stood for."""
        alias = alias_of(self._space, name)
        target = await self._target(alias)
        if target is None:
            return
        await self._weaviate.read(self._client.alias.delete(alias_name=alias))
        await self.discard(target)

    async def discard(self, physical: str) -> None:
        """Delete a generation, unless some name leads to it."""
        if not await self._weaviate.read(self._client.alias.list_all(collection=physical)):
            await self._delete(physical)

    async def _delete(self, physical: str) -> None:
        await self._weaviate.write(self._client.collections.delete(physical))

    async def sweep(self) -> None:
        """Clear away what a crash left: aliases that a swap should have deleted, generations without a name."""
        aliases, generations = await self._survey()
        for alias, physical in list(aliases.items()):
            name = collection_of(self._space, alias)
            generation = generations.get(physical)
            leading = {other for other, target in aliases.items() if target == physical}
            if name is not None and generation is not None and _is_left_over(name, alias, generation, leading):
                await self._weaviate.read(self._client.alias.delete(alias_name=alias))
                del aliases[alias]
        old = self._now() - self._weaviate.server.policy.orphan_after_s
        for generation in generations.values():
            if generation.physical not in aliases.values() and generation.made_at < old:
                await self.discard(generation.physical)


def _is_left_over(name: str, alias: str, generation: Generation, leading: set[str]) -> bool:
    """Whether an alias should be gone: it made the generation, and a swap has let another alias lead there."""
    return generation.owner == name and bool(leading - {alias})
