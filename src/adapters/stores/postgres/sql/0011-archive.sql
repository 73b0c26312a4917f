-- Archival (STO-15): the ticket takes everything of its run but the row, in the transaction that cuts it, with the
-- owner's rights. What followers knew of the run goes with its events.
ALTER TABLE keelson.runs ADD COLUMN archived_at bigint;
ALTER TABLE keelson.archive_tickets ADD COLUMN at bigint;
CREATE INDEX runs_archivable ON keelson.runs (ended_at, run_key)
  WHERE archived_at IS NULL AND status IN ('COMPLETED', 'FAILED', 'CANCELLED');

CREATE OR REPLACE FUNCTION keelson.check_archive_ticket() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- Locked, so that nothing is appended between this look at the head and the end of the transaction.
  PERFORM 1 FROM keelson.runs r WHERE r.run_key = NEW.run_key AND r.head_hash = NEW.head_hash
    AND r.status IN ('COMPLETED', 'FAILED', 'CANCELLED') AND r.archived_at IS NULL FOR NO KEY UPDATE;
  IF NOT FOUND OR NEW.archived THEN
    RAISE EXCEPTION 'EVENTS_APPEND_ONLY: an archive ticket must equal the head of an ended run'
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION keelson.archive_run() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_now bigint := coalesce(NEW.at, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint);
  v_free jsonb := '[{"place": 1, "releases": "all"}]';
  v_locked text[];
  v_take record;
BEGIN
  -- Whatever it still holds or waits for is offered on.
  IF EXISTS (SELECT 1 FROM keelson.grants h WHERE h.run_key = NEW.run_key)
    OR EXISTS (SELECT 1 FROM keelson.grant_waits w WHERE w.run_key = NEW.run_key)
  THEN
    v_locked := keelson.lock_pools(ARRAY[NEW.run_key], v_free);
    v_take := keelson.take_grants(NEW.run_key, v_free -> 0, v_locked, v_now);
    PERFORM keelson.move_grants(NEW.run_key, v_free -> 0, v_locked, v_now, v_take.o_pools, v_take.o_granted,
      v_take.o_freed);
  END IF;
  DELETE FROM keelson.events e WHERE e.run_key = NEW.run_key;
  DELETE FROM keelson.run_inbox i WHERE i.run_key = NEW.run_key;
  DELETE FROM keelson.run_context c WHERE c.run_key = NEW.run_key;
  DELETE FROM keelson.run_blobs b WHERE b.run_key = NEW.run_key;
  DELETE FROM keelson.run_snapshots s WHERE s.run_key = NEW.run_key;
  DELETE FROM keelson.step_claims c WHERE c.run_key = NEW.run_key;
  DELETE FROM keelson.feed_cursors c WHERE c.run_key = NEW.run_key;
  DELETE FROM keelson.feed_behind b WHERE b.run_key = NEW.run_key;
  DELETE FROM keelson.feed_dead_letters d WHERE d.run_key = NEW.run_key;
  UPDATE keelson.runs r SET inbox_since = NULL, archived_at = v_now WHERE r.run_key = NEW.run_key;
  UPDATE keelson.archive_tickets t SET archived = true WHERE t.run_key = NEW.run_key;
  RETURN NULL;
END $$;

-- Runs that a ticket took before there was more to it.
UPDATE keelson.runs r SET archived_at = r.updated_at
FROM keelson.archive_tickets t WHERE t.run_key = r.run_key AND t.archived;

-- With the rights of whoever calls: without the right to cut a ticket nothing is archived.
CREATE FUNCTION keelson.cut_archive_ticket(p_run_key bigint, p_head bytea, p_now bigint) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  v_run record;
BEGIN
  SELECT r.status, r.head_hash, r.archived_at INTO v_run FROM keelson.runs r WHERE r.run_key = p_run_key;
  IF NOT FOUND THEN
    RETURN 'no-run';
  ELSIF v_run.status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED') THEN
    RETURN 'not-terminal';
  ELSIF v_run.head_hash <> p_head THEN
    RETURN 'head-moved';
  ELSIF v_run.archived_at IS NOT NULL THEN
    RETURN 'archived';
  END IF;
  INSERT INTO keelson.archive_tickets (run_key, head_hash, at) VALUES (p_run_key, p_head, p_now);
  RETURN 'archived';
EXCEPTION WHEN restrict_violation OR unique_violation THEN
  -- Between the look and the ticket the head moved, or somebody else archived the run.
  SELECT r.head_hash, r.archived_at INTO v_run FROM keelson.runs r WHERE r.run_key = p_run_key;
  RETURN CASE WHEN v_run.head_hash = p_head AND v_run.archived_at IS NOT NULL THEN 'archived' ELSE 'head-moved' END;
END $$;
