-- Where the bundle of an archived run was put: what is left of the run here is its row. The place comes with the ticket.
ALTER TABLE keelson.runs ADD COLUMN archived_to text;
ALTER TABLE keelson.archive_tickets ADD COLUMN place text;

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
  UPDATE keelson.runs r SET inbox_since = NULL, archived_at = v_now, archived_to = NEW.place WHERE r.run_key = NEW.run_key;
  UPDATE keelson.archive_tickets t SET archived = true WHERE t.run_key = NEW.run_key;
  RETURN NULL;
END $$;

-- Beside the one without a place, which processes of earlier versions call. With the rights of whoever calls.
CREATE FUNCTION keelson.cut_archive_ticket(p_run_key bigint, p_head bytea, p_now bigint, p_place text)
RETURNS text LANGUAGE plpgsql AS $$
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
  INSERT INTO keelson.archive_tickets (run_key, head_hash, at, place) VALUES (p_run_key, p_head, p_now, p_place);
  RETURN 'archived';
EXCEPTION WHEN restrict_violation OR unique_violation THEN
  -- Between the look and the ticket the head moved, or somebody else archived the run.
  SELECT r.head_hash, r.archived_at INTO v_run FROM keelson.runs r WHERE r.run_key = p_run_key;
  RETURN CASE WHEN v_run.head_hash = p_head AND v_run.archived_at IS NOT NULL THEN 'archived' ELSE 'head-moved' END;
END $$;
