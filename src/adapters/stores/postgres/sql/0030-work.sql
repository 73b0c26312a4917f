-- Work that plans leave to remote workers: a row for each attempt that was sent to a queue, and who asks for such work.
CREATE TABLE keelson.work (
  run_key bigint NOT NULL,
  slot text COLLATE "C" NOT NULL,
  attempt bigint NOT NULL,
  tenant_id text NOT NULL CHECK (tenant_id <> ''),
  revision bigint NOT NULL CHECK (revision > 0),
  state text NOT NULL CHECK (state IN ('offered', 'claimed', 'reported', 'closed')),
  queue text NOT NULL,
  handler text NOT NULL,
  irreversible boolean NOT NULL,
  secrets boolean NOT NULL,
  engine_attempt bigint NOT NULL,
  offered_at bigint NOT NULL,
  touched_at bigint NOT NULL,
  claims bigint NOT NULL,
  -- Of the last claim; its token is kept nowhere.
  claim_sha256 text,
  claim_worker text,
  claimed_at bigint,
  claimed_until bigint,
  claim_lease_ms bigint,
  -- A JSON object: what a worker is given.
  body text NOT NULL,
  -- A JSON object: what a worker reported.
  report text,
  PRIMARY KEY (run_key, slot, attempt)
);

CREATE INDEX work_open ON keelson.work (tenant_id, queue, offered_at) WHERE state IN ('offered', 'claimed');
CREATE INDEX work_claim ON keelson.work (tenant_id, claim_sha256) WHERE claim_sha256 IS NOT NULL;
CREATE INDEX work_touched ON keelson.work (touched_at);

CREATE TABLE keelson.workers (
  tenant_id text NOT NULL CHECK (tenant_id <> ''),
  worker text COLLATE "C" NOT NULL,
  actor_id text COLLATE "C" NOT NULL,
  asked_at bigint NOT NULL,
  -- A JSON object: what it asked for.
  body text NOT NULL,
  PRIMARY KEY (tenant_id, worker, actor_id)
);

CREATE INDEX workers_asked ON keelson.workers (tenant_id, asked_at);

-- Erasure (P-34) and archiving: what the run was given and what came of it goes with it.
CREATE FUNCTION keelson.remove_work() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM keelson.work w WHERE w.run_key = NEW.run_key;
  RETURN NULL;
END $$;
CREATE TRIGGER erase_work AFTER INSERT ON keelson.erasure_tickets
  FOR EACH ROW EXECUTE FUNCTION keelson.remove_work();
ALTER TABLE keelson.erasure_tickets ENABLE ALWAYS TRIGGER erase_work;
CREATE TRIGGER archive_work AFTER INSERT ON keelson.archive_tickets
  FOR EACH ROW EXECUTE FUNCTION keelson.remove_work();
ALTER TABLE keelson.archive_tickets ENABLE ALWAYS TRIGGER archive_work;
