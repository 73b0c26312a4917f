-- What the group roles may do, each time as a whole: run by `keelson store init --roles` and after every migration, as the
-- owner. Nobody but the owner can change or delete an event, a blob, a plan or a claim: the runner writes an erasure ticket,
-- the archivist an archive ticket, and the database does the rest with the owner's rights.
REVOKE ALL ON SCHEMA keelson FROM PUBLIC, keelson_runner, keelson_tenant_runner, keelson_archivist;
REVOKE ALL ON ALL TABLES IN SCHEMA keelson FROM PUBLIC, keelson_runner, keelson_tenant_runner, keelson_archivist;
REVOKE ALL ON ALL SEQUENCES IN SCHEMA keelson FROM PUBLIC, keelson_runner, keelson_tenant_runner, keelson_archivist;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA keelson FROM PUBLIC, keelson_runner, keelson_tenant_runner, keelson_archivist;

GRANT USAGE ON SCHEMA keelson TO keelson_runner, keelson_tenant_runner, keelson_archivist;
GRANT SELECT ON ALL TABLES IN SCHEMA keelson TO keelson_runner, keelson_tenant_runner, keelson_archivist;
REVOKE SELECT ON keelson.archive_tickets FROM keelson_tenant_runner;

GRANT INSERT ON keelson.events, keelson.run_inbox, keelson.run_context, keelson.run_blobs, keelson.run_snapshots,
  keelson.plans, keelson.plan_publications, keelson.step_claims, keelson.scope_pauses, keelson.status_counts, keelson.pools,
  keelson.pool_tenants,
  keelson.grants, keelson.grant_waits, keelson.grant_wait_pools, keelson.feed_subscribers, keelson.feed_cursors,
  keelson.feed_behind, keelson.feed_dead_letters, keelson.erasure_tickets, keelson.sent_events, keelson.event_waits,
  keelson.event_keys, keelson.run_labels, keelson.api_keys, keelson.api_requests,
  keelson.signal_decisions, keelson.audit_log, keelson.audit_heads, keelson.run_limits, keelson.schedules, keelson.triggers,
  keelson.trigger_deliveries, keelson.operations, keelson.operation_runs, keelson.work, keelson.workers, keelson.views
  TO keelson_runner, keelson_tenant_runner;
-- Which tenants there are is not a tenant's to say.
GRANT INSERT ON keelson.tenants TO keelson_runner;
GRANT UPDATE (deleted_at) ON keelson.tenants TO keelson_runner;
GRANT UPDATE (consumed_seq, silent) ON keelson.run_inbox TO keelson_runner, keelson_tenant_runner;
GRANT UPDATE (value) ON keelson.run_context TO keelson_runner, keelson_tenant_runner;
GRANT UPDATE (rules_version, body) ON keelson.run_snapshots TO keelson_runner, keelson_tenant_runner;
GRANT UPDATE (scope, reason, active, set_by, set_at, since) ON keelson.scope_pauses TO keelson_runner, keelson_tenant_runner;
GRANT UPDATE (runs) ON keelson.status_counts TO keelson_runner, keelson_tenant_runner;
GRANT UPDATE (used, taken, taken_window, turn, failures, open_until, probe) ON keelson.pools
  TO keelson_runner, keelson_tenant_runner;
-- Limits of the whole fleet are not a tenant's to change.
GRANT UPDATE (capacity, window_ms, breaker_failures, breaker_open_ms) ON keelson.pools TO keelson_runner;
GRANT UPDATE (turn) ON keelson.pool_tenants TO keelson_runner, keelson_tenant_runner;
GRANT UPDATE (bypassed, offered_until) ON keelson.grant_wait_pools TO keelson_runner, keelson_tenant_runner;
GRANT UPDATE (generation, xid, run_key) ON keelson.feed_subscribers TO keelson_runner, keelson_tenant_runner;
GRANT UPDATE (name, event_key) ON keelson.event_waits TO keelson_runner, keelson_tenant_runner;
GRANT UPDATE (used_at) ON keelson.event_keys TO keelson_runner, keelson_tenant_runner;
GRANT UPDATE (seq) ON keelson.feed_cursors TO keelson_runner, keelson_tenant_runner;
GRANT UPDATE (attempts, retry_at, error) ON keelson.feed_behind TO keelson_runner, keelson_tenant_runner;
GRANT UPDATE (revoked_at, last_used_at) ON keelson.api_keys TO keelson_runner, keelson_tenant_runner;
GRANT UPDATE (body_sha256, owner, owned_until, execution_id, answered_at, answer) ON keelson.api_requests
  TO keelson_runner, keelson_tenant_runner;
GRANT UPDATE (decision, reason, approved_by, approved_at, engine_processed_at, engine_status, engine_error_code)
  ON keelson.signal_decisions TO keelson_runner, keelson_tenant_runner;
GRANT UPDATE (max_running, rate_per_minute, when_full, priority, max_concurrent_steps, set_by, set_at) ON keelson.run_limits
  TO keelson_runner, keelson_tenant_runner;
GRANT UPDATE (shared, name, filter, saved_at) ON keelson.views TO keelson_runner, keelson_tenant_runner;
GRANT UPDATE (position, hash) ON keelson.audit_heads TO keelson_runner, keelson_tenant_runner;
GRANT UPDATE (revision, due_at, body) ON keelson.schedules TO keelson_runner, keelson_tenant_runner;
GRANT UPDATE (revision, body) ON keelson.triggers TO keelson_runner, keelson_tenant_runner;
GRANT UPDATE (revision, due_at, body) ON keelson.operations TO keelson_runner, keelson_tenant_runner;
GRANT UPDATE (outcome, code) ON keelson.operation_runs TO keelson_runner, keelson_tenant_runner;
GRANT UPDATE (asked_at) ON keelson.feed_dead_letters TO keelson_runner, keelson_tenant_runner;
GRANT UPDATE (revision, state, engine_attempt, touched_at, claims, claim_sha256, claim_worker, claimed_at, claimed_until,
  claim_lease_ms, report)
  ON keelson.work TO keelson_runner, keelson_tenant_runner;
GRANT UPDATE (report) ON keelson.ended_claims TO keelson_runner, keelson_tenant_runner;
GRANT UPDATE (asked_at, body) ON keelson.workers TO keelson_runner, keelson_tenant_runner;
GRANT DELETE ON keelson.grants, keelson.grant_waits, keelson.grant_wait_pools, keelson.feed_subscribers, keelson.feed_cursors,
  keelson.feed_behind, keelson.feed_dead_letters, keelson.sent_events, keelson.event_waits, keelson.event_keys,
  keelson.api_requests, keelson.run_limits, keelson.schedules, keelson.triggers, keelson.trigger_deliveries,
  keelson.work, keelson.workers, keelson.views
  TO keelson_runner, keelson_tenant_runner;
GRANT INSERT ON keelson.archive_tickets TO keelson_archivist;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA keelson TO keelson_runner, keelson_tenant_runner, keelson_archivist;

DO $$
DECLARE
  v_mine text := 'tenant_id = ANY (ARRAY(SELECT keelson.own_tenants()))';
  v_names text := 'EXISTS (SELECT 1 FROM keelson.own_tenants() AS o WHERE starts_with(subscriber, keelson.subscriber_scope(o)))';
  -- A tenant's own pool is named after it; one without a tenant in its name is the fleet's.
  v_pool text := 'strpos(pool, ''@'') > 0 AND substr(pool, strpos(pool, ''@'') + 1) = ANY (ARRAY(SELECT keelson.own_tenants()))';
  v_run text := 'EXISTS (SELECT 1 FROM keelson.runs r WHERE r.run_key = %I.run_key)';
  v_table record;
  v_seen text;
  v_written text;
BEGIN
  -- The key of a run is the database's to give: who could choose it would take those of others before they come.
  EXECUTE (SELECT format('GRANT INSERT (%s) ON keelson.runs TO keelson_runner, keelson_tenant_runner',
      string_agg(format('%I', a.attname), ', '))
    FROM pg_attribute a WHERE a.attrelid = 'keelson.runs'::regclass AND a.attnum > 0 AND NOT a.attisdropped
      AND a.attname <> 'run_key');

  -- Of a run's row everything moves but what it is: whose, of which plan, called what, and whether it was archived.
  EXECUTE (SELECT format('GRANT UPDATE (%s) ON keelson.runs TO keelson_runner, keelson_tenant_runner',
      string_agg(format('%I', a.attname), ', '))
    FROM pg_attribute a WHERE a.attrelid = 'keelson.runs'::regclass AND a.attnum > 0 AND NOT a.attisdropped
      AND a.attname NOT IN ('run_key', 'run_id', 'tenant_id', 'project_id', 'environment_id', 'plan_id', 'plan_version',
        'plan_sha256', 'request_key', 'original_run_id', 'parent_run_id', 'parent_slot', 'parent_attempt', 'triggered_by',
        'created_at', 'archived_at', 'archived_to'));

  FOR v_table IN
    SELECT c.relname AS name, bool_or(a.attname = 'tenant_id') AS has_tenant, bool_or(a.attname = 'run_key') AS has_run,
      bool_or(a.attname = 'subscriber') AS has_subscriber
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relnamespace = 'keelson'::regnamespace AND c.relkind = 'r' AND c.relname NOT IN ('migrations', 'feed_generation')
    GROUP BY c.relname
  LOOP
    v_seen := CASE
      WHEN v_table.name = 'grant_wait_pools'
        THEN 'EXISTS (SELECT 1 FROM keelson.grant_waits w WHERE w.place = grant_wait_pools.place)'
      WHEN v_table.name = 'pools' THEN v_pool
      WHEN v_table.name = 'feed_subscribers' THEN v_names
      WHEN v_table.has_subscriber THEN v_names || ' AND ' || format(v_run, v_table.name)
      WHEN v_table.name = 'tenant_roles' THEN 'pg_has_role((SELECT r.oid FROM pg_roles r WHERE r.rolname = role_name), ''USAGE'')'
      WHEN v_table.has_tenant THEN v_mine
      WHEN v_table.has_run THEN format(v_run, v_table.name)
      ELSE 'false' END;
    v_written := v_seen;
    -- What is the fleet's has no tenant: it holds for everybody and is not a tenant's to write.
    IF v_table.name = 'scope_pauses' THEN
      v_seen := v_seen || ' OR tenant_id = ''''';
    ELSIF v_table.name = 'pools' THEN
      v_seen := v_seen || ' OR strpos(pool, ''@'') = 0';
    END IF;
    EXECUTE format('ALTER TABLE keelson.%I ENABLE ROW LEVEL SECURITY', v_table.name);
    EXECUTE format('DROP POLICY IF EXISTS all_tenants ON keelson.%I', v_table.name);
    EXECUTE format('DROP POLICY IF EXISTS own_tenant ON keelson.%I', v_table.name);
    EXECUTE format('DROP POLICY IF EXISTS own_tenant_sees ON keelson.%I', v_table.name);
    EXECUTE format('CREATE POLICY all_tenants ON keelson.%I TO keelson_runner, keelson_archivist USING (true)', v_table.name);
    EXECUTE format('CREATE POLICY own_tenant ON keelson.%I TO keelson_tenant_runner USING (%s) WITH CHECK (%s)',
      v_table.name, v_written, v_written);
    IF v_seen <> v_written THEN
      EXECUTE format('CREATE POLICY own_tenant_sees ON keelson.%I FOR SELECT TO keelson_tenant_runner USING (%s)',
        v_table.name, v_seen);
    END IF;
    -- The units of the fleet's pools are counted by whoever takes them.
    IF v_table.name = 'pools' THEN
      DROP POLICY IF EXISTS own_tenant_counts ON keelson.pools;
      EXECUTE format('CREATE POLICY own_tenant_counts ON keelson.pools FOR UPDATE TO keelson_tenant_runner USING (%s)
        WITH CHECK (%s)', v_seen, v_seen);
    END IF;
  END LOOP;
END $$;
