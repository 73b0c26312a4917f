-- Erasure takes the address too from which a signal came: it is personal as its payload and its reasons are, and says nothing of who decided.
DROP TRIGGER signal_decisions_stay;
CREATE TRIGGER signal_decisions_stay BEFORE UPDATE ON signal_decisions
WHEN NOT (
  NEW.decision_pos IS OLD.decision_pos AND NEW.tenant_id IS OLD.tenant_id AND NEW.run_id IS OLD.run_id
  AND NEW.signal_id IS OLD.signal_id AND NEW.signal_decision_id IS OLD.signal_decision_id
  AND NEW.policy_decision_id IS OLD.policy_decision_id AND NEW.reason_code IS OLD.reason_code AND NEW.actor_id IS OLD.actor_id
  AND NEW.actor_role IS OLD.actor_role AND NEW.decided_at IS OLD.decided_at AND (NEW.source_ip IS OLD.source_ip OR NEW.source_ip IS NULL)
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

-- Of runs that were erased before.
UPDATE signal_decisions SET source_ip = NULL WHERE payload_sha256 IS NOT NULL;
