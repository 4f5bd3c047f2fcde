"""The registry's tables."""

from storage.embedded.connection import Schema

FIRST = """
CREATE TABLE urls (
  url         TEXT PRIMARY KEY,
  status      TEXT NOT NULL CHECK (status IN ('seen', 'extracted', 'failed')),
  first_stage INTEGER NOT NULL,
  changed_at  INTEGER NOT NULL,
  reason      TEXT NOT NULL DEFAULT '',
  lease_owner TEXT NOT NULL DEFAULT '',
  lease_until INTEGER,
  in_index    INTEGER NOT NULL DEFAULT 0,
  in_graph    INTEGER NOT NULL DEFAULT 0,
  CHECK (status <> 'extracted' OR (in_index AND in_graph))
) STRICT;
CREATE INDEX urls_seen ON urls (changed_at, url) WHERE status = 'seen';

CREATE TABLE url_claims (
  url      TEXT NOT NULL REFERENCES urls ON DELETE CASCADE,
  claim_id TEXT NOT NULL,
  PRIMARY KEY (url, claim_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX urls_of_claim ON url_claims (claim_id, url);

CREATE TABLE job_urls (
  job_id TEXT NOT NULL,
  url    TEXT NOT NULL,
  loop   INTEGER NOT NULL,
  at     INTEGER NOT NULL,
  PRIMARY KEY (job_id, url)
) STRICT;
CREATE INDEX job_urls_by_age ON job_urls (at);
"""

SECOND = "ALTER TABLE urls ADD COLUMN known_by TEXT NOT NULL DEFAULT ''"

URLS = Schema(component="urls", migrations=(FIRST, SECOND))
