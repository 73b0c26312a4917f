-- Most references only repeat the run's id, which has an index of its own; a second random one costs every start. A
-- process of the version before still finds what it asks for, by a longer way.
DROP INDEX keelson.runs_engine_ref;
CREATE INDEX runs_engine_ref ON keelson.runs (tenant_id, engine_run_ref, run_key)
  WHERE engine_run_ref <> engine_type || '://' || run_id;
