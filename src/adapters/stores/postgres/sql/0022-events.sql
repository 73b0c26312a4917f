-- Events from outside, kept for steps that wait for them later, and the steps that wait now (P-54).
CREATE TABLE keelson.sent_events (
  event_pos bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id text NOT NULL CHECK (tenant_id <> ''),
  event_id text NOT NULL,
  name text NOT NULL,
  -- Empty for an event without a key.
  event_key text NOT NULL,
  -- Canonical JSON. After an erasure: the JSON null, and beside it the hash of what it was.
  data text NOT NULL,
  data_sha256 text,
  sent_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  CONSTRAINT sent_events_id UNIQUE (tenant_id, event_id)
);
CREATE INDEX sent_events_key ON keelson.sent_events (tenant_id, name, event_key, expires_at);
CREATE INDEX sent_events_kept ON keelson.sent_events (tenant_id, expires_at);
CREATE INDEX sent_events_over ON keelson.sent_events (expires_at);

CREATE TABLE keelson.event_waits (
  run_key bigint NOT NULL,
  slot text COLLATE "C" NOT NULL,
  attempt integer NOT NULL,
  tenant_id text NOT NULL CHECK (tenant_id <> ''),
  name text NOT NULL,
  event_key text NOT NULL,
  PRIMARY KEY (run_key, slot, attempt)
);
CREATE INDEX event_waits_key ON keelson.event_waits (tenant_id, name, event_key);

-- A sender and a run that opens a wait both lock this row first. Without it, two transactions at the same time would not see
-- each other, and the event would be lost. It is locked before rows of runs. An advisory lock is not used, because any login
-- of the database can hold one.
CREATE TABLE keelson.event_keys (
  tenant_id text NOT NULL CHECK (tenant_id <> ''),
  name text NOT NULL,
  event_key text NOT NULL,
  used_at bigint NOT NULL,
  PRIMARY KEY (tenant_id, name, event_key)
);

CREATE FUNCTION keelson.lock_event_keys(p_keys jsonb, p_now bigint) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_key record;
BEGIN
  -- One after another, in one order for everybody.
  FOR v_key IN SELECT DISTINCT k.tenant_id, k.name, k.event_key
    FROM jsonb_to_recordset(p_keys) AS k(tenant_id text, name text, event_key text)
    ORDER BY k.tenant_id, k.name, k.event_key
  LOOP
    INSERT INTO keelson.event_keys AS e (tenant_id, name, event_key, used_at)
      VALUES (v_key.tenant_id, v_key.name, v_key.event_key, p_now)
      ON CONFLICT (tenant_id, name, event_key) DO UPDATE SET used_at = greatest(e.used_at, excluded.used_at);
  END LOOP;
END $$;

CREATE FUNCTION keelson.tell_wait(p_run_key bigint, p_slot text, p_attempt integer, p_event keelson.sent_events, p_now bigint)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO keelson.run_inbox (run_key, inbox_id, kind, body, inserted_at)
  VALUES (p_run_key, format('event:%s:%s:%s', p_event.event_id, p_slot, p_attempt), 'event',
    '{"eventId":' || to_json(p_event.event_id)::text || ',"name":' || to_json(p_event.name)::text || ',"key":'
      || to_json(p_event.event_key)::text || ',"slot":' || to_json(p_slot)::text || ',"attempt":' || p_attempt
      || ',"sentAt":' || p_event.sent_at || ',"data":' || p_event.data || '}', p_now)
  ON CONFLICT (run_key, inbox_id) DO NOTHING;
  IF FOUND THEN
    UPDATE keelson.runs r SET inbox_since = p_now WHERE r.run_key = p_run_key AND r.inbox_since IS NULL;
    PERFORM pg_notify('keelson_wake', '');
  END IF;
END $$;

-- Keeps the event and tells every open wait for its name and key. A wait of a run that is another tenant's was not written by
-- us: it is passed over.
CREATE FUNCTION keelson.send_event(p_tenant_id text, p_event_id text, p_name text, p_key text, p_data text, p_data_sha256 text,
  p_ttl_ms bigint, p_per_tenant bigint, p_per_key bigint, p_now bigint)
RETURNS TABLE (answer text, expires_at bigint, runs bigint[]) LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  v_now bigint := coalesce(p_now, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint);
  v_event keelson.sent_events;
  v_wait record;
  v_runs bigint[] := '{}';
BEGIN
  PERFORM keelson.lock_event_keys(
    jsonb_build_array(jsonb_build_object('tenant_id', p_tenant_id, 'name', p_name, 'event_key', p_key)), v_now);
  v_now := coalesce(p_now, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint);
  SELECT * INTO v_event FROM keelson.sent_events s WHERE s.tenant_id = p_tenant_id AND s.event_id = p_event_id;
  IF v_event.event_pos IS NOT NULL AND v_event.expires_at > v_now THEN
    RETURN QUERY SELECT CASE WHEN v_event.name = p_name AND v_event.event_key = p_key
        AND CASE WHEN v_event.data_sha256 IS NULL THEN v_event.data = p_data ELSE v_event.data_sha256 = p_data_sha256 END
      THEN 'duplicate' ELSE 'conflict' END, v_event.expires_at, v_runs;
    RETURN;
  END IF;
  IF (SELECT count(*) FROM keelson.sent_events s WHERE s.tenant_id = p_tenant_id AND s.expires_at > v_now) >= p_per_tenant
  THEN
    RETURN QUERY SELECT 'full-tenant', NULL::bigint, v_runs;
    RETURN;
  ELSIF (SELECT count(*) FROM keelson.sent_events s WHERE s.tenant_id = p_tenant_id AND s.name = p_name
    AND s.event_key = p_key AND s.expires_at > v_now) >= p_per_key
  THEN
    RETURN QUERY SELECT 'full-key', NULL::bigint, v_runs;
    RETURN;
  END IF;
  DELETE FROM keelson.sent_events s WHERE s.tenant_id = p_tenant_id AND s.event_id = p_event_id AND s.expires_at <= v_now;
  -- The same id under another name or key may be on its way: it waits for that one, and whoever is second finds the first.
  INSERT INTO keelson.sent_events (tenant_id, event_id, name, event_key, data, sent_at, expires_at)
    VALUES (p_tenant_id, p_event_id, p_name, p_key, p_data, v_now, v_now + p_ttl_ms)
    ON CONFLICT (tenant_id, event_id) DO NOTHING RETURNING * INTO v_event;
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'conflict', NULL::bigint, v_runs;
    RETURN;
  END IF;
  PERFORM 1 FROM keelson.runs r WHERE r.tenant_id = p_tenant_id AND r.run_key IN (
    SELECT w.run_key FROM keelson.event_waits w
    WHERE w.tenant_id = p_tenant_id AND w.name = p_name AND w.event_key = p_key)
    ORDER BY r.run_key FOR NO KEY UPDATE;
  -- After the rows are locked: what has ended meanwhile is told nothing.
  FOR v_wait IN SELECT w.run_key, w.slot, w.attempt FROM keelson.event_waits w
    JOIN keelson.runs r ON r.run_key = w.run_key AND r.tenant_id = w.tenant_id AND r.archived_at IS NULL
    WHERE w.tenant_id = p_tenant_id AND w.name = p_name AND w.event_key = p_key
    ORDER BY w.run_key, w.slot, w.attempt
  LOOP
    PERFORM keelson.tell_wait(v_wait.run_key, v_wait.slot, v_wait.attempt, v_event, v_now);
    IF v_wait.run_key <> ALL (v_runs) THEN
      v_runs := v_runs || v_wait.run_key;
    END IF;
  END LOOP;
  RETURN QUERY SELECT 'sent', v_event.expires_at, v_runs;
END $$;

-- After the commit of a run, in its transaction: its row and the keys of what it opens are locked.
CREATE FUNCTION keelson.change_event_waits(p_run_key bigint, p_opened jsonb, p_closed jsonb, p_now bigint)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_tenant text := (SELECT r.tenant_id FROM keelson.runs r WHERE r.run_key = p_run_key);
  v_wait record;
  v_event keelson.sent_events;
BEGIN
  IF p_closed = '"all"' THEN
    DELETE FROM keelson.event_waits w WHERE w.run_key = p_run_key;
  ELSE
    DELETE FROM keelson.event_waits w USING jsonb_to_recordset(p_closed) AS c(slot text, attempt integer)
      WHERE w.run_key = p_run_key AND w.slot = c.slot AND w.attempt = c.attempt;
  END IF;
  FOR v_wait IN SELECT o.slot, o.attempt, o.name, o.key
    FROM jsonb_to_recordset(p_opened) AS o(slot text, attempt integer, name text, key text)
  LOOP
    INSERT INTO keelson.event_waits (run_key, slot, attempt, tenant_id, name, event_key)
      VALUES (p_run_key, v_wait.slot, v_wait.attempt, v_tenant, v_wait.name, v_wait.key)
      ON CONFLICT (run_key, slot, attempt) DO UPDATE SET name = excluded.name, event_key = excluded.event_key;
    FOR v_event IN SELECT * FROM keelson.sent_events s WHERE s.tenant_id = v_tenant AND s.name = v_wait.name
      AND s.event_key = v_wait.key AND s.expires_at > p_now AND s.data_sha256 IS NULL ORDER BY s.event_pos
    LOOP
      PERFORM keelson.tell_wait(p_run_key, v_wait.slot, v_wait.attempt, v_event, p_now);
    END LOOP;
  END LOOP;
END $$;

-- Events whose time is over, and rows to lock that nobody used since an hour.
CREATE FUNCTION keelson.purge_events(p_limit integer, p_now bigint) RETURNS bigint LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_now bigint := coalesce(p_now, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint);
  v_gone bigint;
BEGIN
  DELETE FROM keelson.sent_events s WHERE s.event_pos IN (
    SELECT o.event_pos FROM keelson.sent_events o WHERE o.expires_at <= v_now ORDER BY o.expires_at LIMIT p_limit);
  GET DIAGNOSTICS v_gone = ROW_COUNT;
  DELETE FROM keelson.event_keys k USING (
    SELECT e.tenant_id, e.name, e.event_key FROM keelson.event_keys e WHERE e.used_at <= v_now - 3600000
    LIMIT p_limit FOR UPDATE SKIP LOCKED) AS o
    WHERE k.tenant_id = o.tenant_id AND k.name = o.name AND k.event_key = o.event_key;
  RETURN v_gone;
END $$;

-- Erasure (P-34): as before, and of the events that the run was told of only what recognises a repeat is left.
CREATE OR REPLACE FUNCTION keelson.erase_run() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE keelson.events e SET data = NULL, salt = NULL
    WHERE e.run_key = NEW.run_key AND e.seq <= NEW.up_to_seq AND e.data IS NOT NULL;
  DELETE FROM keelson.run_blobs b WHERE b.run_key = NEW.run_key;
  DELETE FROM keelson.run_context c WHERE c.run_key = NEW.run_key AND c.seq <= NEW.up_to_seq;
  UPDATE keelson.sent_events s SET data = 'null', data_sha256 = encode(sha256(convert_to(s.data, 'UTF8')), 'hex')
    FROM keelson.run_inbox i JOIN keelson.runs r ON r.run_key = i.run_key
    WHERE i.run_key = NEW.run_key AND i.consumed_seq <= NEW.up_to_seq AND i.kind = 'event' AND i.body <> ''
      AND s.tenant_id = r.tenant_id AND s.event_id = i.body::jsonb ->> 'eventId' AND s.data_sha256 IS NULL;
  UPDATE keelson.run_inbox i SET body = '', body_sha256 = encode(sha256(convert_to(i.body, 'UTF8')), 'hex')
    WHERE i.run_key = NEW.run_key AND i.consumed_seq <= NEW.up_to_seq AND i.body_sha256 IS NULL;
  DELETE FROM keelson.run_snapshots s WHERE s.run_key = NEW.run_key AND s.seq <= NEW.up_to_seq;
  -- An error may quote the values that could not be delivered.
  UPDATE keelson.feed_behind b SET error = '' WHERE b.run_key = NEW.run_key AND b.seq <= NEW.up_to_seq;
  UPDATE keelson.feed_dead_letters d SET error = '' WHERE d.run_key = NEW.run_key AND d.seq <= NEW.up_to_seq;
  DELETE FROM keelson.erasure_tickets t WHERE t.run_key = NEW.run_key;
  RETURN NULL;
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
  DELETE FROM keelson.event_waits w WHERE w.run_key = NEW.run_key;
  DELETE FROM keelson.feed_cursors c WHERE c.run_key = NEW.run_key;
  DELETE FROM keelson.feed_behind b WHERE b.run_key = NEW.run_key;
  DELETE FROM keelson.feed_dead_letters d WHERE d.run_key = NEW.run_key;
  UPDATE keelson.runs r SET inbox_since = NULL, archived_at = v_now, archived_to = NEW.place WHERE r.run_key = NEW.run_key;
  UPDATE keelson.archive_tickets t SET archived = true WHERE t.run_key = NEW.run_key;
  RETURN NULL;
END $$;
