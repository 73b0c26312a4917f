-- The log and the run row kept beside it. Events are clustered by run; bytes are kept exactly as they came.
CREATE TABLE runs (
  run_key INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE,
  tenant_id TEXT NOT NULL CHECK (tenant_id <> ''),
  project_id TEXT NOT NULL,
  environment_id TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  plan_version TEXT NOT NULL,
  plan_sha256 TEXT NOT NULL,
  engine_type TEXT NOT NULL,
  engine_run_ref TEXT NOT NULL,
  request_key TEXT,
  original_run_id TEXT,
  parent_run_id TEXT,
  parent_slot TEXT,
  parent_attempt INTEGER,
  triggered_by TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  next_seq INTEGER NOT NULL,
  head_hash BLOB NOT NULL,
  -- Store-wide counter, raised by every append (P-50).
  feed_pos INTEGER NOT NULL,
  status TEXT NOT NULL,
  substatus TEXT,
  next_wake_at INTEGER,
  rules_version INTEGER NOT NULL,
  min_rules_version INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  steps_total INTEGER NOT NULL,
  steps_done INTEGER NOT NULL,
  steps_failed INTEGER NOT NULL,
  error_code TEXT,
  -- 1 while work is in flight: without a lease its driver is gone.
  owed INTEGER NOT NULL,
  lease_owner TEXT,
  lease_until INTEGER,
  quarantine TEXT,
  -- Since when the oldest unconsumed inbox row waits; NULL when none does.
  inbox_since INTEGER
) STRICT;

CREATE UNIQUE INDEX runs_request ON runs (tenant_id, request_key) WHERE request_key IS NOT NULL;
CREATE UNIQUE INDEX runs_feed ON runs (feed_pos);
CREATE INDEX runs_engine_ref ON runs (tenant_id, engine_run_ref);
CREATE INDEX runs_created ON runs (tenant_id, created_at);
CREATE INDEX runs_status ON runs (tenant_id, status, created_at);
CREATE INDEX runs_plan ON runs (tenant_id, plan_id, created_at);
CREATE INDEX runs_original ON runs (tenant_id, original_run_id, created_at) WHERE original_run_id IS NOT NULL;
CREATE INDEX runs_wake ON runs (next_wake_at)
  WHERE next_wake_at IS NOT NULL AND quarantine IS NULL AND status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED');
CREATE INDEX runs_owed ON runs (lease_until)
  WHERE owed = 1 AND quarantine IS NULL AND status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED');
CREATE INDEX runs_inbox ON runs (inbox_since)
  WHERE inbox_since IS NOT NULL AND quarantine IS NULL AND status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED');

CREATE TABLE events (
  run_key INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  event_type TEXT NOT NULL,
  idempotency_key BLOB NOT NULL CONSTRAINT idempotency_key CHECK (length(idempotency_key) = 32),
  record TEXT NOT NULL,
  data TEXT,
  salt BLOB CONSTRAINT salt CHECK ((salt IS NULL) = (data IS NULL)),
  chain_hash BLOB NOT NULL CONSTRAINT chain_hash CHECK (length(chain_hash) = 32),
  terminal_slot TEXT,
  persisted_at INTEGER NOT NULL,
  PRIMARY KEY (run_key, seq)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX events_terminal_slot ON events (run_key, terminal_slot) WHERE terminal_slot IS NOT NULL;
CREATE UNIQUE INDEX events_idempotency_key ON events (run_key, idempotency_key);
