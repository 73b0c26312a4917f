-- Claims that ended before their worker reported: the step was handed out again. What such a worker reports is a late outcome, so it must be
-- known that the claim was real. A trigger keeps them, so that an older process on the same file does too.
CREATE TABLE ended_claims (
  tenant_id TEXT NOT NULL CHECK (tenant_id <> ''),
  claim_sha256 TEXT NOT NULL,
  run_key INTEGER NOT NULL,
  slot TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  engine_attempt INTEGER NOT NULL,
  claimed_at INTEGER NOT NULL,
  -- A JSON object: what its worker reported.
  report TEXT,
  PRIMARY KEY (tenant_id, claim_sha256)
) STRICT;

CREATE INDEX ended_claims_work ON ended_claims (run_key, slot, attempt);

CREATE TRIGGER work_claim_ends AFTER UPDATE ON work
WHEN OLD.claim_sha256 IS NOT NULL AND NEW.claim_sha256 IS NOT OLD.claim_sha256
BEGIN
  INSERT INTO ended_claims (tenant_id, claim_sha256, run_key, slot, attempt, engine_attempt, claimed_at, report)
  VALUES (OLD.tenant_id, OLD.claim_sha256, OLD.run_key, OLD.slot, OLD.attempt, OLD.engine_attempt + OLD.claims - 1, OLD.claimed_at, OLD.report)
  ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER work_goes AFTER DELETE ON work
BEGIN
  DELETE FROM ended_claims WHERE run_key = OLD.run_key AND slot = OLD.slot AND attempt = OLD.attempt;
END;
