-- Who paused a plan or a tenant, and when; since when it holds. Unknown of pauses that were set before.
ALTER TABLE keelson.scope_pauses ADD COLUMN set_by text, ADD COLUMN set_at bigint, ADD COLUMN since bigint;

-- Every turn asks for those that hold; hardly ever is there one.
CREATE INDEX scope_pauses_active ON keelson.scope_pauses (tenant_id) WHERE active;

-- Pauses that are over are no part of what a turn would have read.
CREATE OR REPLACE FUNCTION keelson.unread_of(p_run_key bigint, p_tenant_id text) RETURNS text LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $$
  SELECT json_build_object(
    'inboxRows', coalesce((
      SELECT json_agg(json_build_object('inboxId', i.inbox_id, 'kind', i.kind, 'body', i.body, 'insertedAt', i.inserted_at)
        ORDER BY i.inbox_pos)
      FROM keelson.run_inbox i WHERE i.run_key = p_run_key AND i.consumed_seq IS NULL), '[]'),
    'pauses', coalesce((
      SELECT json_agg(json_strip_nulls(json_build_object('pauseId', p.pause_id, 'scope', p.scope,
        'tenantId', nullif(p.tenant_id, ''), 'reason', p.reason, 'active', p.active)) ORDER BY p.pause_pos)
      FROM keelson.scope_pauses p WHERE p.active AND p.tenant_id IN ('', p_tenant_id)), '[]'))::text
$$;

-- When units were taken; unknown of those that were taken before.
ALTER TABLE keelson.grants ADD COLUMN since bigint;

-- Writes what take_grants found, sets the run's waiting slots, and offers what that freed.
CREATE OR REPLACE FUNCTION keelson.move_grants(p_key bigint, p_entry jsonb, p_locked text[], p_now bigint,
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
    INSERT INTO keelson.grants (run_key, slot, attempt, pool, amount, since)
      SELECT p_key, v_one.slot, v_one.attempt, w.key, w.value::bigint, p_now FROM jsonb_each_text(v_one.wants) AS w;
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
