"""The graph's tables: entities and aliases, facts between entities, the pages they come from, verified claims."""

from storage.embedded.connection import Schema

FIRST = """
CREATE TABLE entities (
  id   INTEGER PRIMARY KEY,
  key  TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  kind TEXT NOT NULL
) STRICT;
CREATE TABLE aliases (
  key    TEXT NOT NULL,
  entity INTEGER NOT NULL REFERENCES entities,
  name   TEXT NOT NULL,
  PRIMARY KEY (key, entity)
) STRICT, WITHOUT ROWID;
CREATE INDEX aliases_of ON aliases (entity);

CREATE TABLE pages (
  id     INTEGER PRIMARY KEY,
  url    TEXT NOT NULL UNIQUE,
  domain TEXT NOT NULL,
  title  TEXT NOT NULL
) STRICT;
CREATE TABLE facts (
  id         INTEGER PRIMARY KEY,
  fact_id    TEXT NOT NULL UNIQUE,
  subject    INTEGER NOT NULL REFERENCES entities,
  object     INTEGER NOT NULL REFERENCES entities,
  page       INTEGER NOT NULL REFERENCES pages,
  said_subject TEXT NOT NULL, -- as the page spells it
  relation     TEXT NOT NULL,
  said_object  TEXT NOT NULL,
  observed   INTEGER NOT NULL,
  confidence REAL NOT NULL,
  published  INTEGER, -- day number
  text       TEXT NOT NULL,
  passage_id TEXT NOT NULL
) STRICT;
CREATE INDEX facts_by_subject ON facts (subject, confidence DESC, fact_id);
CREATE INDEX facts_by_object ON facts (object, confidence DESC, fact_id);
CREATE INDEX facts_by_page ON facts (page);
CREATE INDEX facts_by_age ON facts (observed);

CREATE TABLE claims (
  job_id TEXT PRIMARY KEY,
  text   TEXT NOT NULL,
  names  TEXT NOT NULL, -- JSON list
  at     INTEGER NOT NULL
) STRICT;
CREATE TABLE claim_entities (
  job_id TEXT NOT NULL REFERENCES claims,
  entity INTEGER NOT NULL REFERENCES entities,
  PRIMARY KEY (job_id, entity)
) STRICT, WITHOUT ROWID;
CREATE INDEX claims_by_entity ON claim_entities (entity);
"""

GRAPH = Schema(component="graph", migrations=(FIRST,))
