-- The log as an outbox (P-50). An event carries the transaction that wrote it; the feed shows only what lies below the
-- oldest transaction still under way, so nothing can come to light behind a reader. Within a run the order is seq, by a
-- cursor of its own, because a transaction that waited for a run's row may be older than the one it waited for.

-- Numbers of transactions begin anew in a new cluster, after a dump and restore: then the generation is raised.
CREATE TABLE keelson.feed_generation (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  generation integer NOT NULL
);
INSERT INTO keelson.feed_generation (generation) VALUES (1);

CREATE FUNCTION keelson.current_generation() RETURNS integer LANGUAGE sql STABLE AS
  'SELECT g.generation FROM keelson.feed_generation g WHERE g.only_row';

-- Constants first: events that are there keep them, and no row is rewritten.
ALTER TABLE keelson.events ADD COLUMN generation integer NOT NULL DEFAULT 0;
ALTER TABLE keelson.events ADD COLUMN xid xid8 NOT NULL DEFAULT '0';
ALTER TABLE keelson.events ALTER COLUMN generation SET DEFAULT keelson.current_generation();
ALTER TABLE keelson.events ALTER COLUMN xid SET DEFAULT pg_current_xact_id();
-- Without seq: the events of a run in a transaction share one entry.
CREATE INDEX events_feed ON keelson.events (generation, xid, run_key);

CREATE OR REPLACE FUNCTION keelson.keep_event() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE TABLE keelson.feed_subscribers (
  subscriber text PRIMARY KEY,
  -- The last transaction and run that were looked at.
  generation integer NOT NULL,
  xid xid8 NOT NULL,
  run_key bigint NOT NULL
);

CREATE TABLE keelson.feed_cursors (
  subscriber text NOT NULL,
  run_key bigint NOT NULL,
  seq bigint NOT NULL,
  PRIMARY KEY (subscriber, run_key)
);
CREATE INDEX feed_cursors_run ON keelson.feed_cursors (run_key);

-- Runs whose events lie behind the subscriber's position and are not settled. `seq` failed `attempts` times; a run that
-- failed nothing and is only behind has none and is taken up at once.
CREATE TABLE keelson.feed_behind (
  subscriber text NOT NULL,
  run_key bigint NOT NULL,
  seq bigint NOT NULL,
  attempts integer NOT NULL,
  retry_at bigint NOT NULL,
  error text,
  PRIMARY KEY (subscriber, run_key)
);
CREATE INDEX feed_behind_retry ON keelson.feed_behind (subscriber, retry_at, run_key);
CREATE INDEX feed_behind_run ON keelson.feed_behind (run_key);

CREATE TABLE keelson.feed_dead_letters (
  dead_pos bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  subscriber text NOT NULL,
  run_key bigint NOT NULL,
  seq bigint NOT NULL,
  error text NOT NULL,
  at bigint NOT NULL,
  UNIQUE (subscriber, run_key, seq)
);
CREATE INDEX feed_dead_letters_run ON keelson.feed_dead_letters (run_key);
CREATE INDEX feed_dead_letters_order ON keelson.feed_dead_letters (subscriber, dead_pos);

-- True for numbers that this cluster has never given out. What is visible was written below the snapshot's upper bound.
CREATE FUNCTION keelson.is_from_another_cluster() RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT e.xid >= pg_snapshot_xmax(pg_current_snapshot()) FROM keelson.events e
    WHERE e.generation = keelson.current_generation() ORDER BY e.generation DESC, e.xid DESC LIMIT 1), false)
$$;

-- With the owner's rights, whoever opens the store: nobody may write while the number changes, and what a process that
-- had not noticed wrote below a subscriber's position is put before it again.
CREATE FUNCTION keelson.raise_generation() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
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
  GROUP BY s.subscriber, e.run_key
  ON CONFLICT (subscriber, run_key) DO NOTHING;
END $$;

-- A page: the runs whose time has come again, then those touched after the position, each from its own cursor on.
-- Stable, and so of one moment: all that is visible of a run is committed and without a hole. The last row is no event:
-- it says where the subscriber stands once all of them are settled.
CREATE FUNCTION keelson.read_feed(p_subscriber text, p_now bigint, p_limit integer)
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
CREATE FUNCTION keelson.settle_feed(
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
    WHERE r.run_key = (d.one -> 'run_key')::bigint AND r.archived_at IS NULL OFFSET 0) AS kept;
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
      AND (e.generation, e.xid, e.run_key) <= (v_to.generation, v_to.xid, v_to.run_key)) AS t;
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
CREATE FUNCTION keelson.feed_status(p_subscriber text) RETURNS TABLE (
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
  ) AS behind;
  SELECT count(*) INTO runs_blocked FROM keelson.feed_behind b WHERE b.subscriber = p_subscriber AND b.attempts > 0;
  SELECT count(*) INTO dead_letters FROM keelson.feed_dead_letters d WHERE d.subscriber = p_subscriber;

  SELECT min(e.persisted_at) INTO v_waiting FROM keelson.events e
    LEFT JOIN keelson.feed_cursors c ON c.subscriber = p_subscriber AND c.run_key = e.run_key
    WHERE e.generation = keelson.current_generation() AND e.xid >= v_bound AND e.seq > coalesce(c.seq, 0);
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
