-- The commit of 0005 with what came since: claims (P-09), counts (P-41), the feed's marks, leases by the server's
-- clock, and nothing for runs that were archived. Parameters are as before: processes of the version before go on.

-- What a commit writes beside its events and its run row; called only when there is any of it.
CREATE OR REPLACE FUNCTION keelson.write_rest(p_key bigint[], p_rest jsonb, p_now bigint) RETURNS void
LANGUAGE plpgsql AS $$
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
  PERFORM 1 FROM keelson.runs r WHERE r.run_id = p_run ->> 'run_id';
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

CREATE FUNCTION keelson.is_run_known(p_run jsonb) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT 1 FROM keelson.runs r WHERE r.run_id = p_run ->> 'run_id') OR EXISTS (
    SELECT 1 FROM keelson.runs r
    WHERE r.tenant_id = p_run ->> 'tenant_id' AND r.request_key = p_run ->> 'request_key')
$$;

-- Rows are locked in the order of their keys, those of letters' addressees among them. Without p_wait a row that
-- somebody else holds is passed over and its run answered 'absent', or 'busy' when it is an addressee's: the caller
-- tries that run again alone, and waits. Pools come after the run rows, and new runs after the pools.
CREATE OR REPLACE FUNCTION keelson.commit_runs(
  p_wait boolean, p_now bigint, p_key bigint[], p_epoch bigint[], p_next_seq bigint[], p_broken text[],
  p_moves jsonb, p_creates jsonb, p_rest jsonb,
  p_place integer[], p_seq bigint[], p_event_type text[], p_idempotency_key bytea[], p_chain_hash bytea[],
  p_record text[], p_data text[], p_salt bytea[], p_terminal_slot text[]
) RETURNS TABLE (place bigint, verdict text, detail text, run_key bigint, at bigint) LANGUAGE plpgsql
-- Every look-up here is by a key: planning each call costs more than the call, and a plan made while the tables were
-- small must not outlive that. Ruled out ways of planning look dear, which is no reason to compile a plan.
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off
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

-- One letter to a run (P-21). The run's row is locked first: a commit that empties the inbox at the same moment would
-- otherwise take a bell for silence.
CREATE OR REPLACE FUNCTION keelson.put_letter(
  p_tenant_id text, p_run_id text, p_inbox_id text, p_kind text, p_body text, p_body_sha256 text, p_now bigint
) RETURNS TABLE (answer text, inbox_id text, kind text, body text, inserted_at bigint, consumed_seq bigint)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
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
