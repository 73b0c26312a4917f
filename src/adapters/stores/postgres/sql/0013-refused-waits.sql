-- A slot that came to wait and then saw its pool shrink below what it wants would wait for ever: the sweep writes to it,
-- so that it asks once more and is refused for good (RES-06, docs/adr/0002-grants.md).

-- The largest waiter of a pool, to see at a glance that nobody wants more than there can ever be.
CREATE INDEX grant_wait_pools_amount ON keelson.grant_wait_pools (pool, amount);

-- One letter at a time: who has not read the last one gets no other.
CREATE FUNCTION keelson.write_to_refused(p_now bigint) RETURNS void LANGUAGE plpgsql AS $$
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

CREATE OR REPLACE FUNCTION keelson.sweep_grants(p_now bigint) RETURNS integer LANGUAGE plpgsql
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
  PERFORM keelson.write_to_refused(v_now);
  RETURN keelson.offer_units(v_pools, v_pools, v_now);
END $$;
