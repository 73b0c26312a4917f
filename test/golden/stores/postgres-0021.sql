-- A store as the version before events wrote it (rules version 5): runs in every state that lasts. Nobody edits it;
-- test/golden/old-stores.test.ts opens it.


SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

CREATE SCHEMA keelson;

CREATE FUNCTION keelson.archive_run() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

CREATE FUNCTION keelson.can_be_served(p_place bigint) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  SELECT EXISTS (SELECT 1 FROM keelson.grant_waits w CROSS JOIN LATERAL (SELECT 1 FROM keelson.runs r
    WHERE r.run_key = w.run_key AND r.quarantine IS NULL AND r.status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED')
    OFFSET 0) AS live WHERE w.place = p_place)
$$;

CREATE FUNCTION keelson.check_archive_ticket() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

CREATE FUNCTION keelson.commit_runs(p_wait boolean, p_now bigint, p_key bigint[], p_epoch bigint[], p_next_seq bigint[], p_broken text[], p_moves jsonb, p_creates jsonb, p_rest jsonb, p_place integer[], p_seq bigint[], p_event_type text[], p_idempotency_key bytea[], p_chain_hash bytea[], p_record text[], p_data text[], p_salt bytea[], p_terminal_slot text[]) RETURNS TABLE(place bigint, verdict text, detail text, run_key bigint, at bigint)
    LANGUAGE plpgsql
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
#variable_conflict use_column
DECLARE
  v_now bigint;
  v_key bigint[] := array_fill(0::bigint, ARRAY[cardinality(p_key)]);
  v_verdict text[] := array_fill('absent'::text, ARRAY[cardinality(p_key)]);
  v_detail text[] := array_fill(NULL::text, ARRAY[cardinality(p_key)]);
  v_target bigint[] := '{}';
  v_sender integer[] := '{}';
  v_reached boolean[] := '{}';
  v_status text[] := array_fill(NULL::text, ARRAY[cardinality(p_key)]);
  v_locked text[];
  v_row record;
  v_made record;
  v_take record;
BEGIN
  IF p_rest ? 'notify' THEN
    SELECT coalesce(array_agg(t.run_key), '{}'), coalesce(array_agg(n.place), '{}'),
      coalesce(array_agg(false), '{}') INTO v_target, v_sender, v_reached
    FROM jsonb_to_recordset(p_rest -> 'notify') AS n(place integer, tenant_id text, run_id text)
    CROSS JOIN LATERAL (SELECT r.run_key FROM keelson.runs r
      WHERE r.run_id = n.run_id AND r.tenant_id = n.tenant_id AND r.archived_at IS NULL OFFSET 0) AS t;
  END IF;

  IF p_wait THEN
    PERFORM 1 FROM keelson.runs r WHERE r.run_key = ANY (p_key || v_target) ORDER BY r.run_key FOR NO KEY UPDATE;
  END IF;
  FOR v_row IN
    SELECT u.place, r.run_key, r.epoch, r.next_seq, r.status, r.archived_at
    FROM unnest(p_key || v_target) WITH ORDINALITY AS u(key, place)
    JOIN keelson.runs r ON r.run_key = u.key ORDER BY r.run_key FOR NO KEY UPDATE OF r SKIP LOCKED
  LOOP
    IF v_row.place > cardinality(p_key) THEN
      v_reached[v_row.place - cardinality(p_key)] := true;
    ELSIF v_row.epoch = p_epoch[v_row.place] AND v_row.next_seq = p_next_seq[v_row.place] AND v_row.archived_at IS NULL
    THEN
      v_verdict[v_row.place] := 'write';
      v_key[v_row.place] := v_row.run_key;
      v_status[v_row.place] := v_row.status;
    ELSE
      v_verdict[v_row.place] := 'conflict';
    END IF;
  END LOOP;

  IF p_rest ? 'consumed' THEN
    FOR v_row IN
      SELECT c.place, i.inbox_pos, i.consumed_seq
      FROM jsonb_to_recordset(p_rest -> 'consumed') AS c(place integer, pos integer, inbox_id text)
      LEFT JOIN keelson.run_inbox i ON i.run_key = v_key[c.place] AND i.inbox_id = c.inbox_id ORDER BY c.place, c.pos
    LOOP
      IF v_key[v_row.place] > 0 AND v_row.inbox_pos IS NULL THEN
        v_key[v_row.place] := 0;
        v_verdict[v_row.place] := 'constraint';
        v_detail[v_row.place] := 'inboxId';
      ELSIF v_key[v_row.place] > 0 AND v_row.consumed_seq IS NOT NULL THEN
        v_key[v_row.place] := 0;
        v_verdict[v_row.place] := 'conflict';
      END IF;
    END LOOP;
  END IF;
  FOR i IN 1 .. cardinality(v_target) LOOP
    IF NOT v_reached[i] THEN
      v_key[v_sender[i]] := 0;
      v_verdict[v_sender[i]] := 'busy';
    END IF;
  END LOOP;

  IF p_rest ? 'grants' THEN
    v_locked := keelson.lock_pools(v_key, p_rest -> 'grants');
  END IF;
  -- After the locks: the time of writing is not the time before a wait.
  v_now := coalesce(p_now, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint);

  -- One run after another, in the order of the batch: each finds what those before it left.
  IF p_rest ? 'grants' THEN
    FOR v_row IN SELECT (g.entry ->> 'place')::integer AS place, g.entry,
        (SELECT c.run FROM jsonb_array_elements(p_creates) AS c(run) WHERE c.run -> 'place' = g.entry -> 'place') AS run
      FROM jsonb_array_elements(p_rest -> 'grants') AS g(entry)
    LOOP
      IF v_verdict[v_row.place] = 'absent' AND v_row.run IS NOT NULL AND NOT keelson.is_run_known(v_row.run) THEN
        v_take := keelson.take_grants(0, v_row.entry, v_locked, v_now);
        IF v_take.o_refused IS NULL THEN
          v_made := keelson.create_run(v_row.run, p_broken[v_row.place], v_now);
          v_key[v_row.place] := v_made.o_key;
          v_verdict[v_row.place] := v_made.o_verdict;
          v_detail[v_row.place] := v_made.o_detail;
        ELSE
          v_verdict[v_row.place] := 'ungranted';
          v_detail[v_row.place] := v_take.o_refused;
        END IF;
      END IF;
      CONTINUE WHEN v_key[v_row.place] = 0;
      v_take := keelson.take_grants(v_key[v_row.place], v_row.entry, v_locked, v_now);
      IF v_take.o_refused IS NOT NULL THEN
        v_key[v_row.place] := 0;
        v_verdict[v_row.place] := 'ungranted';
        v_detail[v_row.place] := v_take.o_refused;
      ELSIF p_broken[v_row.place] IS NULL THEN
        PERFORM keelson.move_grants(v_key[v_row.place], v_row.entry, v_locked, v_now, v_take.o_pools, v_take.o_granted,
          v_take.o_freed);
      END IF;
    END LOOP;
  END IF;
  FOR i IN 1 .. cardinality(p_key) LOOP
    IF v_key[i] > 0 AND p_broken[i] IS NOT NULL THEN
      v_key[i] := 0;
      v_verdict[i] := 'constraint';
      v_detail[i] := p_broken[i];
    END IF;
  END LOOP;

  IF p_creates IS NOT NULL THEN
    FOR v_row IN SELECT c.run, (c.run ->> 'place')::integer AS place FROM jsonb_array_elements(p_creates) AS c(run) LOOP
      IF v_verdict[v_row.place] = 'absent' THEN
        v_made := keelson.create_run(v_row.run, p_broken[v_row.place], v_now);
        v_key[v_row.place] := v_made.o_key;
        v_verdict[v_row.place] := v_made.o_verdict;
        v_detail[v_row.place] := v_made.o_detail;
      END IF;
    END LOOP;
    INSERT INTO keelson.status_counts AS t (tenant_id, status, writer, runs)
    SELECT c.tenant_id, c.status, pg_backend_pid(), count(*)
    FROM jsonb_to_recordset(p_creates) AS c(place integer, tenant_id text, status text)
    WHERE v_key[c.place] > 0 GROUP BY c.tenant_id, c.status
    ON CONFLICT (tenant_id, status, writer) DO UPDATE SET runs = t.runs + excluded.runs;
  END IF;

  IF cardinality(p_place) > 0 THEN
    INSERT INTO keelson.events (run_key, seq, persisted_at, event_type, idempotency_key, chain_hash, record, data, salt,
      terminal_slot, generation, xid)
    SELECT v_key[e.place], e.seq, v_now, e.event_type, e.idempotency_key, e.chain_hash, e.record, e.data, e.salt,
      e.terminal_slot, (SELECT g.generation FROM keelson.feed_generation g WHERE g.only_row), pg_current_xact_id()
    FROM unnest(p_place, p_seq, p_event_type, p_idempotency_key, p_chain_hash, p_record, p_data, p_salt,
        p_terminal_slot)
      AS e(place, seq, event_type, idempotency_key, chain_hash, record, data, salt, terminal_slot)
    WHERE v_key[e.place] > 0;
  END IF;

  IF p_moves IS NOT NULL THEN
    WITH moved AS (
      UPDATE keelson.runs r SET updated_at = v_now, epoch = m.epoch, next_seq = m.next_seq,
        head_hash = coalesce(decode(m.head_hash, 'hex'), r.head_hash), status = m.status, substatus = m.substatus,
        next_wake_at = m.next_wake_at, rules_version = m.rules_version, min_rules_version = m.min_rules_version,
        started_at = m.started_at, ended_at = m.ended_at, steps_total = m.steps_total, steps_done = m.steps_done,
        steps_failed = m.steps_failed, error_code = m.error_code, owed = m.owed,
        lease_owner = coalesce(m.lease_owner, r.lease_owner),
        lease_until = coalesce(v_now + m.lease_ms, m.lease_until, r.lease_until)
      FROM jsonb_to_recordset(p_moves) AS m(place integer, epoch bigint, next_seq bigint, head_hash text, status text,
        substatus text, next_wake_at bigint, rules_version integer, min_rules_version integer, started_at bigint,
        ended_at bigint, steps_total integer, steps_done integer, steps_failed integer, error_code text, owed boolean,
        lease_owner text, lease_until bigint, lease_ms bigint)
      WHERE r.run_key = v_key[m.place] RETURNING r.tenant_id, r.status, v_status[m.place] AS before
    )
    INSERT INTO keelson.status_counts AS t (tenant_id, status, writer, runs)
    SELECT m.tenant_id, c.status, pg_backend_pid(), sum(c.runs)
    FROM moved m CROSS JOIN LATERAL (VALUES (m.before, -1), (m.status, 1)) AS c(status, runs)
    WHERE m.before <> m.status GROUP BY m.tenant_id, c.status HAVING sum(c.runs) <> 0
    ON CONFLICT (tenant_id, status, writer) DO UPDATE SET runs = t.runs + excluded.runs;
  END IF;

  IF p_rest IS NOT NULL THEN
    PERFORM keelson.write_rest(v_key, p_rest, v_now);
  END IF;
  RETURN QUERY SELECT u.place, u.verdict, u.detail, u.key, v_now
    FROM unnest(v_verdict, v_detail, v_key) WITH ORDINALITY AS u(verdict, detail, key, place);
END $$;

CREATE FUNCTION keelson.create_run(p_run jsonb, p_broken text, p_now bigint, OUT o_key bigint, OUT o_verdict text, OUT o_detail text) RETURNS record
    LANGUAGE plpgsql
    AS $$
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
  PERFORM 1 FROM keelson.runs r WHERE r.tenant_id = p_run ->> 'tenant_id' AND r.run_id = p_run ->> 'run_id';
  IF FOUND THEN
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

CREATE FUNCTION keelson.current_generation() RETURNS integer
    LANGUAGE sql STABLE
    AS $$SELECT g.generation FROM keelson.feed_generation g WHERE g.only_row$$;

CREATE FUNCTION keelson.cut_archive_ticket(p_run_key bigint, p_head bytea, p_now bigint) RETURNS text
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION keelson.cut_archive_ticket(p_run_key bigint, p_head bytea, p_now bigint, p_place text) RETURNS text
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION keelson.erase_run() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

CREATE FUNCTION keelson.feed_status(p_subscriber text) RETURNS TABLE(runs_behind bigint, runs_blocked bigint, dead_letters bigint, stalled_by integer, stalled_ms bigint)
    LANGUAGE plpgsql STABLE
    AS $$
DECLARE
  v_at record;
  v_bound xid8 := pg_snapshot_xmin(pg_current_snapshot());
  v_waiting bigint;
BEGIN
  SELECT coalesce(max(s.generation), 0) AS generation, coalesce(max(s.xid::text)::xid8, '0') AS xid,
    coalesce(max(s.run_key), 0) AS run_key INTO v_at
  FROM keelson.feed_subscribers s WHERE s.subscriber = p_subscriber;
  SELECT count(*) INTO runs_behind FROM (
    SELECT b.run_key FROM keelson.feed_behind b WHERE b.subscriber = p_subscriber
    UNION SELECT e.run_key FROM keelson.events e
      LEFT JOIN keelson.feed_cursors c ON c.subscriber = p_subscriber AND c.run_key = e.run_key
      WHERE (e.generation, e.xid, e.run_key) > (v_at.generation, v_at.xid, v_at.run_key) AND e.seq > coalesce(c.seq, 0)
        AND keelson.follows_run(p_subscriber, e.run_key)
  ) AS behind;
  SELECT count(*) INTO runs_blocked FROM keelson.feed_behind b WHERE b.subscriber = p_subscriber AND b.attempts > 0;
  SELECT count(*) INTO dead_letters FROM keelson.feed_dead_letters d WHERE d.subscriber = p_subscriber;

  SELECT min(e.persisted_at) INTO v_waiting FROM keelson.events e
    LEFT JOIN keelson.feed_cursors c ON c.subscriber = p_subscriber AND c.run_key = e.run_key
    WHERE e.generation = keelson.current_generation() AND e.xid >= v_bound AND e.seq > coalesce(c.seq, 0)
      AND keelson.follows_run(p_subscriber, e.run_key);
  IF v_waiting IS NOT NULL THEN
    -- From the locks, which every role may see. A prepared transaction has no process: 0. One whose start this role may
    -- not see has been in the way for as long as the first event waits.
    SELECT coalesce(l.pid, 0), coalesce(
      floor(extract(epoch FROM clock_timestamp() - a.xact_start) * 1000)::bigint,
      floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - v_waiting) INTO stalled_by, stalled_ms
    FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'transactionid' AND l.mode = 'ExclusiveLock' AND l.granted AND l.transactionid = v_bound::xid
    LIMIT 1;
  END IF;
  RETURN NEXT;
END $$;

SET default_tablespace = '';

SET default_table_access_method = heap;

CREATE TABLE keelson.pools (
    pool text NOT NULL COLLATE pg_catalog."C",
    capacity bigint NOT NULL,
    window_ms bigint,
    breaker_failures integer,
    breaker_open_ms bigint,
    used bigint DEFAULT 0 NOT NULL,
    taken bigint DEFAULT 0 NOT NULL,
    taken_window bigint DEFAULT 0 NOT NULL,
    turn bigint DEFAULT 0 NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    open_until bigint,
    probe text
)
WITH (fillfactor='50');

CREATE FUNCTION keelson.first_that_fits(p_pool text, p_pools keelson.pools[], p_locked text[], p_now bigint, OUT o_place bigint, OUT o_wants jsonb) RETURNS record
    LANGUAGE plpgsql
    AS $$
DECLARE
  v_turn bigint;
  v_one record;
BEGIN
  -- Nobody fits a pool that is full or open; most often that is all there is to see.
  SELECT p.turn INTO v_turn FROM unnest(p_pools) AS p WHERE p.pool = p_pool
    AND (p.breaker_failures IS NULL OR p.open_until IS NULL OR p.open_until <= p_now)
    AND p.capacity > CASE WHEN p.window_ms IS NULL THEN p.used
        WHEN p.taken_window = p_now / p.window_ms THEN p.taken ELSE 0 END
      + (SELECT coalesce(sum(o.amount), 0) FROM keelson.grant_wait_pools o
        WHERE o.pool = p_pool AND o.offered_until > p_now);
  IF NOT FOUND THEN
    RETURN;
  END IF;
  FOR v_one IN
    WITH line AS (
      SELECT o.place, w.priority, coalesce(t.turn, v_turn) AS tenant_turn, o.run_turn,
        (SELECT sum(s.bypassed) FROM keelson.grant_wait_pools s WHERE s.place = o.place) >= 10 AS starving
      FROM keelson.grant_wait_pools o JOIN keelson.grant_waits w ON w.place = o.place
      LEFT JOIN keelson.pool_tenants t ON t.pool = o.pool AND t.tenant_id = w.tenant_id
      WHERE o.pool = p_pool AND (o.offered_until IS NULL OR o.offered_until <= p_now)
    )
    SELECT l.place FROM line l WHERE keelson.can_be_served(l.place)
    ORDER BY l.starving DESC, CASE WHEN l.starving THEN l.place END, l.priority, l.tenant_turn, l.run_turn, l.place
    LIMIT 101
  LOOP
    SELECT jsonb_object_agg(o.pool, o.amount) INTO o_wants FROM keelson.grant_wait_pools o WHERE o.place = v_one.place;
    IF p_locked @> ARRAY(SELECT jsonb_object_keys(o_wants))
      AND keelson.grant_obstacle(v_one.place, false, o_wants, p_pools, '{}', '[]', p_now) IS NULL
    THEN
      o_place := v_one.place;
      RETURN;
    END IF;
  END LOOP;
END $$;

CREATE FUNCTION keelson.follows(p_subscriber text, p_tenant_id text) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT NOT starts_with(p_subscriber, 'tenant:') OR starts_with(p_subscriber, keelson.subscriber_scope(p_tenant_id))
$$;

CREATE FUNCTION keelson.follows_run(p_subscriber text, p_run_key bigint) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT NOT starts_with(p_subscriber, 'tenant:') OR EXISTS (
    SELECT 1 FROM keelson.runs r WHERE r.run_key = p_run_key AND keelson.follows(p_subscriber, r.tenant_id))
$$;

CREATE FUNCTION keelson.gather_counts() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF current_setting('transaction_read_only') = 'on'
    OR NOT pg_try_advisory_xact_lock(hashtext('keelson.status_counts'))
  THEN
    RETURN;
  END IF;
  WITH idle AS (
    SELECT c.tenant_id, c.status, c.writer FROM keelson.status_counts c
    WHERE c.writer <> 0 AND NOT EXISTS (SELECT 1 FROM pg_stat_activity a WHERE a.pid = c.writer)
    FOR UPDATE SKIP LOCKED
  ), gone AS (
    DELETE FROM keelson.status_counts c USING idle
    WHERE c.tenant_id = idle.tenant_id AND c.status = idle.status AND c.writer = idle.writer
    RETURNING c.tenant_id, c.status, c.runs
  )
  INSERT INTO keelson.status_counts AS t (tenant_id, status, writer, runs)
  SELECT g.tenant_id, g.status, 0, sum(g.runs) FROM gone g GROUP BY g.tenant_id, g.status
  ON CONFLICT (tenant_id, status, writer) DO UPDATE SET runs = t.runs + excluded.runs;
END $$;

CREATE FUNCTION keelson.grant_obstacle(p_place bigint, p_offered boolean, p_wants jsonb, p_pools keelson.pools[], p_served bigint[], p_gone jsonb, p_now bigint) RETURNS jsonb
    LANGUAGE plpgsql
    AS $$
DECLARE
  v_pool record;
  v_used bigint;
  v_offered bigint;
  v_offers bigint;
  v_name text;
BEGIN
  SELECT w.key INTO v_name FROM jsonb_each_text(p_wants) AS w LEFT JOIN unnest(p_pools) AS p ON p.pool = w.key
    WHERE w.value::bigint > coalesce(p.capacity, 0) ORDER BY w.key COLLATE "C" LIMIT 1;
  IF FOUND THEN
    RETURN jsonb_build_object('pool', v_name, 'impossible', true);
  END IF;
  FOR v_pool IN SELECT p.*, w.value::bigint AS amount
    FROM jsonb_each_text(p_wants) AS w JOIN unnest(p_pools) AS p ON p.pool = w.key ORDER BY p.pool
  LOOP
    SELECT coalesce(sum(o.amount), 0), count(*) INTO v_offered, v_offers FROM keelson.grant_wait_pools o
      WHERE o.pool = v_pool.pool AND o.offered_until > p_now AND o.place IS DISTINCT FROM p_place
        AND o.place <> ALL (p_served);
    IF v_pool.breaker_failures IS NOT NULL AND v_pool.open_until IS NOT NULL THEN
      IF p_now < v_pool.open_until THEN
        RETURN jsonb_build_object('pool', v_pool.pool, 'retryAt', v_pool.open_until);
      ELSIF v_pool.probe IS NOT NULL OR v_offers > 0 THEN
        RETURN jsonb_build_object('pool', v_pool.pool);
      END IF;
    END IF;
    v_used := CASE WHEN v_pool.window_ms IS NULL THEN v_pool.used
      WHEN v_pool.taken_window = p_now / v_pool.window_ms THEN v_pool.taken ELSE 0 END;
    IF v_used + v_offered + v_pool.amount > v_pool.capacity
      OR NOT p_offered AND keelson.is_kept_for_older(v_pool.pool, p_place, p_served, p_gone, p_now)
    THEN
      RETURN jsonb_strip_nulls(jsonb_build_object('pool', v_pool.pool,
        'retryAt', (p_now / v_pool.window_ms + 1) * v_pool.window_ms));
    END IF;
  END LOOP;
  RETURN NULL;
END $$;

CREATE FUNCTION keelson.is_from_another_cluster() RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  SELECT coalesce((SELECT e.xid >= pg_snapshot_xmax(pg_current_snapshot()) FROM keelson.events e
    WHERE e.generation = keelson.current_generation() ORDER BY e.generation DESC, e.xid DESC LIMIT 1), false)
$$;

CREATE FUNCTION keelson.is_kept_for_older(p_pool text, p_place bigint, p_served bigint[], p_gone jsonb, p_now bigint) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  SELECT EXISTS (
    SELECT 1 FROM keelson.grant_wait_pools o
    WHERE o.pool = p_pool AND (p_place IS NULL OR o.place < p_place) AND o.place <> ALL (p_served)
      AND (o.offered_until IS NULL OR o.offered_until <= p_now) AND keelson.can_be_served(o.place)
      AND 10 <= (SELECT sum(s.bypassed) FROM keelson.grant_wait_pools s WHERE s.place = o.place)
        + (SELECT count(*) FROM jsonb_to_recordset(p_gone) AS g(place bigint, wants jsonb)
          WHERE (g.place IS NULL OR g.place > o.place) AND EXISTS (
            SELECT 1 FROM keelson.grant_wait_pools s WHERE s.place = o.place AND g.wants ? s.pool)))
$$;

CREATE FUNCTION keelson.is_run_known(p_run jsonb) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  SELECT EXISTS (
    SELECT 1 FROM keelson.runs r WHERE r.tenant_id = p_run ->> 'tenant_id' AND r.run_id = p_run ->> 'run_id'
  ) OR EXISTS (
    SELECT 1 FROM keelson.runs r
    WHERE r.tenant_id = p_run ->> 'tenant_id' AND r.request_key = p_run ->> 'request_key')
$$;

CREATE FUNCTION keelson.join_line(p_key bigint, p_tenant text, p_waits jsonb, p_now bigint) RETURNS text[]
    LANGUAGE plpgsql
    AS $$
DECLARE
  v_pools text[] := '{}';
  v_one record;
  v_place bigint;
BEGIN
  FOR v_one IN SELECT l.* FROM jsonb_to_recordset(p_waits)
    AS l(slot text, attempt integer, wants jsonb, priority double precision)
  LOOP
    INSERT INTO keelson.grant_waits (run_key, slot, attempt, tenant_id, priority, since)
      VALUES (p_key, v_one.slot, v_one.attempt, p_tenant, v_one.priority, p_now)
      ON CONFLICT (run_key, slot, attempt) DO NOTHING RETURNING place INTO v_place;
    CONTINUE WHEN NOT FOUND;
    INSERT INTO keelson.grant_wait_pools (place, pool, amount, run_turn)
      SELECT v_place, w.key, w.value::bigint, 1 + greatest(
        coalesce((SELECT p.turn FROM keelson.pools p WHERE p.pool = w.key), 0),
        coalesce((SELECT max(o.run_turn) FROM keelson.grant_waits s JOIN keelson.grant_wait_pools o ON o.place = s.place
          WHERE s.run_key = p_key AND o.pool = w.key), 0))
      FROM jsonb_each_text(v_one.wants) AS w;
    v_pools := v_pools || ARRAY(SELECT jsonb_object_keys(v_one.wants));
  END LOOP;
  RETURN v_pools;
END $$;

CREATE FUNCTION keelson.keep_event() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF NEW.data IS NULL AND NEW.salt IS NULL
    AND ROW(NEW.run_key, NEW.seq, NEW.persisted_at, NEW.event_type, NEW.idempotency_key, NEW.chain_hash, NEW.record,
            NEW.terminal_slot, NEW.generation, NEW.xid)
      IS NOT DISTINCT FROM
        ROW(OLD.run_key, OLD.seq, OLD.persisted_at, OLD.event_type, OLD.idempotency_key, OLD.chain_hash, OLD.record,
            OLD.terminal_slot, OLD.generation, OLD.xid)
    AND EXISTS (SELECT 1 FROM keelson.erasure_tickets t WHERE t.run_key = OLD.run_key AND OLD.seq <= t.up_to_seq)
  THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'EVENTS_APPEND_ONLY: a stored event is never changed' USING ERRCODE = 'restrict_violation';
END $$;

CREATE FUNCTION keelson.leave_line(p_key bigint, p_waits jsonb) RETURNS text[]
    LANGUAGE plpgsql
    AS $$
DECLARE
  v_pools text[];
BEGIN
  WITH gone AS (
    DELETE FROM keelson.grant_waits w WHERE w.run_key = p_key AND NOT EXISTS (
      SELECT 1 FROM jsonb_to_recordset(p_waits) AS l(slot text, attempt integer)
      WHERE l.slot = w.slot AND l.attempt = w.attempt)
    RETURNING w.place
  ), parts AS (
    DELETE FROM keelson.grant_wait_pools o USING gone WHERE o.place = gone.place RETURNING o.pool
  )
  SELECT coalesce(array_agg(DISTINCT parts.pool::text), '{}') INTO v_pools FROM parts;
  RETURN v_pools;
END $$;

CREATE FUNCTION keelson.let_event_go() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM keelson.archive_tickets t WHERE t.run_key = OLD.run_key AND NOT t.archived) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'EVENTS_APPEND_ONLY: a stored event is never deleted' USING ERRCODE = 'restrict_violation';
END $$;

CREATE FUNCTION keelson.lock_pools(p_key bigint[], p_grants jsonb) RETURNS text[]
    LANGUAGE plpgsql
    AS $$
DECLARE
  v_pools text[];
BEGIN
  WITH entry AS MATERIALIZED (
    SELECT p_key[(g ->> 'place')::integer] AS run_key, g -> 'releases' AS releases, g -> 'claims' AS claims,
      g -> 'waits' AS waits
    FROM jsonb_array_elements(p_grants) AS g
  ), own AS (
    SELECT w.pool FROM entry e,
      jsonb_array_elements(coalesce(e.claims, '[]') || coalesce(e.waits, '[]')) AS c,
      jsonb_object_keys(c -> 'wants') AS w(pool)
    UNION SELECT t.pool FROM entry e CROSS JOIN LATERAL (
      SELECT h.pool FROM keelson.grants h WHERE h.run_key = e.run_key AND (e.releases = '"all"'
        OR jsonb_typeof(e.releases) = 'array' AND EXISTS (
          SELECT 1 FROM jsonb_to_recordset(e.releases) AS r(slot text, attempt integer)
          WHERE r.slot = h.slot AND r.attempt = h.attempt)) OFFSET 0) AS t
    UNION SELECT t.pool FROM entry e CROSS JOIN LATERAL (
      SELECT p.pool FROM keelson.grant_waits w JOIN keelson.grant_wait_pools p ON p.place = w.place
      WHERE w.run_key = e.run_key OFFSET 0) AS t
  )
  SELECT array_agg(DISTINCT t.pool) INTO v_pools FROM (
    SELECT o.pool::text FROM own o
    UNION ALL SELECT n.pool::text FROM own o CROSS JOIN LATERAL (
      SELECT DISTINCT n.pool FROM keelson.grant_wait_pools w JOIN keelson.grant_wait_pools n ON n.place = w.place
      WHERE w.pool = o.pool) AS n
  ) AS t;
  RETURN ARRAY(SELECT p.pool::text FROM keelson.pools p WHERE p.pool = ANY (v_pools)
    ORDER BY p.pool FOR NO KEY UPDATE);
END $$;

CREATE FUNCTION keelson.move_grants(p_key bigint, p_entry jsonb, p_locked text[], p_now bigint, p_pools keelson.pools[], p_granted jsonb, p_freed text[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
  v_all boolean := p_entry -> 'releases' = '"all"';
  v_waits jsonb := p_entry -> 'waits';
  v_tenant text;
  v_one record;
BEGIN
  SELECT r.tenant_id INTO v_tenant FROM keelson.runs r WHERE r.run_key = p_key;
  DELETE FROM keelson.grants h WHERE h.run_key = p_key AND (v_all
    OR (h.slot, h.attempt) IN (SELECT r.slot, r.attempt FROM jsonb_to_recordset(
      CASE WHEN v_all THEN '[]' ELSE p_entry -> 'releases' END) AS r(slot text, attempt integer)));
  UPDATE keelson.pools p SET used = n.used, taken = n.taken, taken_window = n.taken_window, failures = n.failures,
    open_until = n.open_until, probe = n.probe
  FROM unnest(p_pools) AS n WHERE p.pool = n.pool
    AND ROW(p.used, p.taken, p.taken_window, p.failures, p.open_until, p.probe)
      IS DISTINCT FROM ROW(n.used, n.taken, n.taken_window, n.failures, n.open_until, n.probe);
  IF v_all THEN
    p_freed := p_freed || keelson.leave_line(p_key, '[]');
    -- Nobody will read these any more.
    UPDATE keelson.run_inbox i SET silent = false WHERE i.run_key = p_key AND i.silent AND i.consumed_seq IS NULL;
  END IF;

  FOR v_one IN SELECT g.* FROM jsonb_to_recordset(p_granted)
    AS g(slot text, attempt integer, wants jsonb, place bigint, offered boolean)
  LOOP
    INSERT INTO keelson.grants (run_key, slot, attempt, pool, amount)
      SELECT p_key, v_one.slot, v_one.attempt, w.key, w.value::bigint FROM jsonb_each_text(v_one.wants) AS w;
    IF v_one.place IS NOT NULL THEN
      -- Served: the tenant goes behind those whose turn is the pool's.
      UPDATE keelson.pools p SET turn = greatest(p.turn, t.turn) FROM keelson.pool_tenants t
        WHERE v_one.wants ? p.pool AND t.pool = p.pool AND t.tenant_id = v_tenant AND t.turn > p.turn;
      INSERT INTO keelson.pool_tenants (pool, tenant_id, turn)
        SELECT p.pool, v_tenant, p.turn + 1 FROM keelson.pools p
        WHERE p.pool IN (SELECT jsonb_object_keys(v_one.wants))
        ON CONFLICT (pool, tenant_id) DO UPDATE SET turn = excluded.turn;
      DELETE FROM keelson.grant_wait_pools o WHERE o.place = v_one.place;
      DELETE FROM keelson.grant_waits w WHERE w.place = v_one.place;
    END IF;
    IF NOT v_one.offered THEN
      PERFORM keelson.pass_over(v_one.place, v_one.wants, p_now);
    END IF;
  END LOOP;

  IF v_waits IS NOT NULL THEN
    p_freed := p_freed || keelson.leave_line(p_key, v_waits);
    p_freed := p_freed || keelson.join_line(p_key, v_tenant, v_waits, p_now);
  END IF;
  IF cardinality(p_freed) > 0 THEN
    PERFORM keelson.offer_units(p_freed, p_locked, p_now);
  END IF;
END $$;

CREATE FUNCTION keelson.offer_units(p_pools text[], p_locked text[], p_now bigint) RETURNS integer
    LANGUAGE plpgsql
    AS $$
DECLARE
  v_name text;
  v_pools keelson.pools[];
  v_one record;
  v_made integer := 0;
BEGIN
  SELECT array_agg(p) INTO v_pools FROM keelson.pools p WHERE p.pool = ANY (p_locked);
  FOR v_name IN SELECT DISTINCT n.pool COLLATE "C" FROM unnest(p_pools) AS n(pool) ORDER BY 1 LOOP
    LOOP
      v_one := keelson.first_that_fits(v_name, v_pools, p_locked, p_now);
      EXIT WHEN v_one.o_place IS NULL;
      UPDATE keelson.grant_wait_pools o SET offered_until = p_now + 5000 WHERE o.place = v_one.o_place;
      PERFORM keelson.pass_over(v_one.o_place, v_one.o_wants, p_now);
      INSERT INTO keelson.run_inbox (run_key, inbox_id, kind, body, inserted_at, silent)
        SELECT w.run_key, format('grant:%s:%s:%s', w.slot, w.attempt, 1 + (SELECT count(*) FROM keelson.run_inbox i
          WHERE i.run_key = w.run_key AND starts_with(i.inbox_id, format('grant:%s:%s:', w.slot, w.attempt)))),
          'grant', format('{"slot":%s,"attempt":%s}', to_json(w.slot), w.attempt), p_now, true
        FROM keelson.grant_waits w WHERE w.place = v_one.o_place
        ON CONFLICT (run_key, inbox_id) DO NOTHING;
      v_made := v_made + 1;
    END LOOP;
  END LOOP;
  IF v_made > 0 THEN
    PERFORM pg_notify('keelson_wake', '');
  END IF;
  RETURN v_made;
END $$;

CREATE FUNCTION keelson.own_tenants() RETURNS SETOF text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT t.tenant_id FROM keelson.tenant_roles t JOIN pg_roles r ON r.rolname = t.role_name
  WHERE pg_has_role(r.oid, 'USAGE')
$$;

CREATE FUNCTION keelson.pass_over(p_place bigint, p_wants jsonb, p_now bigint) RETURNS void
    LANGUAGE sql
    AS $$
  UPDATE keelson.grant_wait_pools o SET bypassed = o.bypassed + 1
  FROM (SELECT DISTINCT ON (f.place) f.place, f.pool FROM keelson.grant_wait_pools f
    WHERE f.pool IN (SELECT jsonb_object_keys(p_wants)) AND (p_place IS NULL OR f.place < p_place)
      AND (f.offered_until IS NULL OR f.offered_until <= p_now)
    ORDER BY f.place, f.pool) AS first
  WHERE o.place = first.place AND o.pool = first.pool
$$;

CREATE FUNCTION keelson.put_letter(p_tenant_id text, p_run_id text, p_inbox_id text, p_kind text, p_body text, p_body_sha256 text, p_now bigint) RETURNS TABLE(answer text, inbox_id text, kind text, body text, inserted_at bigint, consumed_seq bigint)
    LANGUAGE plpgsql
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $$
#variable_conflict use_column
DECLARE
  v_key bigint;
  v_now bigint;
BEGIN
  SELECT r.run_key INTO v_key FROM keelson.runs r
    WHERE r.run_id = p_run_id AND r.tenant_id = p_tenant_id AND r.archived_at IS NULL FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'no-run', NULL::text, NULL::text, NULL::text, NULL::bigint, NULL::bigint;
    RETURN;
  END IF;
  v_now := coalesce(p_now, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint);
  INSERT INTO keelson.run_inbox (run_key, inbox_id, kind, body, inserted_at)
    VALUES (v_key, p_inbox_id, p_kind, p_body, v_now) ON CONFLICT (run_key, inbox_id) DO NOTHING;
  IF FOUND THEN
    UPDATE keelson.runs r SET inbox_since = v_now WHERE r.run_key = v_key AND r.inbox_since IS NULL;
    PERFORM pg_notify('keelson_wake', '');
    RETURN QUERY SELECT 'inserted', NULL::text, NULL::text, NULL::text, NULL::bigint, NULL::bigint;
    RETURN;
  END IF;
  RETURN QUERY SELECT
    CASE WHEN i.body_sha256 IS NULL AND i.body = p_body OR i.body_sha256 = p_body_sha256
      THEN 'duplicate' ELSE 'conflict' END,
    i.inbox_id, i.kind, i.body, i.inserted_at, i.consumed_seq
  FROM keelson.run_inbox i WHERE i.run_key = v_key AND i.inbox_id = p_inbox_id;
END $$;

CREATE FUNCTION keelson.raise_generation() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF current_setting('transaction_read_only') = 'on' OR NOT keelson.is_from_another_cluster() THEN
    RETURN;
  END IF;
  LOCK TABLE keelson.events IN SHARE ROW EXCLUSIVE MODE;
  IF NOT keelson.is_from_another_cluster() THEN
    RETURN;
  END IF;
  UPDATE keelson.feed_generation SET generation = generation + 1 WHERE only_row;
  INSERT INTO keelson.feed_behind (subscriber, run_key, seq, attempts, retry_at)
  SELECT s.subscriber, e.run_key, min(e.seq), 0, 0 FROM keelson.feed_subscribers s CROSS JOIN keelson.events e
  LEFT JOIN keelson.feed_cursors c ON c.subscriber = s.subscriber AND c.run_key = e.run_key
  WHERE (e.generation, e.xid, e.run_key) <= (s.generation, s.xid, s.run_key) AND e.seq > coalesce(c.seq, 0)
    AND keelson.follows_run(s.subscriber, e.run_key)
  GROUP BY s.subscriber, e.run_key
  ON CONFLICT (subscriber, run_key) DO NOTHING;
END $$;

CREATE FUNCTION keelson.read_feed(p_subscriber text, p_now bigint, p_limit integer) RETURNS TABLE(run_key bigint, seq bigint, attempts integer, feed_position text, is_foreign boolean)
    LANGUAGE plpgsql STABLE
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
#variable_conflict use_column
DECLARE
  v_at record;
  v_next record;
  v_generation integer := keelson.current_generation();
  v_bound xid8 := pg_snapshot_xmin(pg_current_snapshot());
  v_left integer := p_limit;
  v_found integer;
  v_cursor bigint;
  v_seen bigint[] := '{}';
BEGIN
  FOR v_next IN SELECT b.run_key, b.seq, b.attempts FROM keelson.feed_behind b
    WHERE b.subscriber = p_subscriber AND b.retry_at <= p_now ORDER BY b.retry_at, b.run_key LIMIT p_limit
  LOOP
    EXIT WHEN v_left <= 0;
    RETURN QUERY SELECT e.run_key, e.seq, CASE WHEN e.seq = v_next.seq THEN v_next.attempts ELSE 0 END, NULL::text,
        NULL::boolean
      FROM keelson.events e WHERE e.run_key = v_next.run_key AND e.seq >= v_next.seq ORDER BY e.seq LIMIT v_left;
    GET DIAGNOSTICS v_found = ROW_COUNT;
    v_left := v_left - v_found;
    v_seen := v_seen || v_next.run_key;
  END LOOP;

  SELECT coalesce(max(s.generation), 0) AS generation, coalesce(max(s.xid::text)::xid8, '0') AS xid,
    coalesce(max(s.run_key), 0) AS run_key INTO v_at
  FROM keelson.feed_subscribers s WHERE s.subscriber = p_subscriber;
  -- From touch to touch through the index, however many events lie between them.
  WHILE v_left > 0 LOOP
    SELECT e.generation, e.xid, e.run_key INTO v_next FROM keelson.events e
      WHERE (e.generation, e.xid, e.run_key) > (v_at.generation, v_at.xid, v_at.run_key)
      ORDER BY e.generation, e.xid, e.run_key LIMIT 1;
    EXIT WHEN NOT FOUND OR v_next.generation = v_generation AND v_next.xid >= v_bound;
    -- A run that is behind has a turn of its own.
    IF v_next.run_key <> ALL (v_seen) AND NOT EXISTS (SELECT 1 FROM keelson.feed_behind b
      WHERE b.subscriber = p_subscriber AND b.run_key = v_next.run_key)
      AND keelson.follows_run(p_subscriber, v_next.run_key)
    THEN
      SELECT coalesce(max(c.seq), 0) INTO v_cursor FROM keelson.feed_cursors c
        WHERE c.subscriber = p_subscriber AND c.run_key = v_next.run_key;
      RETURN QUERY SELECT e.run_key, e.seq, 0, NULL::text, NULL::boolean
        FROM keelson.events e WHERE e.run_key = v_next.run_key AND e.seq > v_cursor ORDER BY e.seq LIMIT v_left;
      GET DIAGNOSTICS v_found = ROW_COUNT;
      v_left := v_left - v_found;
      v_seen := v_seen || v_next.run_key;
    END IF;
    -- A page that is full may have cut this run: it is not passed yet.
    EXIT WHEN v_left <= 0;
    v_at := v_next;
  END LOOP;
  RETURN QUERY SELECT NULL::bigint, NULL::bigint, NULL::integer,
    format('%s.%s.%s', v_at.generation, v_at.xid, v_at.run_key), keelson.is_from_another_cluster();
END $$;

CREATE FUNCTION keelson.refuse() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  RAISE EXCEPTION 'EVENTS_APPEND_ONLY: %', TG_ARGV[0] USING ERRCODE = 'restrict_violation';
END $$;

CREATE FUNCTION keelson.settle_feed(p_subscriber text, p_generation integer, p_xid xid8, p_run bigint, p_deliveries jsonb, p_now bigint) RETURNS void
    LANGUAGE plpgsql
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
DECLARE
  v_from record;
  v_to record;
  v_runs bigint[];
  v_deliveries jsonb;
  v_failed jsonb;
BEGIN
  INSERT INTO keelson.feed_subscribers (subscriber, generation, xid, run_key) VALUES (p_subscriber, 0, '0', 0)
    ON CONFLICT (subscriber) DO NOTHING;
  SELECT s.generation, s.xid, s.run_key INTO v_from FROM keelson.feed_subscribers s
    WHERE s.subscriber = p_subscriber FOR UPDATE;
  SELECT p_generation AS generation, p_xid AS xid, p_run AS run_key INTO v_to;
  IF (v_to.generation, v_to.xid, v_to.run_key) < (v_from.generation, v_from.xid, v_from.run_key) THEN
    v_to := v_from;
  END IF;
  UPDATE keelson.feed_subscribers s SET generation = v_to.generation, xid = v_to.xid, run_key = v_to.run_key
    WHERE s.subscriber = p_subscriber;

  -- Of a run that was archived meanwhile nothing is kept.
  SELECT coalesce(jsonb_agg(d.one), '[]'),
    coalesce(jsonb_agg(d.one) FILTER (WHERE d.one ->> 'result' = 'failed'), '[]') INTO v_deliveries, v_failed
  FROM jsonb_array_elements(p_deliveries) AS d(one)
  CROSS JOIN LATERAL (SELECT 1 FROM keelson.runs r
    WHERE r.run_key = (d.one -> 'run_key')::bigint AND r.archived_at IS NULL
      AND keelson.follows(p_subscriber, r.tenant_id) OFFSET 0) AS kept;
  INSERT INTO keelson.feed_dead_letters (subscriber, run_key, seq, error, at)
  SELECT p_subscriber, d.run_key, d.seq, d.error,
    coalesce(p_now, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)
  FROM jsonb_to_recordset(v_deliveries) AS d(run_key bigint, seq bigint, result text, error text)
  WHERE d.result = 'dead' ON CONFLICT (subscriber, run_key, seq) DO NOTHING;

  -- Nothing after a failure counts, whatever the caller says.
  INSERT INTO keelson.feed_cursors AS c (subscriber, run_key, seq)
  SELECT p_subscriber, d.run_key, max(d.seq)
  FROM jsonb_to_recordset(v_deliveries) AS d(run_key bigint, seq bigint, result text)
  WHERE d.result <> 'failed' AND NOT EXISTS (
    SELECT 1 FROM jsonb_to_recordset(v_failed) AS f(run_key bigint, seq bigint)
    WHERE f.run_key = d.run_key AND f.seq < d.seq)
  GROUP BY d.run_key
  ON CONFLICT (subscriber, run_key) DO UPDATE SET seq = greatest(c.seq, excluded.seq);

  SELECT array_agg(DISTINCT t.run_key) INTO v_runs FROM (
    SELECT d.run_key FROM jsonb_to_recordset(v_deliveries) AS d(run_key bigint)
    UNION ALL SELECT e.run_key FROM keelson.events e
    WHERE (e.generation, e.xid, e.run_key) > (v_from.generation, v_from.xid, v_from.run_key)
      AND (e.generation, e.xid, e.run_key) <= (v_to.generation, v_to.xid, v_to.run_key)
      AND keelson.follows_run(p_subscriber, e.run_key)) AS t;
  IF v_runs IS NULL THEN
    RETURN;
  END IF;

  -- Of each of these runs the first event that is not settled, where it lies at or before the position.
  DELETE FROM keelson.feed_behind b WHERE b.subscriber = p_subscriber AND b.run_key = ANY (v_runs)
    AND b.seq <= (SELECT c.seq FROM keelson.feed_cursors c WHERE c.subscriber = p_subscriber AND c.run_key = b.run_key);
  INSERT INTO keelson.feed_behind (subscriber, run_key, seq, attempts, retry_at)
  SELECT p_subscriber, r.run_key, e.seq, 0, 0 FROM unnest(v_runs) AS r(run_key)
  LEFT JOIN keelson.feed_cursors c ON c.subscriber = p_subscriber AND c.run_key = r.run_key
  CROSS JOIN LATERAL (SELECT e.seq, e.generation, e.xid FROM keelson.events e
    WHERE e.run_key = r.run_key AND e.seq > coalesce(c.seq, 0) ORDER BY e.seq LIMIT 1) AS e
  WHERE (e.generation, e.xid, r.run_key) <= (v_to.generation, v_to.xid, v_to.run_key)
  ON CONFLICT (subscriber, run_key) DO NOTHING;

  INSERT INTO keelson.feed_behind AS b (subscriber, run_key, seq, attempts, retry_at, error)
  SELECT p_subscriber, d.run_key, d.seq, 1, d.retry_at, d.error
  FROM jsonb_to_recordset(v_failed) AS d(run_key bigint, seq bigint, retry_at bigint, error text)
  LEFT JOIN keelson.feed_cursors c ON c.subscriber = p_subscriber AND c.run_key = d.run_key
  WHERE d.seq = coalesce(c.seq, 0) + 1
  ON CONFLICT (subscriber, run_key) DO UPDATE SET attempts = b.attempts + 1, retry_at = excluded.retry_at,
    error = excluded.error;
END $$;

CREATE FUNCTION keelson.subscriber_scope(p_tenant_id text) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT format('tenant:%s:%s/', char_length(p_tenant_id), p_tenant_id)
$$;

CREATE FUNCTION keelson.sweep_grants(p_now bigint) RETURNS integer
    LANGUAGE plpgsql
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
DECLARE
  v_now bigint;
  v_pools text[];
BEGIN
  IF NOT EXISTS (SELECT 1 FROM keelson.grant_waits) THEN
    RETURN 0;
  END IF;
  PERFORM 1 FROM keelson.pools p ORDER BY p.pool FOR NO KEY UPDATE;
  v_now := coalesce(p_now, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint);
  SELECT coalesce(array_agg(p.pool::text), '{}') INTO v_pools FROM keelson.pools p;
  UPDATE keelson.grant_wait_pools o SET offered_until = NULL
    WHERE o.offered_until <= v_now AND o.pool = ANY (v_pools);
  PERFORM keelson.write_to_refused(v_now);
  RETURN keelson.offer_units(v_pools, v_pools, v_now);
END $$;

CREATE FUNCTION keelson.take_grants(p_key bigint, p_entry jsonb, p_locked text[], p_now bigint, OUT o_refused jsonb, OUT o_pools keelson.pools[], OUT o_granted jsonb, OUT o_freed text[]) RETURNS record
    LANGUAGE plpgsql
    AS $$
DECLARE
  v_all boolean := p_entry -> 'releases' = '"all"';
  v_names text[];
  v_released text[] := '{}';
  v_served bigint[] := '{}';
  v_gone jsonb := '[]';
  v_one record;
  v_row record;
  v_want record;
  v_key text;
  v_obstacle jsonb;
  n integer;
BEGIN
  o_granted := '[]';
  o_freed := '{}';
  SELECT array_agg(p ORDER BY p.pool), array_agg(p.pool ORDER BY p.pool) INTO o_pools, v_names
    FROM keelson.pools p WHERE p.pool = ANY (p_locked);

  FOR v_one IN
    SELECT h.slot, h.attempt, h.pool, h.amount, coalesce(r.result, 'neutral') AS result FROM keelson.grants h
    LEFT JOIN (SELECT DISTINCT ON (f.slot, f.attempt) f.*
      FROM ROWS FROM (jsonb_to_recordset(CASE WHEN v_all THEN '[]' ELSE p_entry -> 'releases' END)
        AS (slot text, attempt integer, result text)) WITH ORDINALITY AS f(slot, attempt, result, pos)
      ORDER BY f.slot, f.attempt, f.pos) AS r ON r.slot = h.slot AND r.attempt = h.attempt
    WHERE h.run_key = p_key AND (v_all OR r.pos IS NOT NULL) ORDER BY r.pos, h.pool
  LOOP
    v_key := format('%s|%s|%s', p_key, v_one.attempt, v_one.slot);
    v_released := v_released || v_key;
    o_freed := o_freed || v_one.pool::text;
    n := array_position(v_names, v_one.pool::text);
    CONTINUE WHEN n IS NULL;
    o_pools[n].used := o_pools[n].used - v_one.amount;
    IF o_pools[n].probe = v_key THEN
      o_pools[n].probe := NULL;
    END IF;
    CONTINUE WHEN o_pools[n].breaker_failures IS NULL;
    IF v_one.result = 'ok' THEN
      o_pools[n].failures := 0;
      o_pools[n].open_until := NULL;
      o_pools[n].probe := NULL;
    ELSIF v_one.result = 'failed' THEN
      o_pools[n].failures := o_pools[n].failures + 1;
      IF o_pools[n].failures >= o_pools[n].breaker_failures THEN
        o_pools[n].open_until := p_now + o_pools[n].breaker_open_ms;
      END IF;
    END IF;
  END LOOP;
  -- Whoever has ended waits for nothing.
  IF v_all THEN
    SELECT coalesce(array_agg(w.place), '{}') INTO v_served FROM keelson.grant_waits w WHERE w.run_key = p_key;
  END IF;

  FOR v_one IN SELECT c.slot, c.attempt, c.wants
    FROM jsonb_to_recordset(coalesce(p_entry -> 'claims', '[]')) AS c(slot text, attempt integer, wants jsonb)
  LOOP
    v_key := format('%s|%s|%s', p_key, v_one.attempt, v_one.slot);
    CONTINUE WHEN v_key <> ALL (v_released) AND EXISTS (SELECT 1 FROM keelson.grants h
      WHERE h.run_key = p_key AND h.slot = v_one.slot AND h.attempt = v_one.attempt);
    CONTINUE WHEN EXISTS (SELECT 1 FROM jsonb_to_recordset(o_granted) AS g(slot text, attempt integer)
      WHERE g.slot = v_one.slot AND g.attempt = v_one.attempt);
    SELECT max(w.place) AS place, coalesce(bool_or(p.offered_until > p_now), false) AS offered INTO v_row
      FROM keelson.grant_waits w JOIN keelson.grant_wait_pools p ON p.place = w.place
      WHERE w.run_key = p_key AND w.slot = v_one.slot AND w.attempt = v_one.attempt AND w.place <> ALL (v_served);
    v_obstacle := keelson.grant_obstacle(v_row.place, v_row.offered, v_one.wants, o_pools, v_served, v_gone, p_now);
    IF v_obstacle IS NOT NULL THEN
      o_refused := coalesce(o_refused, '[]') || (jsonb_build_object('slot', v_one.slot) || v_obstacle);
      CONTINUE;
    END IF;
    FOR v_want IN SELECT w.key AS pool, w.value::bigint AS amount FROM jsonb_each_text(v_one.wants) AS w LOOP
      n := array_position(v_names, v_want.pool);
      o_pools[n].used := o_pools[n].used + v_want.amount;
      IF o_pools[n].window_ms IS NOT NULL THEN
        o_pools[n].taken := v_want.amount + CASE WHEN o_pools[n].taken_window = p_now / o_pools[n].window_ms
          THEN o_pools[n].taken ELSE 0 END;
        o_pools[n].taken_window := p_now / o_pools[n].window_ms;
      END IF;
      IF o_pools[n].breaker_failures IS NOT NULL AND o_pools[n].open_until <= p_now THEN
        o_pools[n].probe := v_key;
      END IF;
    END LOOP;
    IF v_row.place IS NOT NULL THEN
      v_served := v_served || v_row.place;
    END IF;
    IF NOT v_row.offered THEN
      v_gone := v_gone || jsonb_build_object('place', v_row.place, 'wants', v_one.wants);
    END IF;
    o_granted := o_granted || jsonb_build_object('slot', v_one.slot, 'attempt', v_one.attempt, 'wants', v_one.wants,
      'place', v_row.place, 'offered', v_row.offered);
  END LOOP;
END $$;

CREATE FUNCTION keelson.use_archive_ticket_once() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF NEW.archived AND NEW.run_key = OLD.run_key AND NEW.head_hash = OLD.head_hash THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'EVENTS_APPEND_ONLY: an archive ticket is used once' USING ERRCODE = 'restrict_violation';
END $$;

CREATE FUNCTION keelson.write_rest(p_key bigint[], p_rest jsonb, p_now bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
  v_read bigint[];
  v_rung bigint[];
BEGIN
  WITH read AS (
    UPDATE keelson.run_inbox i SET consumed_seq = c.seq
    FROM jsonb_to_recordset(p_rest -> 'consumed') AS c(place integer, inbox_id text, seq bigint)
    WHERE i.run_key = p_key[c.place] AND i.inbox_id = c.inbox_id
    RETURNING i.run_key
  )
  SELECT array_agg(DISTINCT read.run_key) INTO v_read FROM read;

  -- The last write of a variable at a seq is the one that counts.
  INSERT INTO keelson.run_context (run_key, variable, seq, value)
  SELECT DISTINCT ON (c.place, c.variable, c.seq) p_key[c.place], c.variable, c.seq, c.value
  FROM jsonb_to_recordset(p_rest -> 'context') AS c(place integer, pos integer, variable text, seq bigint, value text)
  WHERE p_key[c.place] > 0 ORDER BY c.place, c.variable, c.seq, c.pos DESC
  ON CONFLICT (run_key, variable, seq) DO UPDATE SET value = excluded.value;

  INSERT INTO keelson.run_blobs (run_key, sha256, text)
  SELECT p_key[b.place], b.sha256, b.text
  FROM jsonb_to_recordset(p_rest -> 'blobs') AS b(place integer, sha256 text, text text)
  WHERE p_key[b.place] > 0
  ON CONFLICT (run_key, sha256) DO NOTHING;

  WITH rung AS (
    INSERT INTO keelson.run_inbox (run_key, inbox_id, kind, body, inserted_at)
    SELECT t.run_key, n.inbox_id, n.kind, n.body, p_now
    FROM jsonb_to_recordset(p_rest -> 'notify')
      AS n(place integer, pos integer, tenant_id text, run_id text, inbox_id text, kind text, body text)
    CROSS JOIN LATERAL (SELECT r.run_key FROM keelson.runs r
      WHERE r.run_id = n.run_id AND r.tenant_id = n.tenant_id AND r.archived_at IS NULL OFFSET 0) AS t
    WHERE p_key[n.place] > 0 ORDER BY n.place, n.pos
    ON CONFLICT (run_key, inbox_id) DO NOTHING
    RETURNING run_key
  )
  SELECT array_agg(DISTINCT rung.run_key) INTO v_rung FROM rung;

  UPDATE keelson.runs r SET inbox_since = (
    SELECT i.inserted_at FROM keelson.run_inbox i
    WHERE i.run_key = r.run_key AND i.consumed_seq IS NULL ORDER BY i.inbox_pos LIMIT 1
  ) WHERE r.run_key = ANY (v_read || v_rung);
  IF v_rung IS NOT NULL THEN
    PERFORM pg_notify('keelson_wake', '');
  END IF;
END $$;

CREATE FUNCTION keelson.write_to_refused(p_now bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
  INSERT INTO keelson.run_inbox (run_key, inbox_id, kind, body, inserted_at, silent)
    SELECT w.run_key, format('grant:%s:%s:%s', w.slot, w.attempt, 1 + count(i.inbox_id)),
      'grant', format('{"slot":%s,"attempt":%s}', to_json(w.slot), w.attempt), p_now, true
    FROM (SELECT DISTINCT o.place FROM keelson.pools p
      JOIN keelson.grant_wait_pools o ON o.pool = p.pool AND o.amount > p.capacity) AS large
    JOIN keelson.grant_waits w ON w.place = large.place AND keelson.can_be_served(w.place)
    LEFT JOIN keelson.run_inbox i
      ON i.run_key = w.run_key AND starts_with(i.inbox_id, format('grant:%s:%s:', w.slot, w.attempt))
    GROUP BY w.run_key, w.slot, w.attempt
    HAVING count(i.inbox_id) = count(i.consumed_seq)
    ON CONFLICT (run_key, inbox_id) DO NOTHING;
  IF FOUND THEN
    PERFORM pg_notify('keelson_wake', '');
  END IF;
END $$;

CREATE TABLE keelson.archive_tickets (
    run_key bigint NOT NULL,
    head_hash bytea NOT NULL,
    archived boolean DEFAULT false NOT NULL,
    at bigint,
    place text
);

CREATE TABLE keelson.erasure_tickets (
    run_key bigint NOT NULL,
    up_to_seq bigint NOT NULL
);

CREATE TABLE keelson.events (
    run_key bigint NOT NULL,
    seq bigint NOT NULL,
    persisted_at bigint NOT NULL,
    event_type text NOT NULL,
    idempotency_key bytea NOT NULL,
    chain_hash bytea NOT NULL,
    record text NOT NULL,
    data text,
    salt bytea,
    terminal_slot text,
    generation integer DEFAULT keelson.current_generation() NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    CONSTRAINT chain_hash_bytes CHECK ((octet_length(chain_hash) = 32)),
    CONSTRAINT idempotency_key_bytes CHECK ((octet_length(idempotency_key) = 32)),
    CONSTRAINT salt_with_data CHECK (((salt IS NULL) = (data IS NULL)))
);

CREATE TABLE keelson.feed_behind (
    subscriber text NOT NULL,
    run_key bigint NOT NULL,
    seq bigint NOT NULL,
    attempts integer NOT NULL,
    retry_at bigint NOT NULL,
    error text
);

CREATE TABLE keelson.feed_cursors (
    subscriber text NOT NULL,
    run_key bigint NOT NULL,
    seq bigint NOT NULL
);

CREATE TABLE keelson.feed_dead_letters (
    dead_pos bigint NOT NULL,
    subscriber text NOT NULL,
    run_key bigint NOT NULL,
    seq bigint NOT NULL,
    error text NOT NULL,
    at bigint NOT NULL
);

ALTER TABLE keelson.feed_dead_letters ALTER COLUMN dead_pos ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME keelson.feed_dead_letters_dead_pos_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE keelson.feed_generation (
    only_row boolean DEFAULT true NOT NULL,
    generation integer NOT NULL,
    CONSTRAINT feed_generation_only_row_check CHECK (only_row)
);

CREATE TABLE keelson.feed_subscribers (
    subscriber text NOT NULL,
    generation integer NOT NULL,
    xid xid8 NOT NULL,
    run_key bigint NOT NULL
);

CREATE TABLE keelson.grant_wait_pools (
    place bigint NOT NULL,
    pool text NOT NULL COLLATE pg_catalog."C",
    amount bigint NOT NULL,
    run_turn bigint NOT NULL,
    bypassed integer DEFAULT 0 NOT NULL,
    offered_until bigint
);

CREATE TABLE keelson.grant_waits (
    place bigint NOT NULL,
    run_key bigint NOT NULL,
    slot text NOT NULL,
    attempt integer NOT NULL,
    tenant_id text NOT NULL,
    priority double precision NOT NULL,
    since bigint NOT NULL
);

ALTER TABLE keelson.grant_waits ALTER COLUMN place ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME keelson.grant_waits_place_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE keelson.grants (
    run_key bigint NOT NULL,
    slot text NOT NULL,
    attempt integer NOT NULL,
    pool text NOT NULL COLLATE pg_catalog."C",
    amount bigint NOT NULL
);

CREATE TABLE keelson.migrations (
    version integer NOT NULL,
    name text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE keelson.plan_publications (
    publication_pos bigint NOT NULL,
    tenant_id text NOT NULL,
    plan_id text NOT NULL,
    plan_version text NOT NULL,
    sha256 text NOT NULL,
    replaces boolean NOT NULL
);

ALTER TABLE keelson.plan_publications ALTER COLUMN publication_pos ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME keelson.plan_publications_publication_pos_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE keelson.plans (
    plan_pos bigint NOT NULL,
    sha256 text NOT NULL,
    plan_id text NOT NULL,
    plan_version text NOT NULL,
    text text NOT NULL,
    tenant_id text NOT NULL,
    replaces boolean NOT NULL,
    CONSTRAINT plans_tenant_id_check CHECK ((tenant_id <> ''::text))
);

ALTER TABLE keelson.plans ALTER COLUMN plan_pos ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME keelson.plans_plan_pos_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE keelson.pool_tenants (
    pool text NOT NULL COLLATE pg_catalog."C",
    tenant_id text NOT NULL,
    turn bigint NOT NULL
);

CREATE TABLE keelson.run_blobs (
    run_key bigint NOT NULL,
    sha256 text NOT NULL,
    text text NOT NULL
);

CREATE TABLE keelson.run_context (
    run_key bigint NOT NULL,
    variable text NOT NULL,
    seq bigint NOT NULL,
    value text NOT NULL
);

CREATE TABLE keelson.run_inbox (
    inbox_pos bigint NOT NULL,
    run_key bigint NOT NULL,
    inbox_id text NOT NULL,
    kind text NOT NULL,
    body text NOT NULL,
    body_sha256 text,
    inserted_at bigint NOT NULL,
    consumed_seq bigint,
    silent boolean DEFAULT false NOT NULL
);

ALTER TABLE keelson.run_inbox ALTER COLUMN inbox_pos ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME keelson.run_inbox_inbox_pos_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE keelson.run_snapshots (
    run_key bigint NOT NULL,
    kind text NOT NULL,
    seq bigint NOT NULL,
    rules_version integer NOT NULL,
    body text NOT NULL
);

CREATE TABLE keelson.runs (
    run_key bigint NOT NULL,
    run_id text NOT NULL,
    tenant_id text NOT NULL,
    project_id text NOT NULL,
    environment_id text NOT NULL,
    plan_id text NOT NULL,
    plan_version text NOT NULL,
    plan_sha256 text NOT NULL,
    engine_type text NOT NULL,
    engine_run_ref text NOT NULL,
    request_key text,
    original_run_id text,
    parent_run_id text,
    parent_slot text,
    parent_attempt integer,
    triggered_by text,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    epoch bigint NOT NULL,
    next_seq bigint NOT NULL,
    head_hash bytea NOT NULL,
    status text NOT NULL,
    substatus text,
    next_wake_at bigint,
    rules_version integer NOT NULL,
    min_rules_version integer NOT NULL,
    started_at bigint,
    ended_at bigint,
    steps_total integer NOT NULL,
    steps_done integer NOT NULL,
    steps_failed integer NOT NULL,
    error_code text,
    owed boolean NOT NULL,
    lease_owner text,
    lease_until bigint,
    quarantine text,
    inbox_since bigint,
    archived_at bigint,
    archived_to text,
    deaths integer DEFAULT 0 NOT NULL,
    doing text,
    died_doing text,
    taken_epoch bigint,
    CONSTRAINT runs_tenant_id_check CHECK ((tenant_id <> ''::text))
)
WITH (fillfactor='70');

ALTER TABLE keelson.runs ALTER COLUMN run_key ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME keelson.runs_run_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE keelson.scope_pauses (
    pause_pos bigint NOT NULL,
    tenant_id text NOT NULL,
    pause_id text NOT NULL,
    scope text NOT NULL,
    reason text,
    active boolean NOT NULL
);

ALTER TABLE keelson.scope_pauses ALTER COLUMN pause_pos ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME keelson.scope_pauses_pause_pos_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE keelson.status_counts (
    tenant_id text NOT NULL,
    status text NOT NULL,
    writer integer NOT NULL,
    runs bigint NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE keelson.step_claims (
    claim_pos bigint NOT NULL,
    run_key bigint NOT NULL,
    slot text NOT NULL,
    attempt integer NOT NULL,
    claimant text NOT NULL
);

ALTER TABLE keelson.step_claims ALTER COLUMN claim_pos ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME keelson.step_claims_claim_pos_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE keelson.tenant_roles (
    role_name text NOT NULL,
    tenant_id text NOT NULL,
    CONSTRAINT tenant_roles_tenant_id_check CHECK ((tenant_id <> ''::text))
);

INSERT INTO keelson.events VALUES (1, 1, 1794843911994, 'RunApproved', '\xc91ca5bc1bb1e5f1043f8f21bd61e0693acca48876d996a2aac2a665c2b21624', '\xdced9902400246b344456ab83c80c531b328e395bc310b6ec43560d159d3aba3', '{"dataHash":"7a50c893e60e04a50194cb40e365071e9bf5b0f253870f6554c53efff6dfcd5f","decision":{"cause":"admit","firstSeq":1},"emittedAt":"2026-11-16T15:45:11.885Z","emittedBy":"planner","engineAttemptId":1,"environmentId":"local","eventId":"c8e895bf-8877-4461-a8af-fea3fc48a57d","eventType":"RunApproved","idempotencyKey":"c91ca5bc1bb1e5f1043f8f21bd61e0693acca48876d996a2aac2a665c2b21624","logicalAttemptId":1,"payload":{"approvedBy":"policy:auto","origin":{}},"planId":"done","planVersion":"1.0.0","projectId":"default","runId":"1dac07f0-407a-4478-95e3-a98d519f3347","runSeq":1,"tenantId":"local"}', '{"input":{}}', '\x830272cccfd88b258bd571fb3c4d1c45', NULL, 1, '727');
INSERT INTO keelson.events VALUES (1, 2, 1794843911994, 'RunStarted', '\xee6cdc79d15811e851ea693ef180eaf1668091222d96575ccc0a741a5540c29d', '\x96ef7e1a6d16109f76e179eeebf0c901b51afa2f486195c35d757ec62c11355a', '{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T15:45:11.885Z","emittedBy":"engine","engineAttemptId":1,"environmentId":"local","eventId":"cfc8ef9e-ad00-45cb-9463-0ab7ca9e0530","eventType":"RunStarted","idempotencyKey":"ee6cdc79d15811e851ea693ef180eaf1668091222d96575ccc0a741a5540c29d","logicalAttemptId":1,"payload":{"context":{"environmentId":"local","projectId":"default","tenantId":"local","triggerSource":"manual","triggeredBy":"local"},"engineRunRef":"embedded://1dac07f0-407a-4478-95e3-a98d519f3347","engineType":"embedded","epoch":1,"maxInFlight":10000,"planRef":{"planId":"done","planVersion":"1.0.0","schemaVersion":"v1.0","sha256":"c60d90d53b6ac3722ef9f496d6bac22baa13994c9f5402d3a359170f198fb3bf","uri":"plan:sha256:c60d90d53b6ac3722ef9f496d6bac22baa13994c9f5402d3a359170f198fb3bf"},"rulesVersion":5,"startedAt":"2026-11-16T15:45:11.885Z","status":"RUNNING"},"planId":"done","planVersion":"1.0.0","projectId":"default","runId":"1dac07f0-407a-4478-95e3-a98d519f3347","runSeq":2,"tenantId":"local"}', NULL, NULL, NULL, 1, '727');
INSERT INTO keelson.events VALUES (1, 3, 1794843911994, 'StepStarted', '\xdcf600c22d11835e2723ca8bf3d5d1f2d6b221e9d4874f987519ae788af325c6', '\xe6ea0a1714a07d3dc931ea37bed43eb99a0d1497da1d1d5cb26f38a63e2aa2bb', '{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T15:45:11.885Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"fdec5b4d-544b-4404-9b8d-902609cc282d","eventType":"StepStarted","idempotencyKey":"dcf600c22d11835e2723ca8bf3d5d1f2d6b221e9d4874f987519ae788af325c6","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T15:45:11.885Z","timeoutAt":"2026-11-16T16:20:11.885Z"},"planId":"done","planVersion":"1.0.0","projectId":"default","runId":"1dac07f0-407a-4478-95e3-a98d519f3347","runSeq":3,"stepId":"a","tenantId":"local"}', NULL, NULL, NULL, 1, '727');
INSERT INTO keelson.events VALUES (1, 4, 1794843912879, 'StepCompleted', '\x1316b08474bc044e87b7e49ca0b920ffce3f47b287a1c3e65c3282f46c477915', '\xae1248abe1778fc191d31406a902914537d84c11221071105d4f56127c60b5eb', '{"dataHash":"15a0bdcb9961371e8a32fbad38686dee9a1a5d32cf6207fee752eb095e8860f5","decision":{"cause":"outcome:a:1:1","firstSeq":4},"emittedAt":"2026-11-16T15:45:12.081Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"cc89a5c9-6aed-481b-bdec-f7979921e4c1","eventType":"StepCompleted","idempotencyKey":"1316b08474bc044e87b7e49ca0b920ffce3f47b287a1c3e65c3282f46c477915","logicalAttemptId":1,"payload":{"artifactRefs":[],"completedAt":"2026-11-16T15:45:12.081Z","durationMs":24},"planId":"done","planVersion":"1.0.0","projectId":"default","runId":"1dac07f0-407a-4478-95e3-a98d519f3347","runSeq":4,"stepId":"a","tenantId":"local"}', '{"result":{"n":1}}', '\xe9b396976d9436dd43c0ba333fbd1e29', 'a#1', 1, '729');
INSERT INTO keelson.events VALUES (1, 5, 1794843912879, 'RunCompleted', '\x51d82f77e42ab45721e8af3aa773ad92cce80d4a5e70e31fc91281e6fde728dd', '\xe5c8b598ca499564c30009ff6fc62e5fed6a45e8b6c7d037c5ad2518d29fec83', '{"decision":{"cause":"outcome:a:1:1","firstSeq":4},"emittedAt":"2026-11-16T15:45:12.081Z","emittedBy":"engine","engineAttemptId":1,"environmentId":"local","eventId":"2ab36268-2c36-48f1-882a-b12e4fab8e1d","eventType":"RunCompleted","idempotencyKey":"51d82f77e42ab45721e8af3aa773ad92cce80d4a5e70e31fc91281e6fde728dd","logicalAttemptId":1,"payload":{"artifactRefs":[],"completedAt":"2026-11-16T15:45:12.081Z"},"planId":"done","planVersion":"1.0.0","projectId":"default","runId":"1dac07f0-407a-4478-95e3-a98d519f3347","runSeq":5,"tenantId":"local"}', NULL, NULL, NULL, 1, '729');
INSERT INTO keelson.events VALUES (2, 1, 1794843917381, 'RunQueued', '\x58d3c5a79d2a3e9bfce38d067ac73c428ca993ddaddd17d88526168ff5e3b0ea', '\x44affec2fb89930d9f52dd5a77bdef5ebc691ef87548c6d2d861cfe1f00318c3', '{"dataHash":"efe838787699f49ccdbb866fbea0492a0025b46414703547158b50b83690aef1","decision":{"cause":"admit","firstSeq":1},"emittedAt":"2026-11-16T15:45:17.336Z","emittedBy":"admission","engineAttemptId":1,"environmentId":"local","eventId":"af57cde1-9def-4872-ad90-24c2fc526f44","eventType":"RunQueued","idempotencyKey":"58d3c5a79d2a3e9bfce38d067ac73c428ca993ddaddd17d88526168ff5e3b0ea","logicalAttemptId":1,"payload":{"origin":{"engineRunRef":"embedded://398cfc2a-3ff8-4d11-9081-27ede6a59b22","engineType":"embedded","planSha256":"4f207838512935869d56b92ae5ed63c03c3f5d6bf72bee218777674b836258e8","triggeredBy":"local"},"policy":"QUEUE","rulesVersion":5,"triggerSource":"manual","triggeredBy":"local"},"planId":"queued","planVersion":"1.0.0","projectId":"default","runId":"398cfc2a-3ff8-4d11-9081-27ede6a59b22","runSeq":1,"tenantId":"local"}', '{"input":{}}', '\x71e8afd48f13ce75da6e5411d653c91a', NULL, 1, '733');
INSERT INTO keelson.events VALUES (2, 2, 1794843917381, 'RunApproved', '\x02e7c7ba300e78fcc14a96b702c9735b0d02cf709316c721378492baf006248f', '\xafc6520a17cb294bcf5806bcd7d778bfe3aa1506f06787376b45f16a387b33d5', '{"decision":{"cause":"admit","firstSeq":1},"emittedAt":"2026-11-16T15:45:17.336Z","emittedBy":"planner","engineAttemptId":1,"environmentId":"local","eventId":"87d40b56-fded-4b5a-9b93-301574aaaa79","eventType":"RunApproved","idempotencyKey":"02e7c7ba300e78fcc14a96b702c9735b0d02cf709316c721378492baf006248f","logicalAttemptId":1,"payload":{"approvedBy":"policy:auto"},"planId":"queued","planVersion":"1.0.0","projectId":"default","runId":"398cfc2a-3ff8-4d11-9081-27ede6a59b22","runSeq":2,"tenantId":"local"}', NULL, NULL, NULL, 1, '733');
INSERT INTO keelson.events VALUES (3, 1, 1794843920980, 'RunApproved', '\xd8ad32df33b7920a6563c02445b28e9eb7764115207093c3624bd622d080ef2c', '\xa7c74fb31e2713f119759dbe29dd6c58d416de9ba10e38ac3ca2576d2ba755bc', '{"dataHash":"4ce998d8780337a0d689f535f2499f12e5bbd798d770f40c104440d3f45fafad","decision":{"cause":"admit","firstSeq":1},"emittedAt":"2026-11-16T15:45:20.884Z","emittedBy":"planner","engineAttemptId":1,"environmentId":"local","eventId":"e5ed6fdd-ca71-4f28-9e27-bdfc8b0b9fbe","eventType":"RunApproved","idempotencyKey":"d8ad32df33b7920a6563c02445b28e9eb7764115207093c3624bd622d080ef2c","logicalAttemptId":1,"payload":{"approvedBy":"policy:auto","origin":{}},"planId":"timed","planVersion":"1.0.0","projectId":"default","runId":"e72fbd54-cb65-4605-92cd-e0efa32fa0f6","runSeq":1,"tenantId":"local"}', '{"input":{}}', '\x1269857686f151d0429f8c5b43ea5825', NULL, 1, '737');
INSERT INTO keelson.events VALUES (3, 2, 1794843920980, 'RunStarted', '\x64c350afc79dbf92527f98eaf71d54e0817be9d9800c4a8d1712e8c9dd9e88c5', '\xd2e9c3d049e85ed399d105a4769b39eccd357ef418e135dca3368cd5440b2e42', '{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T15:45:20.884Z","emittedBy":"engine","engineAttemptId":1,"environmentId":"local","eventId":"4a2da8fb-1a25-4b2b-b41f-5501f35c74a4","eventType":"RunStarted","idempotencyKey":"64c350afc79dbf92527f98eaf71d54e0817be9d9800c4a8d1712e8c9dd9e88c5","logicalAttemptId":1,"payload":{"context":{"environmentId":"local","projectId":"default","tenantId":"local","triggerSource":"manual","triggeredBy":"local"},"engineRunRef":"embedded://e72fbd54-cb65-4605-92cd-e0efa32fa0f6","engineType":"embedded","epoch":1,"maxInFlight":10000,"planRef":{"planId":"timed","planVersion":"1.0.0","schemaVersion":"v1.0","sha256":"1129f514685d0fe95029b092855dbda2a767c7ef6df246ef6f20b069df779d97","uri":"plan:sha256:1129f514685d0fe95029b092855dbda2a767c7ef6df246ef6f20b069df779d97"},"rulesVersion":5,"startedAt":"2026-11-16T15:45:20.884Z","status":"RUNNING"},"planId":"timed","planVersion":"1.0.0","projectId":"default","runId":"e72fbd54-cb65-4605-92cd-e0efa32fa0f6","runSeq":2,"tenantId":"local"}', NULL, NULL, NULL, 1, '737');
INSERT INTO keelson.events VALUES (3, 3, 1794843920980, 'StepStarted', '\x69deb159bedbf2e77dc746c3b76812014609af4334ff90564f37cf725232dc44', '\x0a1005c04e4aaa2f68c96ab90d8330a85be9b960e1d4dd9039e742e53c0133df', '{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T15:45:20.884Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"212b898f-8a82-46e2-b7ff-d62033fce368","eventType":"StepStarted","idempotencyKey":"69deb159bedbf2e77dc746c3b76812014609af4334ff90564f37cf725232dc44","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T15:45:20.884Z","timeoutAt":"2026-11-16T16:20:20.884Z"},"planId":"timed","planVersion":"1.0.0","projectId":"default","runId":"e72fbd54-cb65-4605-92cd-e0efa32fa0f6","runSeq":3,"stepId":"a","tenantId":"local"}', NULL, NULL, NULL, 1, '737');
INSERT INTO keelson.events VALUES (3, 4, 1794843921461, 'StepCompleted', '\x5761f0503b8b3589edb6c69fd091b3449617fcd839415f0ccf819a35ffd9ee49', '\x6055e3a3c1977a8c1c2189d3cfbcfa4e83482952fcac05350611d108c6c11714', '{"dataHash":"0c9bdc9e6c2bf1d1be4ba5f63e6d8de191b347eb6daa7c2f376719cae0b10fed","decision":{"cause":"outcome:a:1:1","firstSeq":4},"emittedAt":"2026-11-16T15:45:21.283Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"b099c699-6994-414e-8fee-978dc32665c4","eventType":"StepCompleted","idempotencyKey":"5761f0503b8b3589edb6c69fd091b3449617fcd839415f0ccf819a35ffd9ee49","logicalAttemptId":1,"payload":{"artifactRefs":[],"completedAt":"2026-11-16T15:45:21.283Z","durationMs":94},"planId":"timed","planVersion":"1.0.0","projectId":"default","runId":"e72fbd54-cb65-4605-92cd-e0efa32fa0f6","runSeq":4,"stepId":"a","tenantId":"local"}', '{"result":{"n":1}}', '\x31de40a4123b23f23e08e431559a424b', 'a#1', 1, '739');
INSERT INTO keelson.events VALUES (3, 5, 1794843921461, 'StepStarted', '\xa0a799cd2735c938c0dafab287b9b2aafa0f2af52fc361e6d985fc7043c998cc', '\x82dc2a8054bf6c83255413c4a5e5519a2d2c3ab0580a58b232609aabcff97770', '{"decision":{"cause":"outcome:a:1:1","firstSeq":4},"emittedAt":"2026-11-16T15:45:21.283Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"94c4480d-f798-48a7-8123-798a669b96c6","eventType":"StepStarted","idempotencyKey":"a0a799cd2735c938c0dafab287b9b2aafa0f2af52fc361e6d985fc7043c998cc","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T15:45:21.283Z","waitForMs":4000},"planId":"timed","planVersion":"1.0.0","projectId":"default","runId":"e72fbd54-cb65-4605-92cd-e0efa32fa0f6","runSeq":5,"stepId":"nap","tenantId":"local"}', NULL, NULL, NULL, 1, '739');
INSERT INTO keelson.events VALUES (4, 1, 1794843926331, 'RunApproved', '\x7ba7b312c97edc0985a4fb702c92430bcc2eab96b2abfdb547ce0fa1c99eabd8', '\x311fb73fd7a73292cf915cf682cd9846e33e1fac849f27037b042866753cb282', '{"dataHash":"c883442cd8dd8a1eea062371377e564697b6cc35a50adfef3af46023c81623e7","decision":{"cause":"admit","firstSeq":1},"emittedAt":"2026-11-16T15:45:26.275Z","emittedBy":"planner","engineAttemptId":1,"environmentId":"local","eventId":"79c37695-e2b3-4137-b447-7039b6d0248f","eventType":"RunApproved","idempotencyKey":"7ba7b312c97edc0985a4fb702c92430bcc2eab96b2abfdb547ce0fa1c99eabd8","logicalAttemptId":1,"payload":{"approvedBy":"policy:auto","origin":{}},"planId":"manual","planVersion":"1.0.0","projectId":"default","runId":"380a4722-1941-4ff5-b985-55bf757ef1fe","runSeq":1,"tenantId":"local"}', '{"input":{}}', '\x9ce8e25dec62ef256a97497e9c696069', NULL, 1, '742');
INSERT INTO keelson.events VALUES (4, 2, 1794843926331, 'RunStarted', '\x7385091fd533cf7d3d6b90448a9c4cbdeba1def86569f89f9796a845ea2aaab3', '\xda45a2df53f53ccdfd5bbba80c0674430e232475ddc8108fb8423e3b6f335493', '{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T15:45:26.275Z","emittedBy":"engine","engineAttemptId":1,"environmentId":"local","eventId":"5b46da0d-04f1-4fcb-9e22-eb6135a38741","eventType":"RunStarted","idempotencyKey":"7385091fd533cf7d3d6b90448a9c4cbdeba1def86569f89f9796a845ea2aaab3","logicalAttemptId":1,"payload":{"context":{"environmentId":"local","projectId":"default","tenantId":"local","triggerSource":"manual","triggeredBy":"local"},"engineRunRef":"embedded://380a4722-1941-4ff5-b985-55bf757ef1fe","engineType":"embedded","epoch":1,"maxInFlight":10000,"planRef":{"planId":"manual","planVersion":"1.0.0","schemaVersion":"v1.0","sha256":"6ee80a4b1329f30321c5ecd376ca5c95c6c355b8736c00cb7bba5c7a5f0b273d","uri":"plan:sha256:6ee80a4b1329f30321c5ecd376ca5c95c6c355b8736c00cb7bba5c7a5f0b273d"},"rulesVersion":5,"startedAt":"2026-11-16T15:45:26.275Z","status":"RUNNING"},"planId":"manual","planVersion":"1.0.0","projectId":"default","runId":"380a4722-1941-4ff5-b985-55bf757ef1fe","runSeq":2,"tenantId":"local"}', NULL, NULL, NULL, 1, '742');
INSERT INTO keelson.events VALUES (4, 3, 1794843926331, 'StepStarted', '\x421a2ee9403844fcd2d062d7722d8d92366d84d65bc5e9946427e55b1358b0b2', '\x8088b596ca27db610221f5ae917fedd3953bb8ecdbabd7d48011a7a26b322041', '{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T15:45:26.275Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"a4212acd-b702-4106-b07b-9107c230d268","eventType":"StepStarted","idempotencyKey":"421a2ee9403844fcd2d062d7722d8d92366d84d65bc5e9946427e55b1358b0b2","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T15:45:26.275Z","timeoutAt":"2026-11-16T16:20:26.275Z"},"planId":"manual","planVersion":"1.0.0","projectId":"default","runId":"380a4722-1941-4ff5-b985-55bf757ef1fe","runSeq":3,"stepId":"a","tenantId":"local"}', NULL, NULL, NULL, 1, '742');
INSERT INTO keelson.events VALUES (4, 4, 1794843926461, 'StepCompleted', '\x3fe553f3cffcd27436b6cff6e0d6c5bbdc4aa40d96521686f8337a7a145be9dc', '\x541c86f38135ae68c27598e494cef5f489d9a43788139257ee4ed5a2ef73a8ef', '{"dataHash":"259ee62a3dd0afd936440bc0e9a19ca5bc976692faf2d7ef502263fa31d259a1","decision":{"cause":"outcome:a:1:1","firstSeq":4},"emittedAt":"2026-11-16T15:45:26.398Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"b292f327-18e9-42c0-bf7a-5275f8e84da5","eventType":"StepCompleted","idempotencyKey":"3fe553f3cffcd27436b6cff6e0d6c5bbdc4aa40d96521686f8337a7a145be9dc","logicalAttemptId":1,"payload":{"artifactRefs":[],"completedAt":"2026-11-16T15:45:26.398Z","durationMs":22},"planId":"manual","planVersion":"1.0.0","projectId":"default","runId":"380a4722-1941-4ff5-b985-55bf757ef1fe","runSeq":4,"stepId":"a","tenantId":"local"}', '{"result":{"n":1}}', '\xd207b464ad5de80f0dbbc44c13875e50', 'a#1', 1, '744');
INSERT INTO keelson.events VALUES (4, 5, 1794843926461, 'StepStarted', '\x4bfe0c1854f17db65e991fbb56917986fd4af635a8ee4714f45e06a020210a86', '\x82a471bd868931c0ca9b2c18acc4ba93247bded7f00cd14140fe54c25a7c6d8e', '{"decision":{"cause":"outcome:a:1:1","firstSeq":4},"emittedAt":"2026-11-16T15:45:26.398Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"29f755a1-0ac7-423e-af1a-2c4ec9a00e66","eventType":"StepStarted","idempotencyKey":"4bfe0c1854f17db65e991fbb56917986fd4af635a8ee4714f45e06a020210a86","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T15:45:26.398Z"},"planId":"manual","planVersion":"1.0.0","projectId":"default","runId":"380a4722-1941-4ff5-b985-55bf757ef1fe","runSeq":5,"stepId":"sign","tenantId":"local"}', NULL, NULL, NULL, 1, '744');
INSERT INTO keelson.events VALUES (4, 6, 1794843926461, 'ManualTaskOpened', '\xa11c45dcd94a138787c2b588863498c398476d250bfeecc1d2db66e8e1dd04f5', '\xc2d47f387806d2c4f9f6ef2734ed17ce7fd82dd775159092467dfcbef4a2ffe8', '{"decision":{"cause":"outcome:a:1:1","firstSeq":4},"emittedAt":"2026-11-16T15:45:26.398Z","emittedBy":"engine","engineAttemptId":1,"environmentId":"local","eventId":"1e83a169-1269-4575-aadb-36c4961d10de","eventType":"ManualTaskOpened","idempotencyKey":"a11c45dcd94a138787c2b588863498c398476d250bfeecc1d2db66e8e1dd04f5","logicalAttemptId":1,"payload":{"attempt":1,"openedAt":"2026-11-16T15:45:26.398Z"},"planId":"manual","planVersion":"1.0.0","projectId":"default","runId":"380a4722-1941-4ff5-b985-55bf757ef1fe","runSeq":6,"stepId":"sign","tenantId":"local"}', NULL, NULL, NULL, 1, '744');
INSERT INTO keelson.events VALUES (5, 1, 1794843930552, 'RunApproved', '\xba935a4dc89d463fe8de4b66efead62fa8cf15e3aed217f176a1804fe1bf7835', '\x4eb2fbf1d7b85d1b15c0123296c5a80c097a7bf5ba869fb147be2f0b48d0beef', '{"dataHash":"c5cb50585e32bfafba5cb0cd7b0f2fce51d71341f9925b5bc3f0f276aa807128","decision":{"cause":"admit","firstSeq":1},"emittedAt":"2026-11-16T15:45:30.495Z","emittedBy":"planner","engineAttemptId":1,"environmentId":"local","eventId":"dcfc7884-46fc-46d5-8712-c8123568f982","eventType":"RunApproved","idempotencyKey":"ba935a4dc89d463fe8de4b66efead62fa8cf15e3aed217f176a1804fe1bf7835","logicalAttemptId":1,"payload":{"approvedBy":"policy:auto","origin":{}},"planId":"paused","planVersion":"1.0.0","projectId":"default","runId":"a67cd25c-8df3-4cba-9548-df92649451d2","runSeq":1,"tenantId":"local"}', '{"input":{}}', '\xedb17ea016ae4e1bf34be5b9b98c081b', NULL, 1, '747');
INSERT INTO keelson.events VALUES (5, 2, 1794843930552, 'RunStarted', '\x8a23e5a5e2d9b21ea7ae59bbc7c7a334d91a37189df060e90976da5a8e69ee18', '\xbeb506e66f699500f74a459ac33a07c623ad883705ecc86d7c8eba56558fa6b2', '{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T15:45:30.495Z","emittedBy":"engine","engineAttemptId":1,"environmentId":"local","eventId":"9ace37f5-9a80-4147-8942-1a0adfd56f7a","eventType":"RunStarted","idempotencyKey":"8a23e5a5e2d9b21ea7ae59bbc7c7a334d91a37189df060e90976da5a8e69ee18","logicalAttemptId":1,"payload":{"context":{"environmentId":"local","projectId":"default","tenantId":"local","triggerSource":"manual","triggeredBy":"local"},"engineRunRef":"embedded://a67cd25c-8df3-4cba-9548-df92649451d2","engineType":"embedded","epoch":1,"maxInFlight":10000,"planRef":{"planId":"paused","planVersion":"1.0.0","schemaVersion":"v1.0","sha256":"44fdbca651f24a18250f14d33cd28a347f46859d80876f936972fcf79b0da71e","uri":"plan:sha256:44fdbca651f24a18250f14d33cd28a347f46859d80876f936972fcf79b0da71e"},"rulesVersion":5,"startedAt":"2026-11-16T15:45:30.495Z","status":"RUNNING"},"planId":"paused","planVersion":"1.0.0","projectId":"default","runId":"a67cd25c-8df3-4cba-9548-df92649451d2","runSeq":2,"tenantId":"local"}', NULL, NULL, NULL, 1, '747');
INSERT INTO keelson.events VALUES (5, 3, 1794843930552, 'StepStarted', '\xf0b06e03fe24ea42dc7e347a6f30ed86352037121595affa68119e659b92142f', '\xbc986e30f158c4ef32bd1eb869f05a7e42c2bc193f196918ad3146a0f4b727e9', '{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T15:45:30.495Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"a6e119be-3aff-4ada-abee-eba43c4d38ce","eventType":"StepStarted","idempotencyKey":"f0b06e03fe24ea42dc7e347a6f30ed86352037121595affa68119e659b92142f","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T15:45:30.495Z","timeoutAt":"2026-11-16T16:20:30.495Z"},"planId":"paused","planVersion":"1.0.0","projectId":"default","runId":"a67cd25c-8df3-4cba-9548-df92649451d2","runSeq":3,"stepId":"a","tenantId":"local"}', NULL, NULL, NULL, 1, '747');
INSERT INTO keelson.events VALUES (5, 4, 1794843930552, 'StepStarted', '\xd0ee71b9fa78aafa555713c56441213c48f652eada9a3938d274e8d50ffaea35', '\x49d3f0a320459881a5b13364c2ca0fd7dce3ea51f60209eda95e25999f1fec31', '{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T15:45:30.495Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"51244df0-5e16-4e69-8021-e82f9193706d","eventType":"StepStarted","idempotencyKey":"d0ee71b9fa78aafa555713c56441213c48f652eada9a3938d274e8d50ffaea35","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T15:45:30.495Z","timeoutAt":"2026-11-16T16:20:30.495Z"},"planId":"paused","planVersion":"1.0.0","projectId":"default","runId":"a67cd25c-8df3-4cba-9548-df92649451d2","runSeq":4,"stepId":"s","tenantId":"local"}', NULL, NULL, NULL, 1, '747');
INSERT INTO keelson.events VALUES (5, 5, 1794843931004, 'StepCompleted', '\x986ff55f220c45ca69ccfdb94c86a2c1b996b73f3de04ffca09f1a910f193528', '\x66d8ee5bc947b76097ffb74dc29d6cde021c38f55e82bc2cf0e684878a670f63', '{"dataHash":"cabb0d4780fffbc116bde500e9062af4bd5453c0dfd4f28a64f54af200fda4d8","decision":{"cause":"outcome:a:1:1","firstSeq":5},"emittedAt":"2026-11-16T15:45:30.744Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"398e5b91-cc7d-4fb9-96b5-338086ca47d6","eventType":"StepCompleted","idempotencyKey":"986ff55f220c45ca69ccfdb94c86a2c1b996b73f3de04ffca09f1a910f193528","logicalAttemptId":1,"payload":{"artifactRefs":[],"completedAt":"2026-11-16T15:45:30.744Z","durationMs":124},"planId":"paused","planVersion":"1.0.0","projectId":"default","runId":"a67cd25c-8df3-4cba-9548-df92649451d2","runSeq":5,"stepId":"a","tenantId":"local"}', '{"result":{"n":1}}', '\x95ae99707e8729636c1108716081f53c', 'a#1', 1, '749');
INSERT INTO keelson.events VALUES (5, 6, 1794843936273, 'SignalAccepted', '\x21efde77db37f5f93825436c47324b4d3bfe32a064c4c0a6bcfb0edff4b31f65', '\xa8b3571f6b01cac1d3d688e87edd36fee515a0ca1998bf102e3d6a9950e7b891', '{"dataHash":"4c4e9db79d16445d1f8e7b5f6314659bea2c25f9d7d07d825667160c17ee78d1","decision":{"cause":"signal:62126b83-a582-4fd6-b16a-88baf6eae6ed","firstSeq":6},"emittedAt":"2026-11-16T15:45:36.177Z","emittedBy":"authorization","engineAttemptId":1,"environmentId":"local","eventId":"063cf7f6-8cbd-44e2-b23e-978c711ca20c","eventType":"SignalAccepted","idempotencyKey":"21efde77db37f5f93825436c47324b4d3bfe32a064c4c0a6bcfb0edff4b31f65","logicalAttemptId":1,"payload":{"actorId":"local","actorRole":"Admin","applied":true,"decision":"ACCEPTED","policyDecisionId":"8473d978-982a-4a1a-af30-b07ed50b7e00","reason":"lunch","signalId":"62126b83-a582-4fd6-b16a-88baf6eae6ed","signalType":"PAUSE"},"planId":"paused","planVersion":"1.0.0","projectId":"default","runId":"a67cd25c-8df3-4cba-9548-df92649451d2","runSeq":6,"tenantId":"local"}', '{"signalPayload":{"reason":"lunch"}}', '\xdb5b765a8dc5bf0259086de2cb9e1b4f', NULL, 1, '752');
INSERT INTO keelson.events VALUES (5, 7, 1794843936273, 'RunPaused', '\x6a24a984cb7577e7d78432f544a8cfc859c4b25bfaa6fdca09f690d4ad85054d', '\x86899b972311a39fc794ca6fefb85df70f118657a6c8d3f999d5f82a75bc0889', '{"causedBySignalId":"62126b83-a582-4fd6-b16a-88baf6eae6ed","decision":{"cause":"signal:62126b83-a582-4fd6-b16a-88baf6eae6ed","firstSeq":6},"emittedAt":"2026-11-16T15:45:36.177Z","emittedBy":"engine","engineAttemptId":1,"environmentId":"local","eventId":"a6799ee6-4097-449c-b16a-e63db5a6475d","eventType":"RunPaused","idempotencyKey":"6a24a984cb7577e7d78432f544a8cfc859c4b25bfaa6fdca09f690d4ad85054d","logicalAttemptId":1,"payload":{"pausedAt":"2026-11-16T15:45:36.177Z","reason":"lunch","signalId":"62126b83-a582-4fd6-b16a-88baf6eae6ed"},"planId":"paused","planVersion":"1.0.0","projectId":"default","runId":"a67cd25c-8df3-4cba-9548-df92649451d2","runSeq":7,"tenantId":"local"}', NULL, NULL, NULL, 1, '752');
INSERT INTO keelson.events VALUES (6, 1, 1794843944686, 'RunApproved', '\xa8c1b7adbdb579f8dc9772c17bfb7220ed2a1ff9e0c58c237cebb996887bc871', '\x2bd835540ebec8c35f3ac16a3036f953c71ebf0e44d61584e526f5e64fd0893c', '{"dataHash":"37e30d4b1ab56ac8520ee4a65a8bdbcb9a40b344aa756ae27b2f7aee1054668b","decision":{"cause":"admit","firstSeq":1},"emittedAt":"2026-11-16T15:45:44.546Z","emittedBy":"planner","engineAttemptId":1,"environmentId":"local","eventId":"1e8561f6-f3eb-4753-860d-dac3b4da1c58","eventType":"RunApproved","idempotencyKey":"a8c1b7adbdb579f8dc9772c17bfb7220ed2a1ff9e0c58c237cebb996887bc871","logicalAttemptId":1,"payload":{"approvedBy":"policy:auto","origin":{}},"planId":"flying","planVersion":"1.0.0","projectId":"default","runId":"b2365281-e133-47e6-afe4-a137f8a4127d","runSeq":1,"tenantId":"local"}', '{"input":{}}', '\x9f6242806ab9aed6f7f614bcd3b547e0', NULL, 1, '757');
INSERT INTO keelson.events VALUES (6, 2, 1794843944686, 'RunStarted', '\x06927917aa7c67e48fb4884e329713386f8823284374234a2ae58a272e9adeb7', '\xb50cf41aa20710d122c688927f64126cdc9471689cc2ac82ae1e15f02aa5ce6a', '{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T15:45:44.546Z","emittedBy":"engine","engineAttemptId":1,"environmentId":"local","eventId":"2deb7682-d519-4b29-a304-2eca15475876","eventType":"RunStarted","idempotencyKey":"06927917aa7c67e48fb4884e329713386f8823284374234a2ae58a272e9adeb7","logicalAttemptId":1,"payload":{"context":{"environmentId":"local","projectId":"default","tenantId":"local","triggerSource":"manual","triggeredBy":"local"},"engineRunRef":"embedded://b2365281-e133-47e6-afe4-a137f8a4127d","engineType":"embedded","epoch":1,"maxInFlight":10000,"planRef":{"planId":"flying","planVersion":"1.0.0","schemaVersion":"v1.0","sha256":"1b382bbc7863b178a3928de70ae041f170b74df05375aceb370427ab0d46a1a2","uri":"plan:sha256:1b382bbc7863b178a3928de70ae041f170b74df05375aceb370427ab0d46a1a2"},"rulesVersion":5,"startedAt":"2026-11-16T15:45:44.546Z","status":"RUNNING"},"planId":"flying","planVersion":"1.0.0","projectId":"default","runId":"b2365281-e133-47e6-afe4-a137f8a4127d","runSeq":2,"tenantId":"local"}', NULL, NULL, NULL, 1, '757');
INSERT INTO keelson.events VALUES (6, 3, 1794843944686, 'StepStarted', '\xf4e90165387c13ff27b6f8eef75698148ebfe1511be0975767be79184ad11b60', '\x107e533572cf990206f19be7aaa6cfb6329f4ad536ca34deb7d985444f77e3a9', '{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T15:45:44.546Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"dc8c2843-a626-4f80-b8db-79b3cdf3fb94","eventType":"StepStarted","idempotencyKey":"f4e90165387c13ff27b6f8eef75698148ebfe1511be0975767be79184ad11b60","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T15:45:44.546Z","timeoutAt":"2026-11-16T16:20:44.546Z"},"planId":"flying","planVersion":"1.0.0","projectId":"default","runId":"b2365281-e133-47e6-afe4-a137f8a4127d","runSeq":3,"stepId":"a","tenantId":"local"}', NULL, NULL, NULL, 1, '757');
INSERT INTO keelson.events VALUES (6, 4, 1794843944964, 'StepCompleted', '\x06cca341ed6fc2f041b586dfe74028fcebb1c168e08f0872e666bd034438cde3', '\xc89bd33b67ca7a04b87d374eb75f7e5110d68a7ba52963ff02d1e85d5bb7171e', '{"dataHash":"c3e6c84b87f24dd0287b8672ec94f48ec5d5cd1859fb4e9214ecc8c3a0936666","decision":{"cause":"outcome:a:1:1","firstSeq":4},"emittedAt":"2026-11-16T15:45:44.784Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"d6b4569d-58b7-4762-bec8-3e2e9feb5baa","eventType":"StepCompleted","idempotencyKey":"06cca341ed6fc2f041b586dfe74028fcebb1c168e08f0872e666bd034438cde3","logicalAttemptId":1,"payload":{"artifactRefs":[],"completedAt":"2026-11-16T15:45:44.784Z","durationMs":36},"planId":"flying","planVersion":"1.0.0","projectId":"default","runId":"b2365281-e133-47e6-afe4-a137f8a4127d","runSeq":4,"stepId":"a","tenantId":"local"}', '{"result":{"n":1}}', '\x80e45904c8a6c102c7a8ca036f9df41c', 'a#1', 1, '759');
INSERT INTO keelson.events VALUES (6, 5, 1794843944964, 'StepStarted', '\x850f2c5e9e256b0e0f691f77aea872fdf9634066e1873cf38428b3eebd4341b8', '\x994a6e6f25d79c08469383c4b1d251093c10e0a9f65bdf463a0e487f552fb081', '{"decision":{"cause":"outcome:a:1:1","firstSeq":4},"emittedAt":"2026-11-16T15:45:44.784Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"31476fa3-4a8e-49fd-917b-063c52dda1a7","eventType":"StepStarted","idempotencyKey":"850f2c5e9e256b0e0f691f77aea872fdf9634066e1873cf38428b3eebd4341b8","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T15:45:44.784Z","timeoutAt":"2026-11-16T16:20:44.784Z"},"planId":"flying","planVersion":"1.0.0","projectId":"default","runId":"b2365281-e133-47e6-afe4-a137f8a4127d","runSeq":5,"stepId":"s","tenantId":"local"}', NULL, NULL, NULL, 1, '759');
INSERT INTO keelson.events VALUES (7, 1, 1794843948304, 'RunApproved', '\xa30494a786e6ecc64bdc3a314bb65f23eb0ff0ca8db3d4741889ff750d9a5a25', '\xacc25403dc7c447dcb7c24519306756ed625fab6f798a9fed79d2c37a38e80eb', '{"dataHash":"7b9fdd9fcb4d0188374337babf96003861bc9d9532505778fbb756a9d749e5f4","decision":{"cause":"admit","firstSeq":1},"emittedAt":"2026-11-16T15:45:48.224Z","emittedBy":"planner","engineAttemptId":1,"environmentId":"local","eventId":"0f4175f1-f245-434c-99d5-7d5adee89821","eventType":"RunApproved","idempotencyKey":"a30494a786e6ecc64bdc3a314bb65f23eb0ff0ca8db3d4741889ff750d9a5a25","logicalAttemptId":1,"payload":{"approvedBy":"policy:auto","origin":{}},"planId":"undoing","planVersion":"1.0.0","projectId":"default","runId":"7d46f884-90c6-4219-8bf1-807728f96b75","runSeq":1,"tenantId":"local"}', '{"input":{}}', '\xc3431295ca461410fa4e798359577a1f', NULL, 1, '762');
INSERT INTO keelson.events VALUES (7, 2, 1794843948304, 'RunStarted', '\xc8b45eb0b1ba739759fd071d60d434eb48c6f32ef775c43ef2f08a6bd6cc7800', '\x00604d4ac169c473eb4da9c93625480f5548abf0ff9ad435ba6dfc00d6bc813b', '{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T15:45:48.224Z","emittedBy":"engine","engineAttemptId":1,"environmentId":"local","eventId":"b65a31b1-5afe-4e58-9095-8ef071138f46","eventType":"RunStarted","idempotencyKey":"c8b45eb0b1ba739759fd071d60d434eb48c6f32ef775c43ef2f08a6bd6cc7800","logicalAttemptId":1,"payload":{"context":{"environmentId":"local","projectId":"default","tenantId":"local","triggerSource":"manual","triggeredBy":"local"},"engineRunRef":"embedded://7d46f884-90c6-4219-8bf1-807728f96b75","engineType":"embedded","epoch":1,"maxInFlight":10000,"planRef":{"planId":"undoing","planVersion":"1.0.0","schemaVersion":"v1.0","sha256":"59669516435ef9c1bd1ab5d9a46ecf0be5d71d307218f3a92d679cb9e7111e43","uri":"plan:sha256:59669516435ef9c1bd1ab5d9a46ecf0be5d71d307218f3a92d679cb9e7111e43"},"rulesVersion":5,"startedAt":"2026-11-16T15:45:48.224Z","status":"RUNNING"},"planId":"undoing","planVersion":"1.0.0","projectId":"default","runId":"7d46f884-90c6-4219-8bf1-807728f96b75","runSeq":2,"tenantId":"local"}', NULL, NULL, NULL, 1, '762');
INSERT INTO keelson.events VALUES (7, 3, 1794843948304, 'StepStarted', '\x88c6887b9f83b7218d94f41aee051d17ac06028b9ff59823c039faeec34be4e1', '\xb40a9f91e9b579392450529eb170b436daec9b9b3ee9b8f913f3ea0d75a75b7a', '{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T15:45:48.224Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"43bdbce5-781f-4eef-ad6c-34d15a3921e4","eventType":"StepStarted","idempotencyKey":"88c6887b9f83b7218d94f41aee051d17ac06028b9ff59823c039faeec34be4e1","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T15:45:48.224Z","timeoutAt":"2026-11-16T16:20:48.224Z"},"planId":"undoing","planVersion":"1.0.0","projectId":"default","runId":"7d46f884-90c6-4219-8bf1-807728f96b75","runSeq":3,"stepId":"one","tenantId":"local"}', NULL, NULL, NULL, 1, '762');
INSERT INTO keelson.events VALUES (7, 4, 1794843948548, 'StepCompleted', '\x2bdc1d35a5bdd323e5866f27816029861919fc4e469d697df7e895d9fb56847e', '\x3c13dffc197e410679b4521be477d3e88a45e521ade67f5a7f9c117eb14ae077', '{"dataHash":"3df5a15290420e27e8310cebbbfd3cb67785661635a95b18995b6312117068ac","decision":{"cause":"outcome:one:1:1","firstSeq":4},"emittedAt":"2026-11-16T15:45:48.394Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"b14c4e08-8de0-46f6-9c19-292e44cca0cd","eventType":"StepCompleted","idempotencyKey":"2bdc1d35a5bdd323e5866f27816029861919fc4e469d697df7e895d9fb56847e","logicalAttemptId":1,"payload":{"artifactRefs":[],"completedAt":"2026-11-16T15:45:48.394Z","durationMs":29},"planId":"undoing","planVersion":"1.0.0","projectId":"default","runId":"7d46f884-90c6-4219-8bf1-807728f96b75","runSeq":4,"stepId":"one","tenantId":"local"}', '{"result":{"n":1}}', '\xc9969389171b5af20b857b58582839b9', 'one#1', 1, '764');
INSERT INTO keelson.events VALUES (7, 5, 1794843948548, 'StepStarted', '\x5d3e5d9dc27b6e9aa4140a230ae857bbd52759c04882ae2f645729ac2387a9cf', '\x36f46ae9f368b632c6abd0d12a26d27fb54acd3632cfafaac5adc673069ccf53', '{"decision":{"cause":"outcome:one:1:1","firstSeq":4},"emittedAt":"2026-11-16T15:45:48.394Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"c8aa8a53-a392-4a21-a36a-137ecdc60304","eventType":"StepStarted","idempotencyKey":"5d3e5d9dc27b6e9aa4140a230ae857bbd52759c04882ae2f645729ac2387a9cf","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T15:45:48.394Z","timeoutAt":"2026-11-16T16:20:48.394Z"},"planId":"undoing","planVersion":"1.0.0","projectId":"default","runId":"7d46f884-90c6-4219-8bf1-807728f96b75","runSeq":5,"stepId":"stuck","tenantId":"local"}', NULL, NULL, NULL, 1, '764');
INSERT INTO keelson.events VALUES (7, 6, 1794843948592, 'StepCompleted', '\x998d22104f62e22ff061ec59b570ccb063697471cd7ad98f794cf21a25726b52', '\xc8e72a7233254e3e023942a825fa270a5a72df7da3f6a13ca02f7a91b2fdbc45', '{"dataHash":"69e4b4451bb1a2dd705b9911efb9c8621c07f3c5a08236c2dd6b3335e9d76bd0","decision":{"cause":"outcome:stuck:1:1","firstSeq":6},"emittedAt":"2026-11-16T15:45:48.569Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"5e98a696-8dfe-4fa0-9ae9-acbdbb9a83cf","eventType":"StepCompleted","idempotencyKey":"998d22104f62e22ff061ec59b570ccb063697471cd7ad98f794cf21a25726b52","logicalAttemptId":1,"payload":{"artifactRefs":[],"completedAt":"2026-11-16T15:45:48.569Z","durationMs":1},"planId":"undoing","planVersion":"1.0.0","projectId":"default","runId":"7d46f884-90c6-4219-8bf1-807728f96b75","runSeq":6,"stepId":"stuck","tenantId":"local"}', '{"result":{"n":1}}', '\xb24843609743005d7f982e49555c165e', 'stuck#1', 1, '765');
INSERT INTO keelson.events VALUES (7, 7, 1794843948592, 'StepStarted', '\x9ae1694c91ae3fee67762afa07a02ca5eb1aaf7554a96dfecf5309dc0009163d', '\x4a007c7f52df49ecc2d70699c7e236faa381ce232c1f19fa05d9a162a01e42fe', '{"decision":{"cause":"outcome:stuck:1:1","firstSeq":6},"emittedAt":"2026-11-16T15:45:48.569Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"730cde7f-ae7d-4b9c-8f45-24723efc517f","eventType":"StepStarted","idempotencyKey":"9ae1694c91ae3fee67762afa07a02ca5eb1aaf7554a96dfecf5309dc0009163d","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T15:45:48.569Z","timeoutAt":"2026-11-16T16:20:48.569Z"},"planId":"undoing","planVersion":"1.0.0","projectId":"default","runId":"7d46f884-90c6-4219-8bf1-807728f96b75","runSeq":7,"stepId":"bad","tenantId":"local"}', NULL, NULL, NULL, 1, '765');
INSERT INTO keelson.events VALUES (7, 8, 1794843948714, 'StepFailed', '\x0542c527d93d4b88931996358510ae359a779b23be7cc5ed1f2e797b1be52a84', '\x5539e2205cea5914ba2eff3133055352ad2359848bc820546e61d53ec1f9f06a', '{"dataHash":"e23c2f4ffc83dcfb78080cbc9f8d15c602e57cb0f4695f182b5238a01c7bbe16","decision":{"cause":"outcome:bad:1:1","firstSeq":8},"emittedAt":"2026-11-16T15:45:48.606Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"339ce466-8ecb-4897-b671-ceb30ebef6f4","eventType":"StepFailed","idempotencyKey":"0542c527d93d4b88931996358510ae359a779b23be7cc5ed1f2e797b1be52a84","logicalAttemptId":1,"payload":{"durationMs":4,"error":{"category":"validation","code":"HANDLER_FAILED","errorClass":"validation","failureCategory":"USER","retryable":false,"statusCode":400},"failedAt":"2026-11-16T15:45:48.606Z","final":true},"planId":"undoing","planVersion":"1.0.0","projectId":"default","runId":"7d46f884-90c6-4219-8bf1-807728f96b75","runSeq":8,"stepId":"bad","tenantId":"local"}', '{"errorText":{"message":"no","stackTrace":"Error: no"}}', '\xb3f236b4b052a2fa51fc6d5a88a2416a', 'bad#1', 1, '766');
INSERT INTO keelson.events VALUES (7, 9, 1794843948714, 'CompensationStarted', '\xe039ab8a7f3f5c561670918bbe2a7f4a4c4903a654b1471b90a1be20a8594ccd', '\xf7eac5034dbc9b3c30768dfa469728bac074bc1cbd32e27b8cd4296f4f61c106', '{"decision":{"cause":"outcome:bad:1:1","firstSeq":8},"emittedAt":"2026-11-16T15:45:48.606Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"0e33f71c-b186-4f03-b5e9-ee1bdd1a9af8","eventType":"CompensationStarted","idempotencyKey":"e039ab8a7f3f5c561670918bbe2a7f4a4c4903a654b1471b90a1be20a8594ccd","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T15:45:48.606Z","timeoutAt":"2026-11-16T16:20:48.606Z"},"planId":"undoing","planVersion":"1.0.0","projectId":"default","runId":"7d46f884-90c6-4219-8bf1-807728f96b75","runSeq":9,"stepId":"stuck","tenantId":"local"}', NULL, NULL, NULL, 1, '766');
INSERT INTO keelson.events VALUES (8, 1, 1794843951277, 'RunApproved', '\xaf9722b0ab39afd051b2482827bd390cc6eecd696abdee40e56803f69f6b048b', '\x99c43028913430e17bfafa1d78dfe5309dfc5bcc160a5099f3fd111c07256a89', '{"dataHash":"5dbe77f859c2eb32bf7cf568dfb38b9fe16e94a4b07d6847c81d272388628a67","decision":{"cause":"admit","firstSeq":1},"emittedAt":"2026-11-16T15:45:51.104Z","emittedBy":"planner","engineAttemptId":1,"environmentId":"local","eventId":"5146f09d-03f4-4fa1-b749-5b254c5b85fc","eventType":"RunApproved","idempotencyKey":"af9722b0ab39afd051b2482827bd390cc6eecd696abdee40e56803f69f6b048b","logicalAttemptId":1,"payload":{"approvedBy":"policy:auto","origin":{}},"planId":"fan","planVersion":"1.0.0","projectId":"default","runId":"bf41c22f-97c2-4ef2-b205-3fec8a9ce065","runSeq":1,"tenantId":"local"}', '{"input":{}}', '\xf74a910f3eef09fad8d8d4f733dac4b0', NULL, 1, '769');
INSERT INTO keelson.events VALUES (8, 2, 1794843951277, 'RunStarted', '\x231f466564eaa10b8f635a759f69feacbcc7bd3914ad7785a68fdb92df52ba4b', '\xa715cf97e348efa3008ec0c3d9b8c9de73aa6698dc7660c84a7128223646c8b9', '{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T15:45:51.104Z","emittedBy":"engine","engineAttemptId":1,"environmentId":"local","eventId":"d02ea347-07d7-41d0-a8d5-0c878e3357c8","eventType":"RunStarted","idempotencyKey":"231f466564eaa10b8f635a759f69feacbcc7bd3914ad7785a68fdb92df52ba4b","logicalAttemptId":1,"payload":{"context":{"environmentId":"local","projectId":"default","tenantId":"local","triggerSource":"manual","triggeredBy":"local"},"engineRunRef":"embedded://bf41c22f-97c2-4ef2-b205-3fec8a9ce065","engineType":"embedded","epoch":1,"maxInFlight":10000,"planRef":{"planId":"fan","planVersion":"1.0.0","schemaVersion":"v1.0","sha256":"01e36402425bd54ec3e676d644cf57019ebdbe5aacc9375a2bdd9612e7d88f96","uri":"plan:sha256:01e36402425bd54ec3e676d644cf57019ebdbe5aacc9375a2bdd9612e7d88f96"},"rulesVersion":5,"startedAt":"2026-11-16T15:45:51.104Z","status":"RUNNING"},"planId":"fan","planVersion":"1.0.0","projectId":"default","runId":"bf41c22f-97c2-4ef2-b205-3fec8a9ce065","runSeq":2,"tenantId":"local"}', NULL, NULL, NULL, 1, '769');
INSERT INTO keelson.events VALUES (8, 3, 1794843951613, 'StepStarted', '\x0eb94dec37c7dde8fb3396960407c0d8d339b1764a8f1d8c1f57e37559aeca3c', '\xef8982d3128195aba853f94a800f1fcba7f79d261526c4dc5e05b87ad097d4a0', '{"dataHash":"07009735b8be67f332dc9d46469133165ee6cfea025e1e619cbdbdb2d550caa9","decision":{"cause":"cut:3","firstSeq":3},"emittedAt":"2026-11-16T15:45:51.415Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"2211df4b-fc77-4ab6-9860-a34436369cf4","eventType":"StepStarted","idempotencyKey":"0eb94dec37c7dde8fb3396960407c0d8d339b1764a8f1d8c1f57e37559aeca3c","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T15:45:51.415Z"},"planId":"fan","planVersion":"1.0.0","projectId":"default","runId":"bf41c22f-97c2-4ef2-b205-3fec8a9ce065","runSeq":3,"stepId":"list","tenantId":"local"}', '{"facts":{"items":{"count":3,"ref":"blob:a615eeaee21de5179de080de8c3052c8da901138406ba71c38c032845f7d54f4","sha256":"a615eeaee21de5179de080de8c3052c8da901138406ba71c38c032845f7d54f4"}}}', '\x2ac3b7dbebc358be43fe85506a1ae042', NULL, 1, '772');
INSERT INTO keelson.events VALUES (8, 4, 1794843951613, 'FanOutExpanded', '\x862528de88491df36e579ff309ec7db10595d47138cb0f288e46742452846206', '\xac45947a22b1c4bf2b3796fc52603417be61fb9d2ae3a226c13929413877a505', '{"decision":{"cause":"cut:3","firstSeq":3},"emittedAt":"2026-11-16T15:45:51.415Z","emittedBy":"engine","engineAttemptId":1,"environmentId":"local","eventId":"a901a497-77c8-4c64-a35a-95566c9555f3","eventType":"FanOutExpanded","idempotencyKey":"862528de88491df36e579ff309ec7db10595d47138cb0f288e46742452846206","logicalAttemptId":1,"payload":{"count":3,"ref":"blob:a615eeaee21de5179de080de8c3052c8da901138406ba71c38c032845f7d54f4","sha256":"a615eeaee21de5179de080de8c3052c8da901138406ba71c38c032845f7d54f4"},"planId":"fan","planVersion":"1.0.0","projectId":"default","runId":"bf41c22f-97c2-4ef2-b205-3fec8a9ce065","runSeq":4,"stepId":"list","tenantId":"local"}', NULL, NULL, NULL, 1, '772');
INSERT INTO keelson.events VALUES (8, 5, 1794843951613, 'StepStarted', '\xee80c3e2d69904ae3e55579e010566b0154d81ed22bc5365bd5c1c054b0b6a94', '\x32f335a6b497a0178e84640294383a258cd4c7594aef5d51cbe6ecbda139111f', '{"decision":{"cause":"cut:3","firstSeq":3},"emittedAt":"2026-11-16T15:45:51.415Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"fab7d593-c310-440f-896d-017b700b7886","eventType":"StepStarted","idempotencyKey":"ee80c3e2d69904ae3e55579e010566b0154d81ed22bc5365bd5c1c054b0b6a94","itemIndex":0,"logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T15:45:51.415Z","timeoutAt":"2026-11-16T16:20:51.415Z"},"planId":"fan","planVersion":"1.0.0","projectId":"default","runId":"bf41c22f-97c2-4ef2-b205-3fec8a9ce065","runSeq":5,"stepId":"list","tenantId":"local"}', NULL, NULL, NULL, 1, '772');
INSERT INTO keelson.events VALUES (8, 6, 1794843951613, 'StepStarted', '\xbf3ce628362c41617e37225f34fbe52118e5a6465620994f5305f19a8cf96532', '\x395c481efc752a444809f7cb1a582431812100b845dec0605fe577fb2a9d26ad', '{"decision":{"cause":"cut:3","firstSeq":3},"emittedAt":"2026-11-16T15:45:51.415Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"c2658b31-a585-4926-a16c-2af3439a1b93","eventType":"StepStarted","idempotencyKey":"bf3ce628362c41617e37225f34fbe52118e5a6465620994f5305f19a8cf96532","itemIndex":1,"logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T15:45:51.415Z","timeoutAt":"2026-11-16T16:20:51.415Z"},"planId":"fan","planVersion":"1.0.0","projectId":"default","runId":"bf41c22f-97c2-4ef2-b205-3fec8a9ce065","runSeq":6,"stepId":"list","tenantId":"local"}', NULL, NULL, NULL, 1, '772');
INSERT INTO keelson.events VALUES (8, 7, 1794843951613, 'StepStarted', '\x20b48823ad73d3e7903f333f3a79bb77592d0a3437c6549e87f58a5ee6199feb', '\x931089a95cc56e302d99daee589da19b23c93888db13369cac8ff5eca71b33fb', '{"decision":{"cause":"cut:3","firstSeq":3},"emittedAt":"2026-11-16T15:45:51.415Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"8523a443-c9e9-4cd0-89cb-3117954a5922","eventType":"StepStarted","idempotencyKey":"20b48823ad73d3e7903f333f3a79bb77592d0a3437c6549e87f58a5ee6199feb","itemIndex":2,"logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T15:45:51.415Z","timeoutAt":"2026-11-16T16:20:51.415Z"},"planId":"fan","planVersion":"1.0.0","projectId":"default","runId":"bf41c22f-97c2-4ef2-b205-3fec8a9ce065","runSeq":7,"stepId":"list","tenantId":"local"}', NULL, NULL, NULL, 1, '772');
INSERT INTO keelson.events VALUES (9, 1, 1794843957579, 'RunApproved', '\xf7e69a53b99089df6697dcbc4a0f5ee03f873222413c7d1b76b76532e2c9a914', '\xd85f711c338053fc9cab75785b5d15c15e5cca4343b80bb48b89d45e2b95495a', '{"dataHash":"4bb69524997dbebe30afe0cc4fb663c9e9607fe0e2952146275a68e55b45b462","decision":{"cause":"admit","firstSeq":1},"emittedAt":"2026-11-16T15:45:57.448Z","emittedBy":"planner","engineAttemptId":1,"environmentId":"local","eventId":"93f9a461-ff62-4794-9a51-6fdb7b1adff1","eventType":"RunApproved","idempotencyKey":"f7e69a53b99089df6697dcbc4a0f5ee03f873222413c7d1b76b76532e2c9a914","logicalAttemptId":1,"payload":{"approvedBy":"policy:auto","origin":{}},"planId":"family","planVersion":"1.0.0","projectId":"default","runId":"296223cb-6f6c-4751-91ad-5cb14fec3a1b","runSeq":1,"tenantId":"local"}', '{"input":{}}', '\xad3cd610667c0da2e6c9878d5b021246', NULL, 1, '777');
INSERT INTO keelson.events VALUES (9, 2, 1794843957579, 'RunStarted', '\x93b2dcfd256844d360e75a5708f82558bf0abaef74019433c2021a08cd6b3e7b', '\xf952e98f4c87736302985e62ae962bede894aafb22c21af3a22607ac232802d6', '{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T15:45:57.448Z","emittedBy":"engine","engineAttemptId":1,"environmentId":"local","eventId":"b99cb3bd-c023-44d5-b36c-10f907ce2239","eventType":"RunStarted","idempotencyKey":"93b2dcfd256844d360e75a5708f82558bf0abaef74019433c2021a08cd6b3e7b","logicalAttemptId":1,"payload":{"children":[{"planId":"child","sha256":"f4460eec947ff9cc8e3a02808832a2fcc83a8873cf6f3e46e0debe89e7c78311"}],"context":{"environmentId":"local","projectId":"default","tenantId":"local","triggerSource":"manual","triggeredBy":"local"},"engineRunRef":"embedded://296223cb-6f6c-4751-91ad-5cb14fec3a1b","engineType":"embedded","epoch":1,"maxInFlight":10000,"planRef":{"planId":"family","planVersion":"1.0.0","schemaVersion":"v1.0","sha256":"435ae6cc5ba41e25c10ac91982d71cfe545a7a8c23dc4149b97be505aa5f1eb3","uri":"plan:sha256:435ae6cc5ba41e25c10ac91982d71cfe545a7a8c23dc4149b97be505aa5f1eb3"},"rulesVersion":5,"startedAt":"2026-11-16T15:45:57.448Z","status":"RUNNING"},"planId":"family","planVersion":"1.0.0","projectId":"default","runId":"296223cb-6f6c-4751-91ad-5cb14fec3a1b","runSeq":2,"tenantId":"local"}', NULL, NULL, NULL, 1, '777');
INSERT INTO keelson.events VALUES (9, 3, 1794843957579, 'StepStarted', '\xf8451638e3d7499876503cf596550fca86c6041bbde8a82fba1c237363c22039', '\xb4562f9f42ba753437ecac65c42401960b8582a59c6cfe3ec65df24581f8d7ca', '{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T15:45:57.448Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"d135f153-6588-445f-9745-c9c3b61fe3b3","eventType":"StepStarted","idempotencyKey":"f8451638e3d7499876503cf596550fca86c6041bbde8a82fba1c237363c22039","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T15:45:57.448Z"},"planId":"family","planVersion":"1.0.0","projectId":"default","runId":"296223cb-6f6c-4751-91ad-5cb14fec3a1b","runSeq":3,"stepId":"call","tenantId":"local"}', NULL, NULL, NULL, 1, '777');
INSERT INTO keelson.events VALUES (10, 1, 1794843957851, 'RunApproved', '\xa706bb0d9e68d8a6acc2e5887cb56a03583854f2d88e34e6f1659f93d4cf3908', '\xfcd7529d10d5d978f77d2fb74f453279859b8ccd13254382f3b94e6e24d42a01', '{"dataHash":"2ea5833175a7452c232eb756a54031c871739de53c9ffd73a507d290e0754132","decision":{"cause":"admit","firstSeq":1},"emittedAt":"2026-11-16T15:45:57.742Z","emittedBy":"planner","engineAttemptId":1,"environmentId":"local","eventId":"9f8d8b6e-9fd2-4c4e-aaa4-544494615fe8","eventType":"RunApproved","idempotencyKey":"a706bb0d9e68d8a6acc2e5887cb56a03583854f2d88e34e6f1659f93d4cf3908","logicalAttemptId":1,"payload":{"approvedBy":"policy:auto","origin":{}},"planId":"child","planVersion":"1.0.0","projectId":"default","runId":"b49a48ea-2fb7-4a9b-816d-ba59011841ed","runSeq":1,"tenantId":"local"}', '{"input":{}}', '\xee6b3666be693df53eadfccbd06906b7', NULL, 1, '779');
INSERT INTO keelson.events VALUES (10, 2, 1794843957851, 'RunStarted', '\xdbac2d65b5cb8c1f53fb6f0bd44c7a704527e66148c0a526584c9458bdcf9867', '\x8c66c02dc557fa85035602358cbdde416b1ffe468af3bb49b001396ea5697a7b', '{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T15:45:57.742Z","emittedBy":"engine","engineAttemptId":1,"environmentId":"local","eventId":"d1a1431f-85c5-44a1-a3a5-4aa240c26ed1","eventType":"RunStarted","idempotencyKey":"dbac2d65b5cb8c1f53fb6f0bd44c7a704527e66148c0a526584c9458bdcf9867","logicalAttemptId":1,"payload":{"context":{"correlationId":"296223cb-6f6c-4751-91ad-5cb14fec3a1b","environmentId":"local","projectId":"default","tenantId":"local","triggerSource":"api","triggeredBy":"local"},"engineRunRef":"embedded://b49a48ea-2fb7-4a9b-816d-ba59011841ed","engineType":"embedded","epoch":1,"maxInFlight":10000,"parent":{"attempt":1,"runId":"296223cb-6f6c-4751-91ad-5cb14fec3a1b","slot":"call"},"planRef":{"planId":"child","planVersion":"1.0.0","schemaVersion":"v1.0","sha256":"f4460eec947ff9cc8e3a02808832a2fcc83a8873cf6f3e46e0debe89e7c78311","uri":"plan:sha256:f4460eec947ff9cc8e3a02808832a2fcc83a8873cf6f3e46e0debe89e7c78311"},"rulesVersion":5,"startedAt":"2026-11-16T15:45:57.742Z","status":"RUNNING"},"planId":"child","planVersion":"1.0.0","projectId":"default","runId":"b49a48ea-2fb7-4a9b-816d-ba59011841ed","runSeq":2,"tenantId":"local"}', NULL, NULL, NULL, 1, '779');
INSERT INTO keelson.events VALUES (10, 3, 1794843957851, 'StepStarted', '\x361024899064b0a8483360cda1e5ed2f246e81b425e4eee5e397de46dbc12ceb', '\x304484a050101aa8987660221a5c4d72e0ccbe8ea7805bf94eb770de39a46aca', '{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T15:45:57.742Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"15c4fe35-0f81-4b29-858b-5e560edc9e1c","eventType":"StepStarted","idempotencyKey":"361024899064b0a8483360cda1e5ed2f246e81b425e4eee5e397de46dbc12ceb","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T15:45:57.742Z","timeoutAt":"2026-11-16T16:20:57.742Z"},"planId":"child","planVersion":"1.0.0","projectId":"default","runId":"b49a48ea-2fb7-4a9b-816d-ba59011841ed","runSeq":3,"stepId":"c","tenantId":"local"}', NULL, NULL, NULL, 1, '779');
INSERT INTO keelson.events VALUES (10, 4, 1794843957956, 'StepCompleted', '\xf64fc3c60671d67aee451a61d1102070798be556bc52d8940ddcb1d37658ff8f', '\x07f4d9bfef3ba2f8c1b6fbd33799c721dcf4656bc3c50378278d668b18753cef', '{"dataHash":"bd18f2af3c380edfbf6a544fddbac0524fe56125b6d77b8deaf400b9722088d3","decision":{"cause":"outcome:c:1:1","firstSeq":4},"emittedAt":"2026-11-16T15:45:57.887Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"c63d2866-2daa-4341-871b-f8acbf583cd3","eventType":"StepCompleted","idempotencyKey":"f64fc3c60671d67aee451a61d1102070798be556bc52d8940ddcb1d37658ff8f","logicalAttemptId":1,"payload":{"artifactRefs":[],"completedAt":"2026-11-16T15:45:57.887Z","durationMs":23},"planId":"child","planVersion":"1.0.0","projectId":"default","runId":"b49a48ea-2fb7-4a9b-816d-ba59011841ed","runSeq":4,"stepId":"c","tenantId":"local"}', '{"result":{"n":1}}', '\x7d2a51dab81986278914b812ddc4cca8', 'c#1', 1, '780');
INSERT INTO keelson.events VALUES (10, 5, 1794843957956, 'StepStarted', '\x1e8511e29cb0946bc107275f2e363e6f2766ad6846b21fd87f0660e3bae57bde', '\x6cb9172f92b93a3680603dfbce6d900214f4711ae9857e28b1a737b6ff1011fc', '{"decision":{"cause":"outcome:c:1:1","firstSeq":4},"emittedAt":"2026-11-16T15:45:57.887Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"30f6100b-6830-49ac-957f-8b02f01c9e2a","eventType":"StepStarted","idempotencyKey":"1e8511e29cb0946bc107275f2e363e6f2766ad6846b21fd87f0660e3bae57bde","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T15:45:57.887Z"},"planId":"child","planVersion":"1.0.0","projectId":"default","runId":"b49a48ea-2fb7-4a9b-816d-ba59011841ed","runSeq":5,"stepId":"sign","tenantId":"local"}', NULL, NULL, NULL, 1, '780');
INSERT INTO keelson.events VALUES (10, 6, 1794843957956, 'ManualTaskOpened', '\xef0a7e5d7a1dd396e44d062311fe643ef12bbf8f612cab13e8cf1c645ce444e2', '\x8e342a372323ae60a24e97d9654b5f970781722f9a4b20bc7e00eb59b5d1c114', '{"decision":{"cause":"outcome:c:1:1","firstSeq":4},"emittedAt":"2026-11-16T15:45:57.887Z","emittedBy":"engine","engineAttemptId":1,"environmentId":"local","eventId":"3d4af056-e07a-4bd3-8b6a-31fe77d5ebe0","eventType":"ManualTaskOpened","idempotencyKey":"ef0a7e5d7a1dd396e44d062311fe643ef12bbf8f612cab13e8cf1c645ce444e2","logicalAttemptId":1,"payload":{"attempt":1,"openedAt":"2026-11-16T15:45:57.887Z"},"planId":"child","planVersion":"1.0.0","projectId":"default","runId":"b49a48ea-2fb7-4a9b-816d-ba59011841ed","runSeq":6,"stepId":"sign","tenantId":"local"}', NULL, NULL, NULL, 1, '780');
INSERT INTO keelson.events VALUES (11, 1, 1794843961949, 'RunApproved', '\x20148204554e003c6523ec30c49884ca8da563fb566fb429297ac4041f708738', '\x3472ae4ce98a5bfd9399975fef4392ee0b9d50e35d701bff3b009616a841d621', '{"dataHash":"d2284b9d99f459d0d932425e76eec0378c2ab24ce32bc32b5e1114fa6db67226","decision":{"cause":"admit","firstSeq":1},"emittedAt":"2026-11-16T15:46:01.882Z","emittedBy":"planner","engineAttemptId":1,"environmentId":"local","eventId":"a5f87a0f-de03-4be6-a812-469e521d127f","eventType":"RunApproved","idempotencyKey":"20148204554e003c6523ec30c49884ca8da563fb566fb429297ac4041f708738","logicalAttemptId":1,"payload":{"approvedBy":"policy:auto","origin":{}},"planId":"backoff","planVersion":"1.0.0","projectId":"default","runId":"cfc2b566-c2c7-48aa-bb82-e2167766379d","runSeq":1,"tenantId":"local"}', '{"input":{}}', '\xaf0033818a0098f636c1f8ae06a9cbc7', NULL, 1, '783');
INSERT INTO keelson.events VALUES (11, 2, 1794843961949, 'RunStarted', '\xda17c2d857e0f32037998fd4d22d8536ec1cd04bcd698f6b2c90f629e2093e45', '\x047a9e5cf8e3643b4497789baff7b3e6c8abaa21b93780d73f4391b6f84d24c8', '{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T15:46:01.882Z","emittedBy":"engine","engineAttemptId":1,"environmentId":"local","eventId":"1cdf1923-4c43-452a-8be5-2875ae999797","eventType":"RunStarted","idempotencyKey":"da17c2d857e0f32037998fd4d22d8536ec1cd04bcd698f6b2c90f629e2093e45","logicalAttemptId":1,"payload":{"context":{"environmentId":"local","projectId":"default","tenantId":"local","triggerSource":"manual","triggeredBy":"local"},"engineRunRef":"embedded://cfc2b566-c2c7-48aa-bb82-e2167766379d","engineType":"embedded","epoch":1,"maxInFlight":10000,"planRef":{"planId":"backoff","planVersion":"1.0.0","schemaVersion":"v1.0","sha256":"7936891d30a8f84f08374a8c5b63303df85a7d11203577eea9c781da7dc70f7f","uri":"plan:sha256:7936891d30a8f84f08374a8c5b63303df85a7d11203577eea9c781da7dc70f7f"},"rulesVersion":5,"startedAt":"2026-11-16T15:46:01.882Z","status":"RUNNING"},"planId":"backoff","planVersion":"1.0.0","projectId":"default","runId":"cfc2b566-c2c7-48aa-bb82-e2167766379d","runSeq":2,"tenantId":"local"}', NULL, NULL, NULL, 1, '783');
INSERT INTO keelson.events VALUES (11, 3, 1794843961949, 'StepStarted', '\x90b32afc0beb68fff072f3a2cffb04979b239f3fccf46e67612b20460c40cf55', '\xf1cb468c38926f8ce1fc9d78c2bacfb29defb4153dfe397a95ba50f9981e896b', '{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T15:46:01.882Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"45c833ec-77f4-40f4-b8e8-c54d8d6d5f85","eventType":"StepStarted","idempotencyKey":"90b32afc0beb68fff072f3a2cffb04979b239f3fccf46e67612b20460c40cf55","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T15:46:01.882Z","timeoutAt":"2026-11-16T16:21:01.882Z"},"planId":"backoff","planVersion":"1.0.0","projectId":"default","runId":"cfc2b566-c2c7-48aa-bb82-e2167766379d","runSeq":3,"stepId":"shaky","tenantId":"local"}', NULL, NULL, NULL, 1, '783');
INSERT INTO keelson.events VALUES (11, 4, 1794843962226, 'StepFailed', '\x38ce36e8d8c0b0ca18fa6009f02e4720154076a78d703ba01c77699e088d88d8', '\x8a2ae77f3d262aa4187258446716186ae2c5623eb4b6b93b3c0f558e4b5ec028', '{"dataHash":"c16043ffb1c93f9daa8f6b68ab07f1c247446534d38c06197b3d5400a20ebb86","decision":{"cause":"outcome:shaky:1:1","firstSeq":4},"emittedAt":"2026-11-16T15:46:02.040Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"1321e1a3-b74f-4c7f-9264-4c2fdeb941f0","eventType":"StepFailed","idempotencyKey":"38ce36e8d8c0b0ca18fa6009f02e4720154076a78d703ba01c77699e088d88d8","logicalAttemptId":1,"payload":{"durationMs":27,"error":{"category":"infrastructure","code":"HANDLER_FAILED","errorClass":"5xx","failureCategory":"SYSTEM","retryable":true,"statusCode":503},"failedAt":"2026-11-16T15:46:02.040Z","final":false,"retryAt":"2026-11-16T15:46:03.540Z"},"planId":"backoff","planVersion":"1.0.0","projectId":"default","runId":"cfc2b566-c2c7-48aa-bb82-e2167766379d","runSeq":4,"stepId":"shaky","tenantId":"local"}', '{"errorText":{"message":"busy","stackTrace":"Error: busy"}}', '\xfb3912caa231f993b157e4a71fd2558a', 'shaky#1', 1, '785');
INSERT INTO keelson.events VALUES (12, 1, 1794843964358, 'RunApproved', '\xa571f755bbcad7a8a17d9e370178f4efca677b5fd34580af0078853f0fb5cae1', '\xf7b52ede554a3f683dc7d84107e0ddcf2f3a0af9ba743480a84fdfd513923f45', '{"dataHash":"1467d62353a96df3d24cbe8452ae276d725b7435cd5ca7f08c2f811fa53e9da3","decision":{"cause":"admit","firstSeq":1},"emittedAt":"2026-11-16T15:46:04.224Z","emittedBy":"planner","engineAttemptId":1,"environmentId":"local","eventId":"98d286bd-f277-4a9d-be07-198fd1f3a743","eventType":"RunApproved","idempotencyKey":"a571f755bbcad7a8a17d9e370178f4efca677b5fd34580af0078853f0fb5cae1","logicalAttemptId":1,"payload":{"approvedBy":"policy:auto","origin":{}},"planId":"held","planVersion":"1.0.0","projectId":"default","runId":"a28fc823-1d30-47ba-a5e3-e28522122190","runSeq":1,"tenantId":"local"}', '{"input":{}}', '\x34a27bd36b3aa350a5fcaeb3612710c6', NULL, 1, '788');
INSERT INTO keelson.events VALUES (12, 2, 1794843964358, 'RunStarted', '\x2724ebb83dfbedc52af3660ceea3a3d5112a8c5584371a7d4f7af9ac8d223cc7', '\x4c875a4c4223b860add8fa17e125d90e686142ef5daeafa60bc834182bf0a8ae', '{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T15:46:04.224Z","emittedBy":"engine","engineAttemptId":1,"environmentId":"local","eventId":"379597b4-667b-4eee-9b94-73b8cf0fe008","eventType":"RunStarted","idempotencyKey":"2724ebb83dfbedc52af3660ceea3a3d5112a8c5584371a7d4f7af9ac8d223cc7","logicalAttemptId":1,"payload":{"context":{"environmentId":"local","projectId":"default","tenantId":"local","triggerSource":"manual","triggeredBy":"local"},"engineRunRef":"embedded://a28fc823-1d30-47ba-a5e3-e28522122190","engineType":"embedded","epoch":1,"maxInFlight":10000,"planRef":{"planId":"held","planVersion":"1.0.0","schemaVersion":"v1.0","sha256":"96a3f3963f27aa0861ac32ced9b8659f5dcddc131ef16ef3e600244a2372ef58","uri":"plan:sha256:96a3f3963f27aa0861ac32ced9b8659f5dcddc131ef16ef3e600244a2372ef58"},"rulesVersion":5,"startedAt":"2026-11-16T15:46:04.224Z","status":"RUNNING"},"planId":"held","planVersion":"1.0.0","projectId":"default","runId":"a28fc823-1d30-47ba-a5e3-e28522122190","runSeq":2,"tenantId":"local"}', NULL, NULL, NULL, 1, '788');
INSERT INTO keelson.events VALUES (12, 3, 1794843964358, 'StepStarted', '\x79a4ab345a72c10fd75d4e0770e42b361c5af677785a6f18070516405a2b2ca1', '\x3a0a40171d0a32d15d8199f1ca2e1c1cae62319ffaf528fd825c521c7d936ced', '{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T15:46:04.224Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"55c30eb5-256a-494c-a15c-b3cfaeb83dd4","eventType":"StepStarted","idempotencyKey":"79a4ab345a72c10fd75d4e0770e42b361c5af677785a6f18070516405a2b2ca1","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T15:46:04.224Z","timeoutAt":"2026-11-16T16:21:04.224Z"},"planId":"held","planVersion":"1.0.0","projectId":"default","runId":"a28fc823-1d30-47ba-a5e3-e28522122190","runSeq":3,"stepId":"shaky","tenantId":"local"}', NULL, NULL, NULL, 1, '788');
INSERT INTO keelson.events VALUES (12, 4, 1794843964676, 'StepFailed', '\xf59f66bf1317cebada703d8cfd57f9c0c01b28e64d37f557956a479945e5239b', '\xc615bde6e99bb7c06ceb641da519ea9c0914eb6cfe7b0e030ab8ec760e33b6a6', '{"dataHash":"5d4388cd379ba86e2e2a2afd3eceda37c84226eefbb0c482bcdaaf6457f18229","decision":{"cause":"outcome:shaky:1:1","firstSeq":4},"emittedAt":"2026-11-16T15:46:04.517Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"f9b6a821-c95f-4039-b014-728beb01cfc7","eventType":"StepFailed","idempotencyKey":"f59f66bf1317cebada703d8cfd57f9c0c01b28e64d37f557956a479945e5239b","logicalAttemptId":1,"payload":{"durationMs":115,"error":{"category":"validation","code":"HANDLER_FAILED","errorClass":"validation","failureCategory":"USER","retryable":false,"statusCode":400},"failedAt":"2026-11-16T15:46:04.517Z","final":true},"planId":"held","planVersion":"1.0.0","projectId":"default","runId":"a28fc823-1d30-47ba-a5e3-e28522122190","runSeq":4,"stepId":"shaky","tenantId":"local"}', '{"errorText":{"message":"no","stackTrace":"Error: no"}}', '\xaeff013ff774ad8d6735acb4c67fbcdb', 'shaky#1', 1, '790');

INSERT INTO keelson.feed_cursors VALUES ('receipts', 1, 5);

INSERT INTO keelson.feed_generation VALUES (true, 1);

INSERT INTO keelson.feed_subscribers VALUES ('receipts', 1, '729', 1);

INSERT INTO keelson.migrations VALUES (1, '0001-runs-and-events.sql', '2026-11-16 15:45:09.625752+00');
INSERT INTO keelson.migrations VALUES (2, '0002-append-only.sql', '2026-11-16 15:45:09.625752+00');
INSERT INTO keelson.migrations VALUES (3, '0003-inbox-context-blobs.sql', '2026-11-16 15:45:09.625752+00');
INSERT INTO keelson.migrations VALUES (4, '0004-plans-snapshots-claims.sql', '2026-11-16 15:45:09.625752+00');
INSERT INTO keelson.migrations VALUES (5, '0005-commit.sql', '2026-11-16 15:45:09.625752+00');
INSERT INTO keelson.migrations VALUES (6, '0006-letters.sql', '2026-11-16 15:45:09.625752+00');
INSERT INTO keelson.migrations VALUES (7, '0007-counts.sql', '2026-11-16 15:45:09.625752+00');
INSERT INTO keelson.migrations VALUES (8, '0008-feed.sql', '2026-11-16 15:45:09.625752+00');
INSERT INTO keelson.migrations VALUES (9, '0009-grants.sql', '2026-11-16 15:45:09.625752+00');
INSERT INTO keelson.migrations VALUES (10, '0010-grant-queue.sql', '2026-11-16 15:45:09.625752+00');
INSERT INTO keelson.migrations VALUES (11, '0011-archive.sql', '2026-11-16 15:45:09.625752+00');
INSERT INTO keelson.migrations VALUES (12, '0012-commit.sql', '2026-11-16 15:45:09.625752+00');
INSERT INTO keelson.migrations VALUES (13, '0013-refused-waits.sql', '2026-11-16 15:45:09.625752+00');
INSERT INTO keelson.migrations VALUES (14, '0014-engine-refs.sql', '2026-11-16 15:45:09.625752+00');
INSERT INTO keelson.migrations VALUES (15, '0015-letters-to-ended.sql', '2026-11-16 15:45:09.625752+00');
INSERT INTO keelson.migrations VALUES (16, '0016-archived-to.sql', '2026-11-16 15:45:09.625752+00');
INSERT INTO keelson.migrations VALUES (17, '0017-deaths.sql', '2026-11-16 15:45:09.625752+00');
INSERT INTO keelson.migrations VALUES (18, '0018-plans-of-tenants.sql', '2026-11-16 15:45:09.625752+00');
INSERT INTO keelson.migrations VALUES (19, '0019-roles.sql', '2026-11-16 15:45:09.625752+00');
INSERT INTO keelson.migrations VALUES (20, '0020-run-ids-of-tenants.sql', '2026-11-16 15:45:09.625752+00');
INSERT INTO keelson.migrations VALUES (21, '0021-doing.sql', '2026-11-16 15:45:09.625752+00');

INSERT INTO keelson.plan_publications OVERRIDING SYSTEM VALUE VALUES (1, 'local', 'done', '1.0.0', 'c60d90d53b6ac3722ef9f496d6bac22baa13994c9f5402d3a359170f198fb3bf', false);
INSERT INTO keelson.plan_publications OVERRIDING SYSTEM VALUE VALUES (2, 'local', 'queued', '1.0.0', '4f207838512935869d56b92ae5ed63c03c3f5d6bf72bee218777674b836258e8', false);
INSERT INTO keelson.plan_publications OVERRIDING SYSTEM VALUE VALUES (3, 'local', 'timed', '1.0.0', '1129f514685d0fe95029b092855dbda2a767c7ef6df246ef6f20b069df779d97', false);
INSERT INTO keelson.plan_publications OVERRIDING SYSTEM VALUE VALUES (4, 'local', 'manual', '1.0.0', '6ee80a4b1329f30321c5ecd376ca5c95c6c355b8736c00cb7bba5c7a5f0b273d', false);
INSERT INTO keelson.plan_publications OVERRIDING SYSTEM VALUE VALUES (5, 'local', 'paused', '1.0.0', '44fdbca651f24a18250f14d33cd28a347f46859d80876f936972fcf79b0da71e', false);
INSERT INTO keelson.plan_publications OVERRIDING SYSTEM VALUE VALUES (6, 'local', 'flying', '1.0.0', '1b382bbc7863b178a3928de70ae041f170b74df05375aceb370427ab0d46a1a2', false);
INSERT INTO keelson.plan_publications OVERRIDING SYSTEM VALUE VALUES (7, 'local', 'undoing', '1.0.0', '59669516435ef9c1bd1ab5d9a46ecf0be5d71d307218f3a92d679cb9e7111e43', false);
INSERT INTO keelson.plan_publications OVERRIDING SYSTEM VALUE VALUES (8, 'local', 'fan', '1.0.0', '01e36402425bd54ec3e676d644cf57019ebdbe5aacc9375a2bdd9612e7d88f96', false);
INSERT INTO keelson.plan_publications OVERRIDING SYSTEM VALUE VALUES (9, 'local', 'child', '1.0.0', 'f4460eec947ff9cc8e3a02808832a2fcc83a8873cf6f3e46e0debe89e7c78311', false);
INSERT INTO keelson.plan_publications OVERRIDING SYSTEM VALUE VALUES (10, 'local', 'family', '1.0.0', '435ae6cc5ba41e25c10ac91982d71cfe545a7a8c23dc4149b97be505aa5f1eb3', false);
INSERT INTO keelson.plan_publications OVERRIDING SYSTEM VALUE VALUES (11, 'local', 'backoff', '1.0.0', '7936891d30a8f84f08374a8c5b63303df85a7d11203577eea9c781da7dc70f7f', false);
INSERT INTO keelson.plan_publications OVERRIDING SYSTEM VALUE VALUES (12, 'local', 'held', '1.0.0', '96a3f3963f27aa0861ac32ced9b8659f5dcddc131ef16ef3e600244a2372ef58', false);

INSERT INTO keelson.plans OVERRIDING SYSTEM VALUE VALUES (1, 'c60d90d53b6ac3722ef9f496d6bac22baa13994c9f5402d3a359170f198fb3bf', 'done', '1.0.0', '{"context":{},"metadata":{"fallbackBehavior":"reject","planId":"done","planVersion":"1.0.0","targetAdapter":"any"},"policy":{"concurrency":10,"onFailure":"failFast","retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"timeoutMs":300000},"schemaVersion":"v1.0","steps":[{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":1,"priority":0,"retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"run":"f","stepId":"a","timeoutMs":300000,"with":{}}]}', 'local', false);
INSERT INTO keelson.plans OVERRIDING SYSTEM VALUE VALUES (3, '4f207838512935869d56b92ae5ed63c03c3f5d6bf72bee218777674b836258e8', 'queued', '1.0.0', '{"context":{},"metadata":{"fallbackBehavior":"reject","planId":"queued","planVersion":"1.0.0","targetAdapter":"any"},"policy":{"concurrency":10,"onFailure":"failFast","retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"timeoutMs":300000},"schemaVersion":"v1.0","steps":[{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":1,"priority":0,"retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"run":"f","stepId":"a","timeoutMs":300000,"with":{}}]}', 'local', false);
INSERT INTO keelson.plans OVERRIDING SYSTEM VALUE VALUES (5, '1129f514685d0fe95029b092855dbda2a767c7ef6df246ef6f20b069df779d97', 'timed', '1.0.0', '{"context":{},"metadata":{"fallbackBehavior":"reject","planId":"timed","planVersion":"1.0.0","targetAdapter":"any"},"output":{"n":"${steps.b.output.n}"},"policy":{"concurrency":10,"onFailure":"failFast","retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"timeoutMs":300000},"schemaVersion":"v1.0","steps":[{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":1,"priority":0,"retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"run":"f","stepId":"a","timeoutMs":300000,"with":{}},{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":2,"priority":0,"retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"stepId":"nap","timeoutMs":300000,"wait":{"forMs":4000},"with":{}},{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":3,"priority":0,"retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"run":"f","stepId":"b","timeoutMs":300000,"with":{"n":"${steps.a.output.n}"}}]}', 'local', false);
INSERT INTO keelson.plans OVERRIDING SYSTEM VALUE VALUES (7, '6ee80a4b1329f30321c5ecd376ca5c95c6c355b8736c00cb7bba5c7a5f0b273d', 'manual', '1.0.0', '{"context":{},"metadata":{"fallbackBehavior":"reject","planId":"manual","planVersion":"1.0.0","targetAdapter":"any"},"policy":{"concurrency":10,"onFailure":"failFast","retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"timeoutMs":300000},"schemaVersion":"v1.0","steps":[{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":1,"priority":0,"retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"run":"f","stepId":"a","timeoutMs":300000,"with":{}},{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","manual":{"title":"Sign it"},"order":2,"priority":0,"retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"stepId":"sign","timeoutMs":300000,"with":{}},{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":3,"priority":0,"retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"run":"f","stepId":"b","timeoutMs":300000,"with":{}}]}', 'local', false);
INSERT INTO keelson.plans OVERRIDING SYSTEM VALUE VALUES (9, '44fdbca651f24a18250f14d33cd28a347f46859d80876f936972fcf79b0da71e', 'paused', '1.0.0', '{"context":{},"metadata":{"fallbackBehavior":"reject","planId":"paused","planVersion":"1.0.0","targetAdapter":"any"},"policy":{"concurrency":10,"onFailure":"failFast","retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"timeoutMs":300000},"schemaVersion":"v1.0","steps":[{"dependsOn":[],"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":1,"priority":0,"retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"run":"f","stepId":"a","timeoutMs":300000,"with":{}},{"dependsOn":[],"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":2,"priority":0,"retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"run":"slow","stepId":"s","timeoutMs":300000,"with":{}},{"dependsOn":["a","s"],"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":3,"priority":0,"retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"run":"f","stepId":"b","timeoutMs":300000,"with":{}}]}', 'local', false);
INSERT INTO keelson.plans OVERRIDING SYSTEM VALUE VALUES (11, '1b382bbc7863b178a3928de70ae041f170b74df05375aceb370427ab0d46a1a2', 'flying', '1.0.0', '{"context":{},"metadata":{"fallbackBehavior":"reject","planId":"flying","planVersion":"1.0.0","targetAdapter":"any"},"policy":{"concurrency":10,"onFailure":"failFast","retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"timeoutMs":300000},"schemaVersion":"v1.0","steps":[{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":1,"priority":0,"retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"run":"f","stepId":"a","timeoutMs":300000,"with":{}},{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":2,"priority":0,"retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"run":"slow","stepId":"s","timeoutMs":300000,"with":{}},{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":3,"priority":0,"retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"run":"f","stepId":"b","timeoutMs":300000,"with":{}}]}', 'local', false);
INSERT INTO keelson.plans OVERRIDING SYSTEM VALUE VALUES (13, '59669516435ef9c1bd1ab5d9a46ecf0be5d71d307218f3a92d679cb9e7111e43', 'undoing', '1.0.0', '{"context":{},"metadata":{"fallbackBehavior":"reject","planId":"undoing","planVersion":"1.0.0","targetAdapter":"any"},"policy":{"concurrency":10,"onFailure":"failFast","retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"timeoutMs":300000},"schemaVersion":"v1.0","steps":[{"compensate":{"retry":{"backoffMultiplier":2,"initialBackoffMs":1000,"maxAttempts":2,"maxBackoffMs":10000},"run":"undo","timeoutMs":300000,"with":{}},"effect":"compensatable","fallbackOn":["exhausted"],"isolation":"inline","order":1,"priority":0,"retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"run":"f","stepId":"one","timeoutMs":300000,"with":{}},{"compensate":{"retry":{"backoffMultiplier":2,"initialBackoffMs":1000,"maxAttempts":2,"maxBackoffMs":10000},"run":"undo","timeoutMs":300000,"with":{}},"effect":"compensatable","fallbackOn":["exhausted"],"isolation":"inline","order":2,"priority":0,"retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"run":"f","stepId":"stuck","timeoutMs":300000,"with":{}},{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":3,"priority":0,"retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"run":"bad","stepId":"bad","timeoutMs":300000,"with":{}}]}', 'local', false);
INSERT INTO keelson.plans OVERRIDING SYSTEM VALUE VALUES (15, '01e36402425bd54ec3e676d644cf57019ebdbe5aacc9375a2bdd9612e7d88f96', 'fan', '1.0.0', '{"context":{},"metadata":{"fallbackBehavior":"reject","planId":"fan","planVersion":"1.0.0","targetAdapter":"any"},"policy":{"concurrency":10,"onFailure":"failFast","retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"timeoutMs":300000},"schemaVersion":"v1.0","steps":[{"compensate":{"retry":{"backoffMultiplier":2,"initialBackoffMs":1000,"maxAttempts":2,"maxBackoffMs":10000},"run":"undo","timeoutMs":300000,"with":{}},"effect":"compensatable","fallbackOn":["exhausted"],"forEach":"`[1, 2, 3]`","isolation":"inline","order":1,"priority":0,"retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"run":"slow","stepId":"list","timeoutMs":300000,"with":{}},{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":2,"priority":0,"retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"run":"f","stepId":"b","timeoutMs":300000,"with":{}}]}', 'local', false);
INSERT INTO keelson.plans OVERRIDING SYSTEM VALUE VALUES (17, 'f4460eec947ff9cc8e3a02808832a2fcc83a8873cf6f3e46e0debe89e7c78311', 'child', '1.0.0', '{"context":{},"metadata":{"fallbackBehavior":"reject","planId":"child","planVersion":"1.0.0","targetAdapter":"any"},"policy":{"concurrency":10,"onFailure":"failFast","retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"timeoutMs":300000},"schemaVersion":"v1.0","steps":[{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":1,"priority":0,"retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"run":"f","stepId":"c","timeoutMs":300000,"with":{}},{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","manual":{"title":"Sign the child"},"order":2,"priority":0,"retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"stepId":"sign","timeoutMs":300000,"with":{}}]}', 'local', false);
INSERT INTO keelson.plans OVERRIDING SYSTEM VALUE VALUES (18, '435ae6cc5ba41e25c10ac91982d71cfe545a7a8c23dc4149b97be505aa5f1eb3', 'family', '1.0.0', '{"context":{},"metadata":{"fallbackBehavior":"reject","planId":"family","planVersion":"1.0.0","targetAdapter":"any"},"policy":{"concurrency":10,"onFailure":"failFast","retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"timeoutMs":300000},"schemaVersion":"v1.0","steps":[{"effect":"compensatable","fallbackOn":["exhausted"],"isolation":"inline","order":1,"plan":{"planId":"child"},"priority":0,"retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"stepId":"call","timeoutMs":300000,"with":{}},{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":2,"priority":0,"retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"run":"f","stepId":"b","timeoutMs":300000,"with":{}}]}', 'local', false);
INSERT INTO keelson.plans OVERRIDING SYSTEM VALUE VALUES (20, '7936891d30a8f84f08374a8c5b63303df85a7d11203577eea9c781da7dc70f7f', 'backoff', '1.0.0', '{"context":{},"metadata":{"fallbackBehavior":"reject","planId":"backoff","planVersion":"1.0.0","targetAdapter":"any"},"policy":{"concurrency":10,"onFailure":"failFast","retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"timeoutMs":300000},"schemaVersion":"v1.0","steps":[{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":1,"priority":0,"retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":10,"maxBackoffMs":1500},"run":"busy","stepId":"shaky","timeoutMs":300000,"with":{}},{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":2,"priority":0,"retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"run":"f","stepId":"b","timeoutMs":300000,"with":{}}]}', 'local', false);
INSERT INTO keelson.plans OVERRIDING SYSTEM VALUE VALUES (22, '96a3f3963f27aa0861ac32ced9b8659f5dcddc131ef16ef3e600244a2372ef58', 'held', '1.0.0', '{"context":{},"metadata":{"fallbackBehavior":"reject","planId":"held","planVersion":"1.0.0","targetAdapter":"any"},"policy":{"concurrency":10,"onFailure":"hold","retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"timeoutMs":300000},"schemaVersion":"v1.0","steps":[{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":1,"priority":0,"retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"run":"bad","stepId":"shaky","timeoutMs":300000,"with":{}},{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":2,"priority":0,"retry":{"backoffMultiplier":1,"initialBackoffMs":1500,"maxAttempts":3,"maxBackoffMs":1500},"run":"f","stepId":"b","timeoutMs":300000,"with":{}}]}', 'local', false);

INSERT INTO keelson.run_blobs VALUES (8, 'a615eeaee21de5179de080de8c3052c8da901138406ba71c38c032845f7d54f4', '[1,2,3]');

INSERT INTO keelson.run_inbox OVERRIDING SYSTEM VALUE VALUES (1, 5, 'signal:62126b83-a582-4fd6-b16a-88baf6eae6ed', 'signal', '{"signalId":"62126b83-a582-4fd6-b16a-88baf6eae6ed","signalType":"PAUSE","payload":{"reason":"lunch"},"authorization":{"policyDecisionId":"8473d978-982a-4a1a-af30-b07ed50b7e00","actorId":"local","actorRole":"Admin","allowed":true}}', NULL, 1794843936136, 6, false);

INSERT INTO keelson.runs VALUES (1, '1dac07f0-407a-4478-95e3-a98d519f3347', 'local', 'default', 'local', 'done', '1.0.0', 'c60d90d53b6ac3722ef9f496d6bac22baa13994c9f5402d3a359170f198fb3bf', 'embedded', 'embedded://1dac07f0-407a-4478-95e3-a98d519f3347', NULL, NULL, NULL, NULL, NULL, 'local', 1794843911994, 1794843912879, 1, 6, '\xe5c8b598ca499564c30009ff6fc62e5fed6a45e8b6c7d037c5ad2518d29fec83', 'COMPLETED', NULL, NULL, 5, 5, 1794843911885, 1794843912081, 1, 1, 0, NULL, false, 'old-host|boot|pid#1#process#1', 1794843921776, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO keelson.runs VALUES (2, '398cfc2a-3ff8-4d11-9081-27ede6a59b22', 'local', 'default', 'local', 'queued', '1.0.0', '4f207838512935869d56b92ae5ed63c03c3f5d6bf72bee218777674b836258e8', 'embedded', 'embedded://398cfc2a-3ff8-4d11-9081-27ede6a59b22', NULL, NULL, NULL, NULL, NULL, 'local', 1794843917381, 1794843917381, 1, 3, '\xafc6520a17cb294bcf5806bcd7d778bfe3aa1506f06787376b45f16a387b33d5', 'APPROVED', NULL, NULL, 5, 5, NULL, NULL, 1, 0, 0, NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO keelson.runs VALUES (3, 'e72fbd54-cb65-4605-92cd-e0efa32fa0f6', 'local', 'default', 'local', 'timed', '1.0.0', '1129f514685d0fe95029b092855dbda2a767c7ef6df246ef6f20b069df779d97', 'embedded', 'embedded://e72fbd54-cb65-4605-92cd-e0efa32fa0f6', NULL, NULL, NULL, NULL, NULL, 'local', 1794843920980, 1794843921461, 1, 6, '\x82dc2a8054bf6c83255413c4a5e5519a2d2c3ab0580a58b232609aabcff97770', 'RUNNING', NULL, 1794843925283, 5, 5, 1794843920884, NULL, 3, 1, 0, NULL, false, 'old-host|boot|pid#1#process#1', 1794843930864, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO keelson.runs VALUES (4, '380a4722-1941-4ff5-b985-55bf757ef1fe', 'local', 'default', 'local', 'manual', '1.0.0', '6ee80a4b1329f30321c5ecd376ca5c95c6c355b8736c00cb7bba5c7a5f0b273d', 'embedded', 'embedded://380a4722-1941-4ff5-b985-55bf757ef1fe', NULL, NULL, NULL, NULL, NULL, 'local', 1794843926331, 1794843926461, 1, 7, '\xc2d47f387806d2c4f9f6ef2734ed17ce7fd82dd775159092467dfcbef4a2ffe8', 'RUNNING', NULL, NULL, 5, 5, 1794843926275, NULL, 3, 1, 0, NULL, false, 'old-host|boot|pid#1#process#1', 1794843936296, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO keelson.runs VALUES (5, 'a67cd25c-8df3-4cba-9548-df92649451d2', 'local', 'default', 'local', 'paused', '1.0.0', '44fdbca651f24a18250f14d33cd28a347f46859d80876f936972fcf79b0da71e', 'embedded', 'embedded://a67cd25c-8df3-4cba-9548-df92649451d2', NULL, NULL, NULL, NULL, NULL, 'local', 1794843930552, 1794843936273, 1, 8, '\x86899b972311a39fc794ca6fefb85df70f118657a6c8d3f999d5f82a75bc0889', 'PAUSED', 'DRAINING', 1794846030495, 5, 5, 1794843930495, NULL, 3, 1, 0, NULL, true, 'old-host|boot|pid#1#process#1', 1794843950965, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO keelson.runs VALUES (6, 'b2365281-e133-47e6-afe4-a137f8a4127d', 'local', 'default', 'local', 'flying', '1.0.0', '1b382bbc7863b178a3928de70ae041f170b74df05375aceb370427ab0d46a1a2', 'embedded', 'embedded://b2365281-e133-47e6-afe4-a137f8a4127d', NULL, NULL, NULL, NULL, NULL, 'local', 1794843944686, 1794843944964, 1, 6, '\x994a6e6f25d79c08469383c4b1d251093c10e0a9f65bdf463a0e487f552fb081', 'RUNNING', NULL, 1794846044784, 5, 5, 1794843944546, NULL, 3, 1, 0, NULL, true, 'old-host|boot|pid#1#process#1', 1794843954531, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO keelson.runs VALUES (7, '7d46f884-90c6-4219-8bf1-807728f96b75', 'local', 'default', 'local', 'undoing', '1.0.0', '59669516435ef9c1bd1ab5d9a46ecf0be5d71d307218f3a92d679cb9e7111e43', 'embedded', 'embedded://7d46f884-90c6-4219-8bf1-807728f96b75', NULL, NULL, NULL, NULL, NULL, 'local', 1794843948304, 1794843948714, 1, 10, '\xf7eac5034dbc9b3c30768dfa469728bac074bc1cbd32e27b8cd4296f4f61c106', 'RUNNING', 'embedded/COMPENSATING', 1794846048606, 5, 5, 1794843948224, NULL, 3, 2, 1, NULL, true, 'old-host|boot|pid#1#process#1', 1794843958183, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO keelson.runs VALUES (8, 'bf41c22f-97c2-4ef2-b205-3fec8a9ce065', 'local', 'default', 'local', 'fan', '1.0.0', '01e36402425bd54ec3e676d644cf57019ebdbe5aacc9375a2bdd9612e7d88f96', 'embedded', 'embedded://bf41c22f-97c2-4ef2-b205-3fec8a9ce065', NULL, NULL, NULL, NULL, NULL, 'local', 1794843951277, 1794843951613, 1, 8, '\x931089a95cc56e302d99daee589da19b23c93888db13369cac8ff5eca71b33fb', 'RUNNING', NULL, 1794846051415, 5, 5, 1794843951104, NULL, 2, 0, 0, NULL, true, 'old-host|boot|pid#1#process#1', 1794843961027, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO keelson.runs VALUES (9, '296223cb-6f6c-4751-91ad-5cb14fec3a1b', 'local', 'default', 'local', 'family', '1.0.0', '435ae6cc5ba41e25c10ac91982d71cfe545a7a8c23dc4149b97be505aa5f1eb3', 'embedded', 'embedded://296223cb-6f6c-4751-91ad-5cb14fec3a1b', NULL, NULL, NULL, NULL, NULL, 'local', 1794843957579, 1794843957579, 1, 4, '\xb4562f9f42ba753437ecac65c42401960b8582a59c6cfe3ec65df24581f8d7ca', 'RUNNING', NULL, NULL, 5, 5, 1794843957448, NULL, 2, 0, 0, NULL, true, 'old-host|boot|pid#1#process#1', 1794843967404, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO keelson.runs VALUES (10, 'b49a48ea-2fb7-4a9b-816d-ba59011841ed', 'local', 'default', 'local', 'child', '1.0.0', 'f4460eec947ff9cc8e3a02808832a2fcc83a8873cf6f3e46e0debe89e7c78311', 'embedded', 'embedded://b49a48ea-2fb7-4a9b-816d-ba59011841ed', NULL, NULL, '296223cb-6f6c-4751-91ad-5cb14fec3a1b', 'call', 1, 'local', 1794843957851, 1794843957956, 1, 7, '\x8e342a372323ae60a24e97d9654b5f970781722f9a4b20bc7e00eb59b5d1c114', 'RUNNING', NULL, NULL, 5, 5, 1794843957742, NULL, 2, 1, 0, NULL, false, 'old-host|boot|pid#1#process#1', 1794843967645, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO keelson.runs VALUES (11, 'cfc2b566-c2c7-48aa-bb82-e2167766379d', 'local', 'default', 'local', 'backoff', '1.0.0', '7936891d30a8f84f08374a8c5b63303df85a7d11203577eea9c781da7dc70f7f', 'embedded', 'embedded://cfc2b566-c2c7-48aa-bb82-e2167766379d', NULL, NULL, NULL, NULL, NULL, 'local', 1794843961949, 1794843962226, 1, 5, '\x8a2ae77f3d262aa4187258446716186ae2c5623eb4b6b93b3c0f558e4b5ec028', 'RUNNING', 'RETRYING', 1794843963540, 5, 5, 1794843961882, NULL, 2, 0, 0, NULL, false, 'old-host|boot|pid#1#process#1', 1794843971864, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO keelson.runs VALUES (12, 'a28fc823-1d30-47ba-a5e3-e28522122190', 'local', 'default', 'local', 'held', '1.0.0', '96a3f3963f27aa0861ac32ced9b8659f5dcddc131ef16ef3e600244a2372ef58', 'embedded', 'embedded://a28fc823-1d30-47ba-a5e3-e28522122190', NULL, NULL, NULL, NULL, NULL, 'local', 1794843964358, 1794843964676, 1, 5, '\xc615bde6e99bb7c06ceb641da519ea9c0914eb6cfe7b0e030ab8ec760e33b6a6', 'RUNNING', 'embedded/HOLDING', NULL, 5, 5, 1794843964224, NULL, 2, 0, 1, NULL, false, 'old-host|boot|pid#1#process#1', 1794843974194, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL);

INSERT INTO keelson.status_counts VALUES ('local', 'COMPLETED', 0, 1);
INSERT INTO keelson.status_counts VALUES ('local', 'APPROVED', 0, 1);
INSERT INTO keelson.status_counts VALUES ('local', 'PAUSED', 0, 1);
INSERT INTO keelson.status_counts VALUES ('local', 'RUNNING', 0, 9);

SELECT pg_catalog.setval('keelson.feed_dead_letters_dead_pos_seq', 1, false);

SELECT pg_catalog.setval('keelson.grant_waits_place_seq', 1, false);

SELECT pg_catalog.setval('keelson.plan_publications_publication_pos_seq', 12, true);

SELECT pg_catalog.setval('keelson.plans_plan_pos_seq', 23, true);

SELECT pg_catalog.setval('keelson.run_inbox_inbox_pos_seq', 1, true);

SELECT pg_catalog.setval('keelson.runs_run_key_seq', 12, true);

SELECT pg_catalog.setval('keelson.scope_pauses_pause_pos_seq', 1, false);

SELECT pg_catalog.setval('keelson.step_claims_claim_pos_seq', 1, false);

ALTER TABLE ONLY keelson.archive_tickets
    ADD CONSTRAINT archive_tickets_pkey PRIMARY KEY (run_key);

ALTER TABLE ONLY keelson.erasure_tickets
    ADD CONSTRAINT erasure_tickets_pkey PRIMARY KEY (run_key);

ALTER TABLE ONLY keelson.events
    ADD CONSTRAINT events_run_seq PRIMARY KEY (run_key, seq);

ALTER TABLE ONLY keelson.feed_behind
    ADD CONSTRAINT feed_behind_pkey PRIMARY KEY (subscriber, run_key);

ALTER TABLE ONLY keelson.feed_cursors
    ADD CONSTRAINT feed_cursors_pkey PRIMARY KEY (subscriber, run_key);

ALTER TABLE ONLY keelson.feed_dead_letters
    ADD CONSTRAINT feed_dead_letters_pkey PRIMARY KEY (dead_pos);

ALTER TABLE ONLY keelson.feed_dead_letters
    ADD CONSTRAINT feed_dead_letters_subscriber_run_key_seq_key UNIQUE (subscriber, run_key, seq);

ALTER TABLE ONLY keelson.feed_generation
    ADD CONSTRAINT feed_generation_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY keelson.feed_subscribers
    ADD CONSTRAINT feed_subscribers_pkey PRIMARY KEY (subscriber);

ALTER TABLE ONLY keelson.grant_wait_pools
    ADD CONSTRAINT grant_wait_pools_pkey PRIMARY KEY (place, pool);

ALTER TABLE ONLY keelson.grant_waits
    ADD CONSTRAINT grant_waits_pkey PRIMARY KEY (place);

ALTER TABLE ONLY keelson.grant_waits
    ADD CONSTRAINT grant_waits_run_key_slot_attempt_key UNIQUE (run_key, slot, attempt);

ALTER TABLE ONLY keelson.grants
    ADD CONSTRAINT grants_pkey PRIMARY KEY (run_key, slot, attempt, pool);

ALTER TABLE ONLY keelson.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (version);

ALTER TABLE ONLY keelson.plan_publications
    ADD CONSTRAINT plan_publications_pkey PRIMARY KEY (publication_pos);

ALTER TABLE ONLY keelson.plans
    ADD CONSTRAINT plans_pkey PRIMARY KEY (plan_pos);

ALTER TABLE ONLY keelson.plans
    ADD CONSTRAINT plans_tenant_id_sha256_key UNIQUE (tenant_id, sha256);

ALTER TABLE ONLY keelson.pool_tenants
    ADD CONSTRAINT pool_tenants_pkey PRIMARY KEY (pool, tenant_id);

ALTER TABLE ONLY keelson.pools
    ADD CONSTRAINT pools_pkey PRIMARY KEY (pool);

ALTER TABLE ONLY keelson.run_blobs
    ADD CONSTRAINT run_blobs_pkey PRIMARY KEY (run_key, sha256);

ALTER TABLE ONLY keelson.run_context
    ADD CONSTRAINT run_context_pkey PRIMARY KEY (run_key, variable, seq);

ALTER TABLE ONLY keelson.run_inbox
    ADD CONSTRAINT run_inbox_id UNIQUE (run_key, inbox_id);

ALTER TABLE ONLY keelson.run_inbox
    ADD CONSTRAINT run_inbox_pkey PRIMARY KEY (inbox_pos);

ALTER TABLE ONLY keelson.run_snapshots
    ADD CONSTRAINT run_snapshots_pkey PRIMARY KEY (run_key, kind, seq);

ALTER TABLE ONLY keelson.runs
    ADD CONSTRAINT runs_pkey PRIMARY KEY (run_key);

ALTER TABLE ONLY keelson.runs
    ADD CONSTRAINT runs_run_id UNIQUE (tenant_id, run_id);

ALTER TABLE ONLY keelson.scope_pauses
    ADD CONSTRAINT scope_pauses_pkey PRIMARY KEY (pause_pos);

ALTER TABLE ONLY keelson.scope_pauses
    ADD CONSTRAINT scope_pauses_tenant_id_pause_id_key UNIQUE (tenant_id, pause_id);

ALTER TABLE ONLY keelson.status_counts
    ADD CONSTRAINT status_counts_pkey PRIMARY KEY (tenant_id, status, writer);

ALTER TABLE ONLY keelson.step_claims
    ADD CONSTRAINT step_claims_pkey PRIMARY KEY (claim_pos);

ALTER TABLE ONLY keelson.step_claims
    ADD CONSTRAINT step_claims_run_key_slot_attempt_key UNIQUE (run_key, slot, attempt);

ALTER TABLE ONLY keelson.tenant_roles
    ADD CONSTRAINT tenant_roles_pkey PRIMARY KEY (role_name);

CREATE INDEX events_feed ON keelson.events USING btree (generation, xid, run_key);

CREATE UNIQUE INDEX events_idempotency_key ON keelson.events USING btree (run_key, idempotency_key);

CREATE UNIQUE INDEX events_terminal_slot ON keelson.events USING btree (run_key, terminal_slot) WHERE (terminal_slot IS NOT NULL);

CREATE INDEX feed_behind_retry ON keelson.feed_behind USING btree (subscriber, retry_at, run_key);

CREATE INDEX feed_behind_run ON keelson.feed_behind USING btree (run_key);

CREATE INDEX feed_cursors_run ON keelson.feed_cursors USING btree (run_key);

CREATE INDEX feed_dead_letters_order ON keelson.feed_dead_letters USING btree (subscriber, dead_pos);

CREATE INDEX feed_dead_letters_run ON keelson.feed_dead_letters USING btree (run_key);

CREATE INDEX grant_wait_pools_amount ON keelson.grant_wait_pools USING btree (pool, amount);

CREATE INDEX grant_wait_pools_line ON keelson.grant_wait_pools USING btree (pool, place);

CREATE INDEX grant_wait_pools_offered ON keelson.grant_wait_pools USING btree (pool, place) WHERE (offered_until IS NOT NULL);

CREATE INDEX plan_publications_by_id ON keelson.plan_publications USING btree (tenant_id, plan_id, publication_pos);

CREATE INDEX plan_publications_by_version ON keelson.plan_publications USING btree (tenant_id, plan_id, plan_version, publication_pos);

CREATE UNIQUE INDEX plan_publications_first ON keelson.plan_publications USING btree (tenant_id, plan_id, plan_version) WHERE (NOT replaces);

CREATE INDEX plans_by_version ON keelson.plans USING btree (tenant_id, plan_id, plan_version, plan_pos);

CREATE UNIQUE INDEX plans_first ON keelson.plans USING btree (tenant_id, plan_id, plan_version) WHERE (NOT replaces);

CREATE INDEX run_inbox_silent ON keelson.run_inbox USING btree (inserted_at, run_key) WHERE (silent AND (consumed_seq IS NULL));

CREATE INDEX run_inbox_unconsumed ON keelson.run_inbox USING btree (run_key, inbox_pos) WHERE (consumed_seq IS NULL);

CREATE INDEX runs_archivable ON keelson.runs USING btree (ended_at, run_key) WHERE ((archived_at IS NULL) AND (status = ANY (ARRAY['COMPLETED'::text, 'FAILED'::text, 'CANCELLED'::text])));

CREATE INDEX runs_created ON keelson.runs USING btree (tenant_id, created_at, run_key);

CREATE INDEX runs_ended_inbox ON keelson.runs USING btree (inbox_since, run_key) WHERE ((inbox_since IS NOT NULL) AND (quarantine IS NULL) AND (status = ANY (ARRAY['COMPLETED'::text, 'FAILED'::text, 'CANCELLED'::text])));

CREATE INDEX runs_engine_ref ON keelson.runs USING btree (tenant_id, engine_run_ref, run_key) WHERE (engine_run_ref <> ((engine_type || '://'::text) || run_id));

CREATE INDEX runs_inbox ON keelson.runs USING btree (inbox_since, run_key) WHERE ((inbox_since IS NOT NULL) AND (quarantine IS NULL) AND (status <> ALL (ARRAY['COMPLETED'::text, 'FAILED'::text, 'CANCELLED'::text])));

CREATE INDEX runs_original ON keelson.runs USING btree (tenant_id, original_run_id, created_at, run_key) WHERE (original_run_id IS NOT NULL);

CREATE INDEX runs_owed ON keelson.runs USING btree (lease_until, run_key) WHERE (owed AND (quarantine IS NULL) AND (status <> ALL (ARRAY['COMPLETED'::text, 'FAILED'::text, 'CANCELLED'::text])));

CREATE INDEX runs_plan ON keelson.runs USING btree (tenant_id, plan_id, created_at, run_key);

CREATE INDEX runs_plan_status ON keelson.runs USING btree (tenant_id, plan_id, status, created_at, run_key);

CREATE UNIQUE INDEX runs_request ON keelson.runs USING btree (tenant_id, request_key) WHERE (request_key IS NOT NULL);

CREATE INDEX runs_status ON keelson.runs USING btree (tenant_id, status, created_at, run_key);

CREATE INDEX runs_wake ON keelson.runs USING btree (next_wake_at, run_key) WHERE ((next_wake_at IS NOT NULL) AND (quarantine IS NULL) AND (status <> ALL (ARRAY['COMPLETED'::text, 'FAILED'::text, 'CANCELLED'::text])));

CREATE TRIGGER archive_once BEFORE UPDATE ON keelson.archive_tickets FOR EACH ROW EXECUTE FUNCTION keelson.use_archive_ticket_once();

ALTER TABLE keelson.archive_tickets ENABLE ALWAYS TRIGGER archive_once;

CREATE TRIGGER archive_only_ended BEFORE INSERT ON keelson.archive_tickets FOR EACH ROW EXECUTE FUNCTION keelson.check_archive_ticket();

ALTER TABLE keelson.archive_tickets ENABLE ALWAYS TRIGGER archive_only_ended;

CREATE TRIGGER archive_whole_run AFTER INSERT ON keelson.archive_tickets FOR EACH ROW EXECUTE FUNCTION keelson.archive_run();

ALTER TABLE keelson.archive_tickets ENABLE ALWAYS TRIGGER archive_whole_run;

CREATE TRIGGER erase_whole_run AFTER INSERT ON keelson.erasure_tickets FOR EACH ROW EXECUTE FUNCTION keelson.erase_run();

ALTER TABLE keelson.erasure_tickets ENABLE ALWAYS TRIGGER erase_whole_run;

CREATE TRIGGER events_never_change BEFORE UPDATE ON keelson.events FOR EACH ROW EXECUTE FUNCTION keelson.keep_event();

ALTER TABLE keelson.events ENABLE ALWAYS TRIGGER events_never_change;

CREATE TRIGGER events_never_go BEFORE DELETE ON keelson.events FOR EACH ROW EXECUTE FUNCTION keelson.let_event_go();

ALTER TABLE keelson.events ENABLE ALWAYS TRIGGER events_never_go;

CREATE TRIGGER events_never_truncated BEFORE TRUNCATE ON keelson.events FOR EACH STATEMENT EXECUTE FUNCTION keelson.refuse('the log is never truncated');

ALTER TABLE keelson.events ENABLE ALWAYS TRIGGER events_never_truncated;

