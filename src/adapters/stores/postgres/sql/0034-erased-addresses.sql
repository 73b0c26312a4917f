-- Erasure takes the address too from which a signal came: it is personal as its payload and its reasons are, and says nothing of who decided.
CREATE OR REPLACE FUNCTION keelson.keep_decision() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF ROW(NEW.decision_pos, NEW.tenant_id, NEW.run_id, NEW.signal_id, NEW.signal_decision_id, NEW.policy_decision_id,
      NEW.reason_code, NEW.actor_id, NEW.actor_role, NEW.decided_at, NEW.signal_type, NEW.approval_required)
    IS NOT DISTINCT FROM
      ROW(OLD.decision_pos, OLD.tenant_id, OLD.run_id, OLD.signal_id, OLD.signal_decision_id, OLD.policy_decision_id,
      OLD.reason_code, OLD.actor_id, OLD.actor_role, OLD.decided_at, OLD.signal_type, OLD.approval_required)
    AND (OLD.decision = 'PENDING' OR (NEW.reason IS NULL OR NEW.reason IS NOT DISTINCT FROM OLD.reason)
      AND ROW(NEW.decision, NEW.approved_by, NEW.approved_at)
        IS NOT DISTINCT FROM ROW(OLD.decision, OLD.approved_by, OLD.approved_at))
    AND (NEW.source_ip IS NULL OR NEW.source_ip IS NOT DISTINCT FROM OLD.source_ip)
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

CREATE OR REPLACE FUNCTION keelson.erase_server() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE keelson.signal_decisions d SET signal_payload = '', reason = NULL, audit_reason = NULL, source_ip = NULL,
    payload_sha256 = encode(sha256(convert_to(d.signal_payload, 'UTF8')), 'hex')
    FROM keelson.runs r WHERE r.run_key = NEW.run_key AND d.tenant_id = r.tenant_id AND d.run_id = r.run_id
      AND d.payload_sha256 IS NULL;
  DELETE FROM keelson.api_requests q USING keelson.runs r
    WHERE r.run_key = NEW.run_key AND q.tenant_id = r.tenant_id AND q.execution_id = r.run_id AND q.answered_at IS NOT NULL;
  RETURN NULL;
END $$;

-- Of runs that were erased before.
UPDATE keelson.signal_decisions SET source_ip = NULL WHERE payload_sha256 IS NOT NULL AND source_ip IS NOT NULL;
