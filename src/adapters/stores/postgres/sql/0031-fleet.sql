-- Operations on many runs at once: what is to be done, the runs that were chosen, and what came of each.
CREATE TABLE keelson.operations (
  tenant_id text NOT NULL CHECK (tenant_id <> ''),
  operation_id text COLLATE "C" NOT NULL,
  revision bigint NOT NULL CHECK (revision > 0),
  -- When somebody must carry it on; nobody has to where it is empty.
  due_at bigint,
  created_at bigint NOT NULL,
  -- A JSON object.
  body text NOT NULL,
  PRIMARY KEY (tenant_id, operation_id)
);

CREATE INDEX operations_due ON keelson.operations (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX operations_created ON keelson.operations (tenant_id, created_at, operation_id);

CREATE TABLE keelson.operation_runs (
  tenant_id text NOT NULL CHECK (tenant_id <> ''),
  operation_id text COLLATE "C" NOT NULL,
  -- Its place in the order in which the runs have their turn.
  place bigint NOT NULL,
  run_id text NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('OPEN', 'DONE', 'LEFT', 'APPROVAL', 'REFUSED')),
  -- Of a refusal.
  code text,
  PRIMARY KEY (tenant_id, operation_id, place)
);

CREATE UNIQUE INDEX operation_runs_run ON keelson.operation_runs (tenant_id, operation_id, run_id);
CREATE INDEX operation_runs_outcome ON keelson.operation_runs (tenant_id, operation_id, outcome, place);

-- When somebody asked for a dead letter to be delivered once more; whoever follows under that name does so.
ALTER TABLE keelson.feed_dead_letters ADD COLUMN asked_at bigint;
