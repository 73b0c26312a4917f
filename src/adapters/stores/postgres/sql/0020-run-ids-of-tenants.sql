-- A run's id is its tenant's own: two tenants may use one id, and neither learns of the other.
--
-- Functions that change are written out whole, here and in every later file: a migration that was applied is never edited
-- (forward only), and CREATE OR REPLACE takes nothing less than the whole. The newest file that has a function is the one to read.

ALTER TABLE keelson.runs DROP CONSTRAINT runs_run_id;
ALTER TABLE keelson.runs ADD CONSTRAINT runs_run_id UNIQUE (tenant_id, run_id);

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

CREATE OR REPLACE FUNCTION keelson.is_run_known(p_run jsonb) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT 1 FROM keelson.runs r WHERE r.tenant_id = p_run ->> 'tenant_id' AND r.run_id = p_run ->> 'run_id'
  ) OR EXISTS (
    SELECT 1 FROM keelson.runs r
    WHERE r.tenant_id = p_run ->> 'tenant_id' AND r.request_key = p_run ->> 'request_key')
$$;

DROP FUNCTION keelson.is_run_id_taken(text);

-- A subscriber whose name begins with a tenant's scope is told of that tenant's runs and no others: nothing of them keeps it
-- waiting, is counted for it, or waits for it.
CREATE FUNCTION keelson.follows(p_subscriber text, p_tenant_id text) RETURNS boolean LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp AS $$
  SELECT NOT starts_with(p_subscriber, 'tenant:') OR starts_with(p_subscriber, keelson.subscriber_scope(p_tenant_id))
$$;

CREATE FUNCTION keelson.follows_run(p_subscriber text, p_run_key bigint) RETURNS boolean LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $$
  SELECT NOT starts_with(p_subscriber, 'tenant:') OR EXISTS (
    SELECT 1 FROM keelson.runs r WHERE r.run_key = p_run_key AND keelson.follows(p_subscriber, r.tenant_id))
$$;

-- With the owner's rights, whoever opens the store: nobody may write while the number changes, and what a process that
-- had not noticed wrote below a subscriber's position is put before it again.
CREATE OR REPLACE FUNCTION keelson.raise_generation() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
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

-- A page: the runs whose time has come again, then those touched after the position, each from its own cursor on.
-- Stable, and so of one moment: all that is visible of a run is committed and without a hole. The last row is no event:
-- it says where the subscriber stands once all of them are settled.
CREATE OR REPLACE FUNCTION keelson.read_feed(p_subscriber text, p_now bigint, p_limit integer)
RETURNS TABLE (run_key bigint, seq bigint, attempts integer, feed_position text, is_foreign boolean)
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off
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

-- What came of a page: cursors, failures, dead letters and the position. Nothing ever goes back.
-- OFFSET 0, here and elsewhere, keeps the planner from turning a look-up by key round into a walk through the table.
CREATE OR REPLACE FUNCTION keelson.settle_feed(
  p_subscriber text, p_generation integer, p_xid xid8, p_run bigint, p_deliveries jsonb, p_now bigint
) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off
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

-- Where the subscriber stands, and who holds the feed up: the oldest transaction under way, when events wait for it.
CREATE OR REPLACE FUNCTION keelson.feed_status(p_subscriber text) RETURNS TABLE (
  runs_behind bigint, runs_blocked bigint, dead_letters bigint, stalled_by integer, stalled_ms bigint
) LANGUAGE plpgsql STABLE AS $$
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

-- Names that programs gave: where there is one tenant, who followed all runs followed its runs; elsewhere they were all tenants'.
-- Either way they go on where they were. Keelson's own name stays as it is.
DO $$
DECLARE
  v_table text;
  v_scope text := CASE WHEN EXISTS (SELECT 1 FROM keelson.runs r WHERE r.tenant_id <> 'local') THEN 'all/'
    ELSE keelson.subscriber_scope('local') END;
BEGIN
  FOREACH v_table IN ARRAY ARRAY['feed_subscribers', 'feed_cursors', 'feed_behind', 'feed_dead_letters'] LOOP
    EXECUTE format('UPDATE keelson.%I SET subscriber = $1 || subscriber
      WHERE NOT starts_with(subscriber, ''tenant:'') AND subscriber <> ''receipts''', v_table) USING v_scope;
  END LOOP;
END $$;
