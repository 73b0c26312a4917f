-- Turns without reads (P-53): a commit says that its turn was decided without looking at letters and pauses. Where there are
-- any, nothing of that run is written, and they are the answer. Parameters are as before: who does not say so has looked, as
-- processes of the version before do. New runs of a batch are made by one statement, no longer by one each.

-- What a turn would have read first.
CREATE FUNCTION keelson.unread_of(p_run_key bigint, p_tenant_id text) RETURNS text LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $$
  SELECT json_build_object(
    'inboxRows', coalesce((
      SELECT json_agg(json_build_object('inboxId', i.inbox_id, 'kind', i.kind, 'body', i.body, 'insertedAt', i.inserted_at)
        ORDER BY i.inbox_pos)
      FROM keelson.run_inbox i WHERE i.run_key = p_run_key AND i.consumed_seq IS NULL), '[]'),
    'pauses', coalesce((
      SELECT json_agg(json_strip_nulls(json_build_object('pauseId', p.pause_id, 'scope', p.scope,
        'tenantId', nullif(p.tenant_id, ''), 'reason', p.reason, 'active', p.active)) ORDER BY p.pause_pos)
      FROM keelson.scope_pauses p WHERE p.tenant_id IN ('', p_tenant_id)), '[]'))::text
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
  v_unread boolean[];
  v_new bigint[] := '{}';
  v_new_name text[] := '{}';
  v_next integer := 1;
  v_locked text[];
  v_row record;
  v_made record;
  v_take record;
BEGIN
  IF p_rest ? 'unread' THEN
    SELECT array_agg(u.one::boolean) INTO v_unread FROM jsonb_array_elements_text(p_rest -> 'unread') AS u(one);
  END IF;
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
    SELECT u.place, r.run_key, r.epoch, r.next_seq, r.status, r.archived_at, r.tenant_id,
      CASE WHEN v_unread[u.place] THEN r.inbox_since IS NOT NULL
        OR EXISTS (SELECT 1 FROM keelson.run_inbox i WHERE i.run_key = r.run_key AND i.consumed_seq IS NULL OFFSET 0)
        OR EXISTS (SELECT 1 FROM keelson.scope_pauses p WHERE p.active AND p.tenant_id IN ('', r.tenant_id)
          AND p.scope IN ('fleet', 'tenant', 'plan:' || r.plan_id) OFFSET 0) END AS unread
    FROM unnest(p_key || v_target) WITH ORDINALITY AS u(key, place)
    JOIN keelson.runs r ON r.run_key = u.key ORDER BY r.run_key FOR NO KEY UPDATE OF r SKIP LOCKED
  LOOP
    IF v_row.place > cardinality(p_key) THEN
      v_reached[v_row.place - cardinality(p_key)] := true;
    ELSIF v_row.epoch <> p_epoch[v_row.place] OR v_row.next_seq <> p_next_seq[v_row.place] OR v_row.archived_at IS NOT NULL
    THEN
      v_verdict[v_row.place] := 'conflict';
    ELSIF v_row.unread THEN
      v_verdict[v_row.place] := 'unread';
      v_detail[v_row.place] := keelson.unread_of(v_row.run_key, v_row.tenant_id);
    ELSE
      v_verdict[v_row.place] := 'write';
      v_key[v_row.place] := v_row.run_key;
      v_status[v_row.place] := v_row.status;
    END IF;
  END LOOP;
  -- A new run has no letters yet, but a pause may cover it.
  IF v_unread IS NOT NULL AND p_creates IS NOT NULL AND EXISTS (SELECT 1 FROM keelson.scope_pauses p WHERE p.active) THEN
    FOR v_row IN
      SELECT c.run, (c.run ->> 'place')::integer AS place, c.run ->> 'tenant_id' AS tenant_id
      FROM jsonb_array_elements(p_creates) AS c(run) WHERE EXISTS (
        SELECT 1 FROM keelson.scope_pauses p WHERE p.active AND p.tenant_id IN ('', c.run ->> 'tenant_id')
          AND p.scope IN ('fleet', 'tenant', 'plan:' || (c.run ->> 'plan_id')))
    LOOP
      IF v_unread[v_row.place] AND NOT keelson.is_run_known(v_row.run) THEN
        v_verdict[v_row.place] := 'unread';
        v_detail[v_row.place] := keelson.unread_of(0, v_row.tenant_id);
      END IF;
    END LOOP;
  END IF;

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
    -- All at once, in the order of the batch. Who was not made is told why by create_run.
    FOR v_row IN
      INSERT INTO keelson.runs (run_id, tenant_id, project_id, environment_id, plan_id, plan_version, plan_sha256,
        engine_type, engine_run_ref, request_key, original_run_id, parent_run_id, parent_slot, parent_attempt,
        triggered_by, created_at, updated_at, epoch, next_seq, head_hash, status, substatus, next_wake_at, rules_version,
        min_rules_version, started_at, ended_at, steps_total, steps_done, steps_failed, error_code, owed, lease_owner,
        lease_until)
      SELECT n.run_id, n.tenant_id, n.project_id, n.environment_id, n.plan_id, n.plan_version, n.plan_sha256,
        n.engine_type, n.engine_run_ref, n.request_key, n.original_run_id, n.parent_run_id, n.parent_slot,
        n.parent_attempt, n.triggered_by, v_now, v_now, n.epoch, n.next_seq, decode(n.head_hash, 'hex'), n.status,
        n.substatus, n.next_wake_at, n.rules_version, n.min_rules_version, n.started_at, n.ended_at, n.steps_total,
        n.steps_done, n.steps_failed, n.error_code, n.owed, n.lease_owner, coalesce(v_now + n.lease_ms, n.lease_until)
      FROM jsonb_to_recordset(p_creates) AS n(place integer, run_id text, tenant_id text, project_id text,
        environment_id text, plan_id text, plan_version text, plan_sha256 text, engine_type text, engine_run_ref text,
        request_key text, original_run_id text, parent_run_id text, parent_slot text, parent_attempt integer,
        triggered_by text, epoch bigint, next_seq bigint, head_hash text, status text, substatus text,
        next_wake_at bigint, rules_version integer, min_rules_version integer, started_at bigint, ended_at bigint,
        steps_total integer, steps_done integer, steps_failed integer, error_code text, owed boolean, lease_owner text,
        lease_until bigint, lease_ms bigint)
      WHERE v_verdict[n.place] = 'absent' AND p_broken[n.place] IS NULL ORDER BY n.place
      ON CONFLICT DO NOTHING RETURNING run_key, tenant_id, run_id
    LOOP
      v_new := v_new || v_row.run_key;
      v_new_name := v_new_name || format('%s/%s', v_row.tenant_id, v_row.run_id);
    END LOOP;
    FOR v_row IN SELECT c.run, (c.run ->> 'place')::integer AS place,
        format('%s/%s', c.run ->> 'tenant_id', c.run ->> 'run_id') AS name
      FROM jsonb_array_elements(p_creates) AS c(run) ORDER BY 2
    LOOP
      CONTINUE WHEN v_verdict[v_row.place] <> 'absent';
      IF p_broken[v_row.place] IS NULL AND v_new_name[v_next] = v_row.name THEN
        v_key[v_row.place] := v_new[v_next];
        v_verdict[v_row.place] := 'write';
        v_next := v_next + 1;
      ELSE
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

  IF p_rest - 'unread' <> '{}' THEN
    PERFORM keelson.write_rest(v_key, p_rest, v_now);
  END IF;
  RETURN QUERY SELECT u.place, u.verdict, u.detail, u.key, v_now
    FROM unnest(v_verdict, v_detail, v_key) WITH ORDINALITY AS u(verdict, detail, key, place);
END $$;
