-- Two group roles for a database that Keelson has migrated as its owner. Run it once as the owner, with the right to
-- create roles, and again after an upgrade; then grant keelson_runner to the login that serves and works, and
-- keelson_archivist to the one that archives. Neither may delete, truncate or rewrite an event: the runner may set the
-- erasable columns to NULL under an erasure ticket, and an archive ticket deletes with the owner's rights.
DO $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'keelson_runner') THEN
    CREATE ROLE keelson_runner NOLOGIN;
  END IF;
  IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'keelson_archivist') THEN
    CREATE ROLE keelson_archivist NOLOGIN;
  END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
  NULL;
END $$;

GRANT USAGE ON SCHEMA keelson TO keelson_runner, keelson_archivist;
GRANT SELECT ON ALL TABLES IN SCHEMA keelson TO keelson_runner;
GRANT INSERT, UPDATE ON keelson.runs, keelson.run_inbox, keelson.run_context, keelson.run_snapshots,
  keelson.scope_pauses TO keelson_runner;
GRANT INSERT ON keelson.events, keelson.run_blobs, keelson.plans, keelson.step_claims TO keelson_runner;
GRANT UPDATE (data, salt) ON keelson.events TO keelson_runner;
GRANT INSERT, DELETE ON keelson.erasure_tickets TO keelson_runner;
GRANT DELETE ON keelson.run_blobs, keelson.run_context, keelson.run_snapshots TO keelson_runner;
GRANT INSERT, UPDATE ON keelson.status_counts, keelson.pools, keelson.pool_tenants TO keelson_runner;
GRANT INSERT, UPDATE, DELETE ON keelson.grants, keelson.grant_waits, keelson.grant_wait_pools, keelson.feed_subscribers,
  keelson.feed_cursors, keelson.feed_behind, keelson.feed_dead_letters TO keelson_runner;

GRANT SELECT ON keelson.runs, keelson.events, keelson.migrations TO keelson_archivist;
GRANT SELECT, INSERT ON keelson.archive_tickets TO keelson_archivist;
