-- A run's id is its tenant's own: two tenants may use one id, and neither learns of the other. The table is made anew, since a
-- column's UNIQUE cannot be taken back. The trigger that names it goes before it and comes back as it was.
DROP TRIGGER archive_only_ended;

CREATE TABLE runs_of_tenants (
  run_key INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL,
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
  inbox_since INTEGER,
  archived_at INTEGER,
  archived_to TEXT,
  deaths INTEGER NOT NULL DEFAULT 0
) STRICT;

INSERT INTO runs_of_tenants (run_key, run_id, tenant_id, project_id, environment_id, plan_id, plan_version, plan_sha256,
  engine_type, engine_run_ref, request_key, original_run_id, parent_run_id, parent_slot, parent_attempt, triggered_by,
  created_at, updated_at, epoch, next_seq, head_hash, feed_pos, status, substatus, next_wake_at, rules_version,
  min_rules_version, started_at, ended_at, steps_total, steps_done, steps_failed, error_code, owed, lease_owner,
  lease_until, quarantine, inbox_since, archived_at, archived_to, deaths)
SELECT run_key, run_id, tenant_id, project_id, environment_id, plan_id, plan_version, plan_sha256,
  engine_type, engine_run_ref, request_key, original_run_id, parent_run_id, parent_slot, parent_attempt, triggered_by,
  created_at, updated_at, epoch, next_seq, head_hash, feed_pos, status, substatus, next_wake_at, rules_version,
  min_rules_version, started_at, ended_at, steps_total, steps_done, steps_failed, error_code, owed, lease_owner,
  lease_until, quarantine, inbox_since, archived_at, archived_to, deaths
FROM runs ORDER BY run_key;

DROP TABLE runs;
ALTER TABLE runs_of_tenants RENAME TO runs;

CREATE UNIQUE INDEX runs_id ON runs (tenant_id, run_id);
CREATE UNIQUE INDEX runs_request ON runs (tenant_id, request_key) WHERE request_key IS NOT NULL;
CREATE UNIQUE INDEX runs_feed ON runs (feed_pos);
CREATE INDEX runs_engine_ref ON runs (tenant_id, engine_run_ref)
  WHERE engine_run_ref <> engine_type || '://' || run_id;
CREATE INDEX runs_created ON runs (tenant_id, created_at);
CREATE INDEX runs_status ON runs (tenant_id, status, created_at);
CREATE INDEX runs_plan ON runs (tenant_id, plan_id, created_at);
CREATE INDEX runs_plan_status ON runs (tenant_id, plan_id, status, created_at);
CREATE INDEX runs_original ON runs (tenant_id, original_run_id, created_at) WHERE original_run_id IS NOT NULL;
CREATE INDEX runs_wake ON runs (next_wake_at)
  WHERE next_wake_at IS NOT NULL AND quarantine IS NULL AND status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED');
CREATE INDEX runs_owed ON runs (lease_until)
  WHERE owed = 1 AND quarantine IS NULL AND status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED');
CREATE INDEX runs_inbox ON runs (inbox_since)
  WHERE inbox_since IS NOT NULL AND quarantine IS NULL AND status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED');
CREATE INDEX runs_ended_inbox ON runs (inbox_since)
  WHERE inbox_since IS NOT NULL AND quarantine IS NULL AND status IN ('COMPLETED', 'FAILED', 'CANCELLED');
CREATE INDEX runs_archivable ON runs (ended_at)
  WHERE ended_at IS NOT NULL AND archived_at IS NULL AND status IN ('COMPLETED', 'FAILED', 'CANCELLED');

CREATE TRIGGER archive_only_ended BEFORE INSERT ON archive_tickets
WHEN NOT EXISTS (
  SELECT 1 FROM runs r WHERE r.run_key = NEW.run_key AND r.head_hash = NEW.head_hash
    AND r.status IN ('COMPLETED', 'FAILED', 'CANCELLED')
) OR NEW.archived <> 0
BEGIN
  SELECT RAISE(ABORT, 'EVENTS_APPEND_ONLY: an archive ticket must equal the head of an ended run');
END;

-- Names that programs gave to subscribers: where there is one tenant, who followed all runs followed its runs; elsewhere they were
-- all tenants'. Either way they go on where they were. Keelson's own name stays as it is.
UPDATE feed_cursors SET subscriber = (SELECT iif(max(tenant_id <> 'local'), 'all/', 'tenant:5:local/') FROM runs)
  || subscriber WHERE subscriber <> 'receipts';
UPDATE feed_positions SET subscriber = (SELECT iif(max(tenant_id <> 'local'), 'all/', 'tenant:5:local/') FROM runs)
  || subscriber WHERE subscriber <> 'receipts';
UPDATE feed_backlog SET subscriber = (SELECT iif(max(tenant_id <> 'local'), 'all/', 'tenant:5:local/') FROM runs)
  || subscriber WHERE subscriber <> 'receipts';
UPDATE feed_dead SET subscriber = (SELECT iif(max(tenant_id <> 'local'), 'all/', 'tenant:5:local/') FROM runs)
  || subscriber WHERE subscriber <> 'receipts';
