-- What a server keeps beside the runs: its tenants and their keys, requests with an idempotency key, decisions about signals, and the
-- audit log.
CREATE TABLE keelson.tenants (
  tenant_id text COLLATE "C" PRIMARY KEY CHECK (tenant_id <> ''),
  created_at bigint NOT NULL,
  deleted_at bigint
);

-- A key's id tells whose it is, so there is one of that id in the whole store.
CREATE TABLE keelson.api_keys (
  key_id text COLLATE "C" PRIMARY KEY,
  tenant_id text NOT NULL CHECK (tenant_id <> ''),
  secret_sha256 bytea NOT NULL CHECK (length(secret_sha256) = 32),
  actor_id text NOT NULL,
  -- A JSON list.
  roles text NOT NULL,
  display_name text,
  created_at bigint NOT NULL,
  created_by text NOT NULL,
  expires_at bigint,
  revoked_at bigint,
  last_used_at bigint
);
CREATE INDEX api_keys_tenant ON keelson.api_keys (tenant_id, created_at, key_id);

-- In flight until it was answered.
CREATE TABLE keelson.api_requests (
  tenant_id text NOT NULL CHECK (tenant_id <> ''),
  route text NOT NULL,
  request_key text NOT NULL,
  body_sha256 bytea NOT NULL CHECK (length(body_sha256) = 32),
  owner text NOT NULL,
  owned_until bigint NOT NULL,
  execution_id text,
  answered_at bigint,
  -- A JSON object; with the time of the answer or not at all.
  answer text CHECK ((answer IS NULL) = (answered_at IS NULL)),
  PRIMARY KEY (tenant_id, route, request_key)
);
CREATE INDEX api_requests_answered ON keelson.api_requests (answered_at) WHERE answered_at IS NOT NULL;
CREATE INDEX api_requests_execution ON keelson.api_requests (tenant_id, execution_id) WHERE execution_id IS NOT NULL;

-- Decisions outlive the archival of their run (AUT-11), so they name it as the outside does.
CREATE TABLE keelson.signal_decisions (
  decision_pos bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id text NOT NULL CHECK (tenant_id <> ''),
  run_id text NOT NULL,
  signal_id text NOT NULL,
  signal_decision_id text NOT NULL,
  policy_decision_id text NOT NULL,
  decision text NOT NULL CHECK (decision IN ('ACCEPTED', 'REJECTED', 'REVISION_REQUIRED', 'PENDING')),
  reason text,
  reason_code text,
  actor_id text NOT NULL,
  actor_role text NOT NULL,
  decided_at bigint NOT NULL,
  audit_reason text,
  source_ip text,
  signal_type text NOT NULL,
  -- JSON. After an erasure: empty, and beside it the hash of what it was.
  signal_payload text NOT NULL,
  payload_sha256 text,
  engine_processed_at bigint,
  engine_status text CHECK ((engine_status IS NULL) = (engine_processed_at IS NULL)),
  engine_error_code text,
  approval_required boolean,
  approved_by text,
  approved_at bigint
);
CREATE UNIQUE INDEX signal_decisions_signal ON keelson.signal_decisions (tenant_id, run_id, signal_id);
CREATE UNIQUE INDEX signal_decisions_id ON keelson.signal_decisions (tenant_id, signal_decision_id);
CREATE INDEX signal_decisions_run ON keelson.signal_decisions (tenant_id, run_id, decided_at, decision_pos);
CREATE INDEX signal_decisions_time ON keelson.signal_decisions (tenant_id, decided_at, decision_pos);
CREATE INDEX signal_decisions_pending ON keelson.signal_decisions (tenant_id, decided_at, decision_pos) WHERE decision = 'PENDING';
CREATE INDEX signal_decisions_signal_id ON keelson.signal_decisions (signal_id);
CREATE INDEX signal_decisions_policy ON keelson.signal_decisions (policy_decision_id);

-- One that is pending is settled once, a result comes once, and erasure empties what may be personal. Nothing else ever changes.
CREATE FUNCTION keelson.keep_decision() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF ROW(NEW.decision_pos, NEW.tenant_id, NEW.run_id, NEW.signal_id, NEW.signal_decision_id, NEW.policy_decision_id,
      NEW.reason_code, NEW.actor_id, NEW.actor_role, NEW.decided_at, NEW.source_ip, NEW.signal_type, NEW.approval_required)
    IS NOT DISTINCT FROM
      ROW(OLD.decision_pos, OLD.tenant_id, OLD.run_id, OLD.signal_id, OLD.signal_decision_id, OLD.policy_decision_id,
      OLD.reason_code, OLD.actor_id, OLD.actor_role, OLD.decided_at, OLD.source_ip, OLD.signal_type, OLD.approval_required)
    AND (OLD.decision = 'PENDING' OR (NEW.reason IS NULL OR NEW.reason IS NOT DISTINCT FROM OLD.reason)
      AND ROW(NEW.decision, NEW.approved_by, NEW.approved_at)
        IS NOT DISTINCT FROM ROW(OLD.decision, OLD.approved_by, OLD.approved_at))
    AND (NEW.audit_reason IS NULL OR NEW.audit_reason IS NOT DISTINCT FROM OLD.audit_reason)
    AND (ROW(NEW.signal_payload, NEW.payload_sha256) IS NOT DISTINCT FROM ROW(OLD.signal_payload, OLD.payload_sha256)
      OR NEW.signal_payload = '' AND OLD.payload_sha256 IS NULL AND length(NEW.payload_sha256) = 64)
    AND (OLD.engine_processed_at IS NULL OR ROW(NEW.engine_processed_at, NEW.engine_status, NEW.engine_error_code)
      IS NOT DISTINCT FROM ROW(OLD.engine_processed_at, OLD.engine_status, OLD.engine_error_code))
  THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'EVENTS_APPEND_ONLY: what was decided about a signal is never changed' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER signal_decisions_stay BEFORE UPDATE ON keelson.signal_decisions
  FOR EACH ROW EXECUTE FUNCTION keelson.keep_decision();
CREATE TRIGGER signal_decisions_never_go BEFORE DELETE ON keelson.signal_decisions
  FOR EACH ROW EXECUTE FUNCTION keelson.refuse('a decision about a signal is never deleted');
CREATE TRIGGER signal_decisions_never_truncated BEFORE TRUNCATE ON keelson.signal_decisions
  FOR EACH STATEMENT EXECUTE FUNCTION keelson.refuse('decisions about signals are never truncated');
ALTER TABLE keelson.signal_decisions ENABLE ALWAYS TRIGGER signal_decisions_stay;
ALTER TABLE keelson.signal_decisions ENABLE ALWAYS TRIGGER signal_decisions_never_go;
ALTER TABLE keelson.signal_decisions ENABLE ALWAYS TRIGGER signal_decisions_never_truncated;

CREATE TABLE keelson.audit_log (
  tenant_id text NOT NULL CHECK (tenant_id <> ''),
  position bigint NOT NULL CHECK (position > 0),
  type text NOT NULL,
  at bigint NOT NULL,
  record text NOT NULL,
  hash bytea NOT NULL CHECK (length(hash) = 32),
  key_id text NOT NULL,
  mac bytea NOT NULL CHECK (length(mac) = 32),
  PRIMARY KEY (tenant_id, position)
);
CREATE TRIGGER audit_log_never_changes BEFORE UPDATE ON keelson.audit_log
  FOR EACH ROW EXECUTE FUNCTION keelson.refuse('an audit record is never changed');
CREATE TRIGGER audit_log_never_goes BEFORE DELETE ON keelson.audit_log
  FOR EACH ROW EXECUTE FUNCTION keelson.refuse('an audit record is never deleted');
CREATE TRIGGER audit_log_never_truncated BEFORE TRUNCATE ON keelson.audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION keelson.refuse('the audit log is never truncated');
ALTER TABLE keelson.audit_log ENABLE ALWAYS TRIGGER audit_log_never_changes;
ALTER TABLE keelson.audit_log ENABLE ALWAYS TRIGGER audit_log_never_goes;
ALTER TABLE keelson.audit_log ENABLE ALWAYS TRIGGER audit_log_never_truncated;

-- The end of each audit log: the row that writers lock, one after another. An advisory lock is not used, because any login of the
-- database can hold one.
CREATE TABLE keelson.audit_heads (
  tenant_id text PRIMARY KEY CHECK (tenant_id <> ''),
  position bigint NOT NULL,
  hash bytea NOT NULL
);

-- Erasure (P-34): payload and reasons of a decision may be personal, as they are in the log's data, and go; who decided what and when
-- stays for seven years (AUT-11). An answer may hold the output of its run.
CREATE FUNCTION keelson.erase_server() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE keelson.signal_decisions d SET signal_payload = '', reason = NULL, audit_reason = NULL,
    payload_sha256 = encode(sha256(convert_to(d.signal_payload, 'UTF8')), 'hex')
    FROM keelson.runs r WHERE r.run_key = NEW.run_key AND d.tenant_id = r.tenant_id AND d.run_id = r.run_id
      AND d.payload_sha256 IS NULL;
  DELETE FROM keelson.api_requests q USING keelson.runs r
    WHERE r.run_key = NEW.run_key AND q.tenant_id = r.tenant_id AND q.execution_id = r.run_id AND q.answered_at IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER erase_server AFTER INSERT ON keelson.erasure_tickets
  FOR EACH ROW EXECUTE FUNCTION keelson.erase_server();
ALTER TABLE keelson.erasure_tickets ENABLE ALWAYS TRIGGER erase_server;
