-- Grants (P-18, P-19, docs/adr/0002-grants.md). Whoever touches a pool, a grant on it or a row of its queue holds the
-- pool's row. Pools are locked after run rows and by name; all that a transaction needs before it changes any.
CREATE TABLE keelson.pools (
  pool text COLLATE "C" PRIMARY KEY,
  capacity bigint NOT NULL,
  window_ms bigint,
  breaker_failures integer,
  breaker_open_ms bigint,
  -- Units held; of a quota also those taken in the window `taken_window`.
  used bigint NOT NULL DEFAULT 0,
  taken bigint NOT NULL DEFAULT 0,
  taken_window bigint NOT NULL DEFAULT 0,
  turn bigint NOT NULL DEFAULT 0,
  -- Failures in a row; with open_until the breaker is open, after that instant half open, and `probe` was let through.
  failures integer NOT NULL DEFAULT 0,
  open_until bigint,
  probe text
) WITH (fillfactor = 50);

CREATE TABLE keelson.pool_tenants (
  pool text COLLATE "C" NOT NULL,
  tenant_id text NOT NULL,
  turn bigint NOT NULL,
  PRIMARY KEY (pool, tenant_id)
);

CREATE TABLE keelson.grants (
  run_key bigint NOT NULL,
  slot text NOT NULL,
  attempt integer NOT NULL,
  pool text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  PRIMARY KEY (run_key, slot, attempt, pool)
);

-- A lower place is older.
CREATE TABLE keelson.grant_waits (
  place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_key bigint NOT NULL,
  slot text NOT NULL,
  attempt integer NOT NULL,
  tenant_id text NOT NULL,
  priority double precision NOT NULL,
  since bigint NOT NULL,
  UNIQUE (run_key, slot, attempt)
);

-- One row per pool, so that each changes under the lock of its own pool. What was passed over is the sum of a place's
-- rows; an offer stands in all of them.
CREATE TABLE keelson.grant_wait_pools (
  place bigint NOT NULL,
  pool text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  run_turn bigint NOT NULL,
  bypassed integer NOT NULL DEFAULT 0,
  offered_until bigint,
  PRIMARY KEY (place, pool)
);
CREATE INDEX grant_wait_pools_line ON keelson.grant_wait_pools (pool, place);
CREATE INDEX grant_wait_pools_offered ON keelson.grant_wait_pools (pool, place) WHERE offered_until IS NOT NULL;

-- A letter that came without ringing the run's bell, because the writer must not lock the run's row.
ALTER TABLE keelson.run_inbox ADD COLUMN silent boolean NOT NULL DEFAULT false;
CREATE INDEX run_inbox_silent ON keelson.run_inbox (inserted_at, run_key) WHERE silent AND consumed_seq IS NULL;

-- `p_grants` is a list of {place, releases, claims, waits}. Gives the pools it may touch, locked: its own, and those
-- that somebody wants who waits for one of them. Who comes to wait later and wants others is left to the sweep.
CREATE FUNCTION keelson.lock_pools(p_key bigint[], p_grants jsonb) RETURNS text[] LANGUAGE plpgsql AS $$
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

-- Why a claim cannot be granted, or NULL: what is impossible first, then the first pool by name that stands in the way.
-- An offer that was made is kept, whoever starves since. p_pools: their state as the claimant would find it. p_served:
-- places that wait no longer. p_gone: who went first just now, each with place and wants, and was not counted yet.
CREATE FUNCTION keelson.grant_obstacle(
  p_place bigint, p_offered boolean, p_wants jsonb, p_pools keelson.pools[], p_served bigint[], p_gone jsonb,
  p_now bigint
) RETURNS jsonb LANGUAGE plpgsql AS $$
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

-- Nobody would come for an offer to a run that was set aside or has ended.
CREATE FUNCTION keelson.can_be_served(p_place bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT 1 FROM keelson.grant_waits w CROSS JOIN LATERAL (SELECT 1 FROM keelson.runs r
    WHERE r.run_key = w.run_key AND r.quarantine IS NULL AND r.status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED')
    OFFSET 0) AS live WHERE w.place = p_place)
$$;

-- Whether units of a pool are kept for a starving waiter that is older: one passed over 10 times, to whom nothing is
-- offered, and whose run would come for it.
CREATE FUNCTION keelson.is_kept_for_older(p_pool text, p_place bigint, p_served bigint[], p_gone jsonb, p_now bigint)
RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT 1 FROM keelson.grant_wait_pools o
    WHERE o.pool = p_pool AND (p_place IS NULL OR o.place < p_place) AND o.place <> ALL (p_served)
      AND (o.offered_until IS NULL OR o.offered_until <= p_now) AND keelson.can_be_served(o.place)
      AND 10 <= (SELECT sum(s.bypassed) FROM keelson.grant_wait_pools s WHERE s.place = o.place)
        + (SELECT count(*) FROM jsonb_to_recordset(p_gone) AS g(place bigint, wants jsonb)
          WHERE (g.place IS NULL OR g.place > o.place) AND EXISTS (
            SELECT 1 FROM keelson.grant_wait_pools s WHERE s.place = o.place AND g.wants ? s.pool)))
$$;

-- Releases, then claims, on a copy of the pools: nothing is written. Gives the refused claims, or else the pools as
-- they would be, the claims that are newly granted, and the pools of which units were freed.
CREATE FUNCTION keelson.take_grants(p_key bigint, p_entry jsonb, p_locked text[], p_now bigint,
  OUT o_refused jsonb, OUT o_pools keelson.pools[], OUT o_granted jsonb, OUT o_freed text[]) LANGUAGE plpgsql AS $$
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

-- Writes what take_grants found, sets the run's waiting slots, and offers what that freed.
CREATE FUNCTION keelson.move_grants(p_key bigint, p_entry jsonb, p_locked text[], p_now bigint,
  p_pools keelson.pools[], p_granted jsonb, p_freed text[]) RETURNS void LANGUAGE plpgsql AS $$
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
