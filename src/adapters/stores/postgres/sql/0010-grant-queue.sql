-- The queue for grants (docs/adr/0002-grants.md): who comes and goes, who was passed over, and to whom free units are
-- offered. All of it is done by whoever holds the pools it touches.

-- Everybody older who waits for one of these pools was passed over: once, on the first of them by name.
CREATE FUNCTION keelson.pass_over(p_place bigint, p_wants jsonb, p_now bigint) RETURNS void LANGUAGE sql AS $$
  UPDATE keelson.grant_wait_pools o SET bypassed = o.bypassed + 1
  FROM (SELECT DISTINCT ON (f.place) f.place, f.pool FROM keelson.grant_wait_pools f
    WHERE f.pool IN (SELECT jsonb_object_keys(p_wants)) AND (p_place IS NULL OR f.place < p_place)
      AND (f.offered_until IS NULL OR f.offered_until <= p_now)
    ORDER BY f.place, f.pool) AS first
  WHERE o.place = first.place AND o.pool = first.pool
$$;

-- The run's slots that wait no longer, out of line. Gives the pools they waited for.
CREATE FUNCTION keelson.leave_line(p_key bigint, p_waits jsonb) RETURNS text[] LANGUAGE plpgsql AS $$
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

-- The run's slots that begin to wait, at the end of the line; each further one of a run waits one turn longer.
CREATE FUNCTION keelson.join_line(p_key bigint, p_tenant text, p_waits jsonb, p_now bigint) RETURNS text[]
LANGUAGE plpgsql AS $$
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

-- Offers free units of these pools to the first waiters that fit, and writes to their runs without touching their rows.
CREATE FUNCTION keelson.offer_units(p_pools text[], p_locked text[], p_now bigint) RETURNS integer
LANGUAGE plpgsql AS $$
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

-- The first in line whom an offer of this pool would help: starving ones by place; then by priority, the tenant's turn,
-- the run's turn, place. Up to 100 that do not fit are passed over.
CREATE FUNCTION keelson.first_that_fits(p_pool text, p_pools keelson.pools[], p_locked text[], p_now bigint,
  OUT o_place bigint, OUT o_wants jsonb) LANGUAGE plpgsql AS $$
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

-- Makes up for what was lost: an offer that ran out is nobody's, and whatever is free is offered. Without anybody in
-- line it locks nothing.
CREATE FUNCTION keelson.sweep_grants(p_now bigint) RETURNS integer LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off
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
  RETURN keelson.offer_units(v_pools, v_pools, v_now);
END $$;
