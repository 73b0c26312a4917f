-- What the roles of rights.sql need in the database itself (docs/guides/operations.md#roles): the right to erase is the right
-- to write a ticket, and a role may be bound to a tenant by a row that only the owner writes.
--
-- Functions that change are written out whole, here and in every later file: a migration that was applied is never edited
-- (forward only), and CREATE OR REPLACE takes nothing less than the whole. The newest file that has a function is the one to read.

-- Whoever fires a trigger chooses neither the functions nor the operators it uses.
ALTER FUNCTION keelson.refuse() SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION keelson.keep_event() SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION keelson.let_event_go() SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION keelson.use_archive_ticket_once() SET search_path = pg_catalog, pg_temp;

-- Erasure (P-34): the ticket takes the run's values with it, with the owner's rights, and is gone. After the insert, so that
-- row security has judged the ticket before anything is looked at: nobody learns from it whether another tenant's run exists.
CREATE FUNCTION keelson.erase_run() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE keelson.events e SET data = NULL, salt = NULL
    WHERE e.run_key = NEW.run_key AND e.seq <= NEW.up_to_seq AND e.data IS NOT NULL;
  DELETE FROM keelson.run_blobs b WHERE b.run_key = NEW.run_key;
  DELETE FROM keelson.run_context c WHERE c.run_key = NEW.run_key AND c.seq <= NEW.up_to_seq;
  UPDATE keelson.run_inbox i SET body = '', body_sha256 = encode(sha256(convert_to(i.body, 'UTF8')), 'hex')
    WHERE i.run_key = NEW.run_key AND i.consumed_seq <= NEW.up_to_seq AND i.body_sha256 IS NULL;
  DELETE FROM keelson.run_snapshots s WHERE s.run_key = NEW.run_key AND s.seq <= NEW.up_to_seq;
  -- An error may quote the values that could not be delivered.
  UPDATE keelson.feed_behind b SET error = '' WHERE b.run_key = NEW.run_key AND b.seq <= NEW.up_to_seq;
  UPDATE keelson.feed_dead_letters d SET error = '' WHERE d.run_key = NEW.run_key AND d.seq <= NEW.up_to_seq;
  DELETE FROM keelson.erasure_tickets t WHERE t.run_key = NEW.run_key;
  RETURN NULL;
END $$;

CREATE TRIGGER erase_whole_run AFTER INSERT ON keelson.erasure_tickets
  FOR EACH ROW EXECUTE FUNCTION keelson.erase_run();
ALTER TABLE keelson.erasure_tickets ENABLE ALWAYS TRIGGER erase_whole_run;

CREATE TABLE keelson.tenant_roles (
  role_name text PRIMARY KEY,
  tenant_id text NOT NULL CHECK (tenant_id <> '')
);

-- The tenants of whoever asks, by the roles they have: nothing that a session could set. With the rights of whoever calls,
-- who sees of tenant_roles only what is theirs.
CREATE FUNCTION keelson.own_tenants() RETURNS SETOF text LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $$
  SELECT t.tenant_id FROM keelson.tenant_roles t JOIN pg_roles r ON r.rolname = t.role_name
  WHERE pg_has_role(r.oid, 'USAGE')
$$;

-- The beginning of a tenant's subscriber names, unlike any other's: two tenants may call a subscriber by one name.
CREATE FUNCTION keelson.subscriber_scope(p_tenant_id text) RETURNS text LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp AS $$
  SELECT format('tenant:%s:%s/', char_length(p_tenant_id), p_tenant_id)
$$;

-- A run id is one over all tenants (ENG-02). Whoever is bound to a tenant cannot see the run that has it, and is told no more
-- than that it is taken.
CREATE FUNCTION keelson.is_run_id_taken(p_run_id text) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (SELECT 1 FROM keelson.runs r WHERE r.run_id = p_run_id)
$$;

-- The key of a new run, or 0 and why there is none.
CREATE OR REPLACE FUNCTION keelson.create_run(p_run jsonb, p_broken text, p_now bigint,
  OUT o_key bigint, OUT o_verdict text, OUT o_detail text) LANGUAGE plpgsql AS $$
BEGIN
  o_verdict := 'write';
  IF p_broken IS NULL THEN
    INSERT INTO keelson.runs (run_id, tenant_id, project_id, environment_id, plan_id, plan_version, plan_sha256,
      engine_type, engine_run_ref, request_key, original_run_id, parent_run_id, parent_slot, parent_attempt,
      triggered_by, created_at, updated_at, epoch, next_seq, head_hash, status, substatus, next_wake_at, rules_version,
      min_rules_version, started_at, ended_at, steps_total, steps_done, steps_failed, error_code, owed, lease_owner,
      lease_until)
    SELECT n.run_id, n.tenant_id, n.project_id, n.environment_id, n.plan_id, n.plan_version, n.plan_sha256,
      n.engine_type, n.engine_run_ref, n.request_key, n.original_run_id, n.parent_run_id, n.parent_slot,
      n.parent_attempt, n.triggered_by, p_now, p_now, n.epoch, n.next_seq, decode(n.head_hash, 'hex'), n.status,
      n.substatus, n.next_wake_at, n.rules_version, n.min_rules_version, n.started_at, n.ended_at, n.steps_total,
      n.steps_done, n.steps_failed, n.error_code, n.owed, n.lease_owner, coalesce(p_now + n.lease_ms, n.lease_until)
    FROM jsonb_to_record(p_run) AS n(run_id text, tenant_id text, project_id text, environment_id text, plan_id text,
      plan_version text, plan_sha256 text, engine_type text, engine_run_ref text, request_key text,
      original_run_id text, parent_run_id text, parent_slot text, parent_attempt integer, triggered_by text,
      epoch bigint, next_seq bigint, head_hash text, status text, substatus text, next_wake_at bigint,
      rules_version integer, min_rules_version integer, started_at bigint, ended_at bigint, steps_total integer,
      steps_done integer, steps_failed integer, error_code text, owed boolean, lease_owner text, lease_until bigint,
      lease_ms bigint)
    ON CONFLICT DO NOTHING RETURNING run_key INTO o_key;
    IF FOUND THEN
      RETURN;
    END IF;
  END IF;
  o_key := 0;
  IF keelson.is_run_id_taken(p_run ->> 'run_id') THEN
    o_verdict := 'run-exists';
    RETURN;
  END IF;
  SELECT r.run_id INTO o_detail FROM keelson.runs r
    WHERE r.tenant_id = p_run ->> 'tenant_id' AND r.request_key = p_run ->> 'request_key';
  IF FOUND THEN
    o_verdict := 'request-exists';
  ELSIF p_broken IS NULL THEN
    -- Refused by a row that was gone again a moment later: its transaction was rolled back.
    RAISE EXCEPTION 'a run that was in the way is gone' USING ERRCODE = 'serialization_failure';
  ELSE
    o_verdict := 'constraint';
    o_detail := p_broken;
  END IF;
END $$;

CREATE OR REPLACE FUNCTION keelson.is_run_known(p_run jsonb) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT keelson.is_run_id_taken(p_run ->> 'run_id') OR EXISTS (
    SELECT 1 FROM keelson.runs r
    WHERE r.tenant_id = p_run ->> 'tenant_id' AND r.request_key = p_run ->> 'request_key')
$$;

-- Agents are each tenant's own, and so are their breakers: those that plans made for all by naming them go, the rest are limits.
DELETE FROM keelson.pools p WHERE p.pool LIKE 'agent:%' AND p.pool NOT LIKE '%@%' AND p.capacity = 3 AND p.breaker_failures = 5
  AND p.breaker_open_ms = 60000 AND NOT EXISTS (SELECT 1 FROM keelson.grants g WHERE g.pool = p.pool)
  AND NOT EXISTS (SELECT 1 FROM keelson.grant_wait_pools w WHERE w.pool = p.pool);
UPDATE keelson.pools SET breaker_failures = NULL, breaker_open_ms = NULL, failures = 0, open_until = NULL, probe = NULL
  WHERE pool LIKE 'agent:%';
