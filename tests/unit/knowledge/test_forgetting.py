"""A page that must go, and what was read too long ago, leave nothing behind in any store."""

from dataclasses import replace
from datetime import timedelta

from agents.knowledge.checking import verify
from agents.knowledge.forgetting import Forgotten, forget_before, forget_page
from storage.ports import Stores
from storage.ports.evidence import FACTS
from tests.unit.knowledge.test_checking import LATER, into_index, page, whole
from tests.unit.knowledge.world import NOW


async def test_a_forgotten_page_is_gone_from_every_store_and_others_stay(stores: Stores) -> None:
    for number in (1, 2):
        await whole(stores, page(number))
    await into_index(stores, page(1), "static_gk")
    await stores.urls.register([page(7).url], stage=0, claim_ids=["c"], now=NOW)
    await stores.urls.lease([page(7).url], owner="me", now=NOW)
    for store in ("index", "graph"):
        await stores.urls.acknowledge(page(7).url, store, owner="me", now=NOW, known_by=page(1).url)
    gone = await forget_page(stores, page(1).url + "/?utm_source=x")
    assert gone == Forgotten(passages=2, relations=1, pages=2)
    assert await stores.index.pages_held([page(1).url, page(2).url]) == {page(2).url}
    assert await stores.graph.facts_from(page(1).url) == []
    assert await stores.urls.get([page(1).url]) == []
    assert len(await stores.graph.facts_from(page(2).url)) == 1
    assert (await verify(stores, LATER)).is_sound
    assert await forget_page(stores, page(1).url) == Forgotten()


async def test_documents_of_files_are_forgotten_by_their_address_too(stores: Stores) -> None:
    await into_index(stores, replace(page(1), url="doc:corpus/7"))
    assert await forget_page(stores, "doc:corpus/7") == Forgotten(passages=1)
    assert await stores.index.count(FACTS) == 0


async def test_what_was_read_too_long_ago_goes_and_may_be_read_again(stores: Stores) -> None:
    await whole(stores, page(1))
    await into_index(stores, page(3), "static_gk")
    assert await forget_before(stores, NOW) == Forgotten()
    assert await forget_before(stores, NOW + timedelta(seconds=1)) == Forgotten(passages=1, relations=1, pages=1)
    assert await stores.index.count(FACTS) == 0
    assert await stores.index.count("static_gk") == 1
    assert (await verify(stores, LATER)).is_sound
    assert await stores.urls.unprocessed("another", 0, [page(1).url], now=NOW) == [page(1).url]
