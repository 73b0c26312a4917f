-- What a server keeps beside the runs: its tenants and their keys, requests with an idempotency key, decisions about signals, and the
-- audit log.
CREATE TABLE tenants (
  tenant_id TEXT PRIMARY KEY CHECK (tenant_id <> ''),
  created_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT, WITHOUT ROWID;

-- A key's id tells whose it is, so there is one of that id in the whole store.
CREATE TABLE api_keys (
  key_id TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL CHECK (tenant_id <> ''),
  secret_sha256 BLOB NOT NULL CHECK (length(secret_sha256) = 32),
  actor_id TEXT NOT NULL,
  -- A JSON list.
  roles TEXT NOT NULL,
  display_name TEXT,
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX api_keys_tenant ON api_keys (tenant_id, created_at, key_id);

-- In flight until it was answered. The answer may be large, so this is no table without rowid.
CREATE TABLE api_requests (
  tenant_id TEXT NOT NULL CHECK (tenant_id <> ''),
  route TEXT NOT NULL,
  request_key TEXT NOT NULL,
  body_sha256 BLOB NOT NULL CHECK (length(body_sha256) = 32),
  owner TEXT NOT NULL,
  owned_until INTEGER NOT NULL,
  execution_id TEXT,
  answered_at INTEGER,
  -- A JSON object; with the time of the answer or not at all.
  answer TEXT CHECK ((answer IS NULL) = (answered_at IS NULL)),
  PRIMARY KEY (tenant_id, route, request_key)
) STRICT;

CREATE INDEX api_requests_answered ON api_requests (answered_at) WHERE answered_at IS NOT NULL;
CREATE INDEX api_requests_execution ON api_requests (tenant_id, execution_id) WHERE execution_id IS NOT NULL;

-- Decisions outlive the archival of their run (AUT-11), so they name it as the outside does.
CREATE TABLE signal_decisions (
  decision_pos INTEGER PRIMARY KEY,
  tenant_id TEXT NOT NULL CHECK (tenant_id <> ''),
  run_id TEXT NOT NULL,
  signal_id TEXT NOT NULL,
  signal_decision_id TEXT NOT NULL,
  policy_decision_id TEXT NOT NULL,
  decision TEXT NOT NULL CHECK (decision IN ('ACCEPTED', 'REJECTED', 'REVISION_REQUIRED', 'PENDING')),
  reason TEXT,
  reason_code TEXT,
  actor_id TEXT NOT NULL,
  actor_role TEXT NOT NULL,
  decided_at INTEGER NOT NULL,
  audit_reason TEXT,
  source_ip TEXT,
  signal_type TEXT NOT NULL,
  -- JSON. After an erasure: empty, and beside it the hash of what it was.
  signal_payload TEXT NOT NULL,
  payload_sha256 TEXT,
  engine_processed_at INTEGER,
  engine_status TEXT CHECK ((engine_status IS NULL) = (engine_processed_at IS NULL)),
  engine_error_code TEXT,
  approval_required INTEGER,
  approved_by TEXT,
  approved_at INTEGER
) STRICT;

CREATE UNIQUE INDEX signal_decisions_signal ON signal_decisions (tenant_id, run_id, signal_id);
CREATE UNIQUE INDEX signal_decisions_id ON signal_decisions (tenant_id, signal_decision_id);
CREATE INDEX signal_decisions_run ON signal_decisions (tenant_id, run_id, decided_at);
CREATE INDEX signal_decisions_time ON signal_decisions (tenant_id, decided_at);
CREATE INDEX signal_decisions_pending ON signal_decisions (tenant_id, decided_at) WHERE decision = 'PENDING';
CREATE INDEX signal_decisions_signal_id ON signal_decisions (signal_id);
CREATE INDEX signal_decisions_policy ON signal_decisions (policy_decision_id);

CREATE TRIGGER signal_decisions_never_go BEFORE DELETE ON signal_decisions
BEGIN
  SELECT RAISE(ABORT, 'EVENTS_APPEND_ONLY: a decision about a signal is never deleted');
END;

-- INSERT OR REPLACE deletes without firing delete triggers.
CREATE TRIGGER signal_decisions_come_once BEFORE INSERT ON signal_decisions
WHEN EXISTS (SELECT 1 FROM signal_decisions d WHERE d.decision_pos = NEW.decision_pos
  OR d.tenant_id = NEW.tenant_id AND d.run_id = NEW.run_id AND d.signal_id = NEW.signal_id
  OR d.tenant_id = NEW.tenant_id AND d.signal_decision_id = NEW.signal_decision_id)
BEGIN
  SELECT RAISE(ABORT, 'EVENTS_APPEND_ONLY: a decision about a signal is never replaced');
END;

-- One that is pending is settled once, a result comes once, and erasure empties what may be personal. Nothing else ever changes.
CREATE TRIGGER signal_decisions_stay BEFORE UPDATE ON signal_decisions
WHEN NOT (
  NEW.decision_pos IS OLD.decision_pos AND NEW.tenant_id IS OLD.tenant_id AND NEW.run_id IS OLD.run_id
  AND NEW.signal_id IS OLD.signal_id AND NEW.signal_decision_id IS OLD.signal_decision_id
  AND NEW.policy_decision_id IS OLD.policy_decision_id AND NEW.reason_code IS OLD.reason_code AND NEW.actor_id IS OLD.actor_id
  AND NEW.actor_role IS OLD.actor_role AND NEW.decided_at IS OLD.decided_at AND NEW.source_ip IS OLD.source_ip
  AND NEW.signal_type IS OLD.signal_type AND NEW.approval_required IS OLD.approval_required
  AND (OLD.decision = 'PENDING' OR NEW.decision IS OLD.decision AND NEW.approved_by IS OLD.approved_by
    AND NEW.approved_at IS OLD.approved_at AND (NEW.reason IS OLD.reason OR NEW.reason IS NULL))
  AND (NEW.audit_reason IS OLD.audit_reason OR NEW.audit_reason IS NULL)
  AND (NEW.signal_payload IS OLD.signal_payload AND NEW.payload_sha256 IS OLD.payload_sha256
    OR NEW.signal_payload = '' AND OLD.payload_sha256 IS NULL AND length(NEW.payload_sha256) = 64)
  AND (OLD.engine_processed_at IS NULL OR NEW.engine_processed_at IS OLD.engine_processed_at
    AND NEW.engine_status IS OLD.engine_status AND NEW.engine_error_code IS OLD.engine_error_code)
)
BEGIN
  SELECT RAISE(ABORT, 'EVENTS_APPEND_ONLY: what was decided about a signal is never changed');
END;

CREATE TABLE audit_log (
  tenant_id TEXT NOT NULL CHECK (tenant_id <> ''),
  position INTEGER NOT NULL CHECK (position > 0),
  type TEXT NOT NULL,
  at INTEGER NOT NULL,
  record TEXT NOT NULL,
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  key_id TEXT NOT NULL,
  mac BLOB NOT NULL CHECK (length(mac) = 32),
  PRIMARY KEY (tenant_id, position)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER audit_log_never_changes BEFORE UPDATE ON audit_log
BEGIN
  SELECT RAISE(ABORT, 'EVENTS_APPEND_ONLY: an audit record is never changed');
END;

CREATE TRIGGER audit_log_never_goes BEFORE DELETE ON audit_log
BEGIN
  SELECT RAISE(ABORT, 'EVENTS_APPEND_ONLY: an audit record is never deleted');
END;

-- At the head alone, for the same reason as above.
CREATE TRIGGER audit_log_grows_at_the_head BEFORE INSERT ON audit_log
WHEN NEW.position IS NOT 1 + coalesce((SELECT max(position) FROM audit_log a WHERE a.tenant_id = NEW.tenant_id), 0)
BEGIN
  SELECT RAISE(ABORT, 'EVENTS_APPEND_ONLY: an audit record is added at the end alone');
END;
