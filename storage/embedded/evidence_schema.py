"""The index's tables; the words of each collection have a table of their own (see `words`)."""

from storage.embedded.connection import Schema

FIRST = """
CREATE TABLE collections (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  name      TEXT UNIQUE, -- NULL: retired, waiting to be cleared away
  embedder  TEXT NOT NULL,
  dimension INTEGER NOT NULL,
  slots     INTEGER NOT NULL DEFAULT 0,
  passages  INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE passages (
  id           INTEGER PRIMARY KEY,
  collection   INTEGER NOT NULL REFERENCES collections,
  slot         INTEGER NOT NULL,
  passage_id   TEXT NOT NULL,
  url          TEXT NOT NULL,
  title        TEXT NOT NULL,
  text         TEXT NOT NULL,
  snippet      TEXT NOT NULL,
  domain       TEXT NOT NULL,
  published    INTEGER, -- day number
  fetched      INTEGER NOT NULL,
  credibility  REAL NOT NULL,
  extraction   TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  UNIQUE (collection, passage_id),
  UNIQUE (collection, slot)
) STRICT;
CREATE INDEX passages_by_url ON passages (url);
CREATE INDEX passages_by_domain ON passages (collection, domain, published, slot);
CREATE INDEX passages_by_date ON passages (collection, published, slot) WHERE published IS NOT NULL;
CREATE INDEX passages_by_age ON passages (collection, fetched);
CREATE TRIGGER passage_added AFTER INSERT ON passages BEGIN
  UPDATE collections SET passages = passages + 1 WHERE id = new.collection;
END;
CREATE TRIGGER passage_removed AFTER DELETE ON passages BEGIN
  UPDATE collections SET passages = passages - 1 WHERE id = old.collection;
  DELETE FROM vectors WHERE id = old.id;
END;

-- The exact vectors (float32), read for the short list only.
CREATE TABLE vectors (id INTEGER PRIMARY KEY, vector BLOB NOT NULL) STRICT;

-- The vectors rounded to a byte per number, many to a row, in the order of their slots: what a search runs over.
CREATE TABLE segments (
  id         INTEGER PRIMARY KEY,
  collection INTEGER NOT NULL REFERENCES collections,
  number     INTEGER NOT NULL,
  scales     BLOB NOT NULL,
  codes      BLOB NOT NULL,
  UNIQUE (collection, number)
) STRICT;
CREATE TABLE free_slots (
  collection INTEGER NOT NULL REFERENCES collections,
  slot       INTEGER NOT NULL,
  PRIMARY KEY (collection, slot)
) STRICT, WITHOUT ROWID;
"""

EVIDENCE = Schema(component="evidence", migrations=(FIRST,))
