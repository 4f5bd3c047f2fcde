"""The sample town put to use: its knowledge base stored, its claims published."""

import structlog
from aiokafka import AIOKafkaProducer

import samples
from agents.claims.submission import Submission
from agents.evidence.extraction import ExtractedPage, extract
from agents.evidence.ingest import ingest_page
from agents.evidence.replacing import replace_earlier
from storage.ports.evidence import STATIC_KNOWLEDGE
from streams import topics
from streams.admission import Admission
from streams.bootstrap import open_ledger, open_services, utc_now
from streams.kafka import client_options
from streams.settings import Settings

log = structlog.get_logger("veristream.samples")


def trusting_the_town(settings: Settings) -> Settings:
    """The same settings with the sample sites that an editor of that town would call credible."""
    hosts = tuple(name for name, host in samples.load().hosts.items() if host.credible)
    return settings.model_copy(update={"credible_domains": settings.credible_domains + hosts})


async def load_knowledge_base(settings: Settings) -> int:
    """Store the pages that are known from the start; the others are left for search to find."""
    async with open_services(settings) as services:
        stored = 0
        for sample in samples.load().knowledge_base:
            page = await extract(sample.html(), sample.url)
            if isinstance(page, ExtractedPage):
                now = services.clock()
                passages = await ingest_page(
                    page,
                    STATIC_KNOWLEDGE,
                    index=services.index,
                    embedder=services.embedder,
                    credibility=services.credibility,
                    now=now,
                )
                reading = {page.url: [passage.id for passage in passages]}
                await replace_earlier(STATIC_KNOWLEDGE, reading, index=services.index, graph=None, before=now)
                stored += 1
            else:
                log.warning("a sample page could not be read", url=page.url, reason=page.reason, detail=page.detail)
        return stored


async def publish_claims(settings: Settings) -> int:
    """Publish the sample claims the way anyone would: journalled, then sent to `claims`."""
    ledger = await open_ledger(settings)
    producer = AIOKafkaProducer(**client_options(settings))
    await producer.start()
    try:
        admission = Admission(ledger, settings, utc_now)
        claims = samples.load().claims
        for claim in claims:
            submission = Submission(job_id=claim.job_id, claim=claim.claim, domain=claim.domain, source=claim.source)
            record = (await admission.admit(submission)).record
            topic = settings.topic_prefix + topics.CLAIMS.name
            await producer.send_and_wait(topic, key=record.job_id.encode(), value=record.submission)
        return len(claims)
    finally:
        await producer.stop()
        await ledger.close()
