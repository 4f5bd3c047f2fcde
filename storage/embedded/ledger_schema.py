"""The ledger's tables. Triggers keep the running totals of open jobs, so that no statement can forget them."""

from storage.embedded.connection import Schema

FIRST = """
CREATE TABLE jobs (
  job_id       TEXT PRIMARY KEY,
  fingerprint  TEXT NOT NULL,
  submission   BLOB NOT NULL,
  opened_at    INTEGER NOT NULL,
  room_id      TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  attempt      INTEGER NOT NULL,
  state        TEXT NOT NULL CHECK (state IN ('open', 'completed', 'failed')),
  deadline     INTEGER
) STRICT;
CREATE INDEX jobs_by_age ON jobs (opened_at, job_id);
CREATE INDEX jobs_by_room ON jobs (room_id, opened_at, job_id);
CREATE INDEX jobs_by_state ON jobs (state, opened_at, job_id);

CREATE TABLE open_totals (
  only  INTEGER PRIMARY KEY CHECK (only = 1),
  jobs  INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT;
INSERT INTO open_totals VALUES (1, 0, 0);
CREATE TRIGGER job_inserted AFTER INSERT ON jobs WHEN new.state = 'open' BEGIN
  UPDATE open_totals SET jobs = jobs + 1, bytes = bytes + length(new.submission);
END;
CREATE TRIGGER job_left_open AFTER UPDATE OF state ON jobs WHEN old.state = 'open' AND new.state <> 'open' BEGIN
  UPDATE open_totals SET jobs = jobs - 1, bytes = bytes - length(old.submission);
END;
CREATE TRIGGER job_reopened AFTER UPDATE OF state ON jobs WHEN old.state <> 'open' AND new.state = 'open' BEGIN
  UPDATE open_totals SET jobs = jobs + 1, bytes = bytes + length(new.submission);
END;

CREATE TABLE outcomes (
  job_id     TEXT NOT NULL,
  attempt    INTEGER NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('completed', 'failed')),
  payload    BLOB NOT NULL,
  decided_at INTEGER NOT NULL,
  emitted    INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (job_id, attempt)
) STRICT;
CREATE INDEX outcomes_unemitted ON outcomes (decided_at) WHERE emitted = 0;

CREATE TABLE steps (
  job_id  TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  loop    INTEGER NOT NULL,
  stage   TEXT NOT NULL,
  payload BLOB NOT NULL,
  PRIMARY KEY (job_id, attempt, loop, stage)
) STRICT;

CREATE TABLE parents (
  parent_id TEXT PRIMARY KEY,
  deadline  INTEGER NOT NULL,
  expected  INTEGER NOT NULL,
  done      INTEGER NOT NULL DEFAULT 0,
  state     TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'complete', 'overdue'))
) STRICT;
CREATE INDEX parents_open ON parents (deadline) WHERE state = 'open';
CREATE TABLE children (
  parent_id TEXT NOT NULL REFERENCES parents,
  child_id  TEXT NOT NULL,
  position  INTEGER NOT NULL,
  payload   BLOB,
  PRIMARY KEY (parent_id, child_id)
) STRICT;

CREATE TABLE sources (url TEXT PRIMARY KEY, domain TEXT NOT NULL, title TEXT NOT NULL) STRICT;
CREATE TABLE job_evidence (
  job_id       TEXT NOT NULL,
  evidence_id  TEXT NOT NULL,
  position     INTEGER NOT NULL,
  url          TEXT NOT NULL REFERENCES sources,
  stance       TEXT NOT NULL,
  score        REAL NOT NULL,
  content_hash TEXT NOT NULL,
  PRIMARY KEY (job_id, evidence_id)
) STRICT;
CREATE INDEX job_evidence_by_source ON job_evidence (url);

CREATE TABLE audit (
  entry_id     TEXT PRIMARY KEY,
  job_id       TEXT NOT NULL,
  at           INTEGER NOT NULL,
  payload      BLOB NOT NULL,
  workspace_id TEXT NOT NULL,
  user_id      TEXT NOT NULL,
  session_id   TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_workspace ON audit (workspace_id, at);
CREATE INDEX audit_by_job ON audit (job_id, at);
CREATE INDEX audit_by_age ON audit (at);
"""

ANSWERS = """
ALTER TABLE outcomes ADD COLUMN claim_key TEXT NOT NULL DEFAULT '';
ALTER TABLE outcomes ADD COLUMN sense_key TEXT NOT NULL DEFAULT '';
CREATE INDEX outcomes_by_claim ON outcomes (claim_key, decided_at) WHERE claim_key <> '' AND state = 'completed';
CREATE INDEX outcomes_by_sense ON outcomes (sense_key, decided_at) WHERE sense_key <> '' AND state = 'completed';
"""

LEDGER = Schema(component="ledger", migrations=(FIRST, ANSWERS))
