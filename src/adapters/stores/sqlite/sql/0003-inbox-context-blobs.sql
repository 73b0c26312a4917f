-- What hangs on a run beside its log: letters to it, captured variables, large values.
CREATE TABLE run_inbox (
  inbox_pos INTEGER PRIMARY KEY,
  run_key INTEGER NOT NULL,
  inbox_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  body TEXT NOT NULL,
  -- Hex, once the body was erased: enough to recognise a repeat.
  body_sha256 TEXT,
  inserted_at INTEGER NOT NULL,
  consumed_seq INTEGER,
  UNIQUE (run_key, inbox_id)
) STRICT;

CREATE INDEX run_inbox_unconsumed ON run_inbox (run_key) WHERE consumed_seq IS NULL;

CREATE TABLE run_context (
  run_key INTEGER NOT NULL,
  variable TEXT NOT NULL,
  seq INTEGER NOT NULL,
  value TEXT NOT NULL,
  UNIQUE (run_key, variable, seq)
) STRICT;

CREATE TABLE run_blobs (
  run_key INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  text TEXT NOT NULL,
  UNIQUE (run_key, sha256)
) STRICT;
