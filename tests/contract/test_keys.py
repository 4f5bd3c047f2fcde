"""What every KeyRing must do."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from storage.errors import KeyNameTaken, KeyUnknown, StoreRefused
from storage.ports import ApiKey, KeyLimits, KeyRing, Scope
from tests.contract.adapters import Place, open_key_ring
from tests.contract.hostile import SHORT_HOSTILE
from tests.support.opening import held

NOW = datetime(2026, 1, 1, 12, 0, 0, 123456, tzinfo=UTC)
DAY = timedelta(days=1)


def a_key(key_id: str = "id-1", name: str = "bot", **more: object) -> ApiKey:
    fields: dict[str, object] = {"digest": f"digest of {key_id}", "scopes": frozenset({Scope.SUBMIT}), **more}
    return ApiKey(key_id=key_id, name=name, created_at=fields.pop("created_at", NOW), **fields)  # type: ignore[arg-type]  # by name


@pytest.fixture
async def ring(place: Place) -> AsyncIterator[KeyRing]:
    async with held(open_key_ring(place)) as opened:
        yield opened


@pytest.fixture
async def other_ring(place: Place, ring: KeyRing) -> AsyncIterator[KeyRing]:
    """A second handle on the same keys, as another gateway would hold it."""
    async with held(open_key_ring(place)) as opened:
        yield opened


async def test_a_key_comes_back_as_it_was_added(ring: KeyRing, other_ring: KeyRing) -> None:
    plain = a_key()
    limited = a_key("id-2", "crowd", scopes=frozenset(Scope), limits=KeyLimits(60, 7, 0), created_at=NOW + DAY)
    for key in (plain, limited):
        await ring.add(key)
    assert await other_ring.key("id-1") == plain
    assert await other_ring.key("id-2") == limited
    assert await other_ring.keys() == [plain, limited]


async def test_an_unknown_key_is_none(ring: KeyRing) -> None:
    assert await ring.key("nobody") is None
    assert await ring.keys() == []


@pytest.mark.parametrize("text", SHORT_HOSTILE)
async def test_whatever_is_sent_as_an_id_is_only_an_id(ring: KeyRing, text: str) -> None:
    await ring.add(a_key())
    assert await ring.key(text) is None
    with pytest.raises(KeyUnknown):
        await ring.revoke(text, NOW)
    assert await ring.key("id-1") == a_key()


async def test_a_name_in_force_is_taken(ring: KeyRing) -> None:
    await ring.add(a_key())
    with pytest.raises(KeyNameTaken, match="bot"):
        await ring.add(a_key("id-2"))
    with pytest.raises(KeyNameTaken):
        await ring.add(a_key("id-1", "another"))
    assert await ring.keys() == [a_key()]


async def test_of_many_who_want_a_name_one_gets_it(ring: KeyRing, other_ring: KeyRing) -> None:
    wanted = [a_key(f"id-{number}") for number in range(10)]
    rings = (ring, other_ring)
    answers = await asyncio.gather(
        *(rings[number % 2].add(key) for number, key in enumerate(wanted)), return_exceptions=True
    )
    assert [type(answer) for answer in answers].count(KeyNameTaken) == 9
    assert len(await ring.keys()) == 1


async def test_a_revoked_key_stays_in_the_list_and_frees_its_name(ring: KeyRing, other_ring: KeyRing) -> None:
    await ring.add(a_key())
    revoked = await ring.revoke("bot", NOW + DAY)
    assert revoked.revoked_at == NOW + DAY
    assert await other_ring.key("id-1") == revoked
    await other_ring.add(a_key("id-2", created_at=NOW + DAY))
    assert [key.key_id for key in await ring.keys()] == ["id-1", "id-2"]


async def test_a_key_is_revoked_by_its_id_and_only_once(ring: KeyRing) -> None:
    await ring.add(a_key())
    first = await ring.revoke("id-1", NOW + DAY)
    assert await ring.revoke("id-1", NOW + 2 * DAY) == first
    with pytest.raises(KeyUnknown, match="keys list"):
        await ring.revoke("bot", NOW)


@pytest.mark.parametrize("name", ["", "two words", "x" * 65, "-x", "a\nb", "ключ"])
def test_a_name_that_cannot_stand_in_a_command_is_refused(name: str) -> None:
    with pytest.raises(StoreRefused):
        a_key(name=name)


def test_a_key_without_a_scope_or_with_a_negative_limit_is_refused() -> None:
    with pytest.raises(StoreRefused, match="submit, read, admin"):
        a_key(scopes=frozenset())
    for limits in ({"submissions_per_minute": -1}, {"reads_per_minute": -1}, {"submissions_burst": 0}):
        with pytest.raises(StoreRefused):
            KeyLimits(**limits)


def test_a_digest_is_not_shown() -> None:
    assert "digest of" not in repr(a_key())


def test_scopes_say_what_a_key_is_good_for() -> None:
    assert a_key().allows(Scope.SUBMIT)
    assert not a_key().allows(Scope.READ)
    admin = a_key(scopes=frozenset({Scope.ADMIN}))
    assert all(admin.allows(scope) for scope in Scope)
    assert not a_key(revoked_at=NOW).allows(Scope.SUBMIT)
