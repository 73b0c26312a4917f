-- Claims that ended before their worker reported: the step was handed out again. What such a worker reports is a late outcome, so it must be
-- known that the claim was real. A trigger keeps them, so that an older process on the same database does too.
CREATE TABLE keelson.ended_claims (
  tenant_id text NOT NULL CHECK (tenant_id <> ''),
  claim_sha256 text NOT NULL,
  run_key bigint NOT NULL,
  slot text COLLATE "C" NOT NULL,
  attempt bigint NOT NULL,
  engine_attempt bigint NOT NULL,
  claimed_at bigint NOT NULL,
  -- A JSON object: what its worker reported.
  report text,
  PRIMARY KEY (tenant_id, claim_sha256)
);

CREATE INDEX ended_claims_work ON keelson.ended_claims (run_key, slot, attempt);

CREATE FUNCTION keelson.end_claim() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.claim_sha256 IS NOT NULL AND NEW.claim_sha256 IS DISTINCT FROM OLD.claim_sha256 THEN
    INSERT INTO keelson.ended_claims (tenant_id, claim_sha256, run_key, slot, attempt, engine_attempt, claimed_at, report)
    VALUES (OLD.tenant_id, OLD.claim_sha256, OLD.run_key, OLD.slot, OLD.attempt, OLD.engine_attempt + OLD.claims - 1,
      OLD.claimed_at, OLD.report)
    ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER work_claim_ends AFTER UPDATE ON keelson.work
  FOR EACH ROW EXECUTE FUNCTION keelson.end_claim();
ALTER TABLE keelson.work ENABLE ALWAYS TRIGGER work_claim_ends;

CREATE FUNCTION keelson.forget_claims() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM keelson.ended_claims c WHERE c.run_key = OLD.run_key AND c.slot = OLD.slot AND c.attempt = OLD.attempt;
  RETURN NULL;
END $$;
CREATE TRIGGER work_goes AFTER DELETE ON keelson.work
  FOR EACH ROW EXECUTE FUNCTION keelson.forget_claims();
ALTER TABLE keelson.work ENABLE ALWAYS TRIGGER work_goes;
