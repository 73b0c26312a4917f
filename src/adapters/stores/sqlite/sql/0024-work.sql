-- Work that plans leave to remote workers: a row for each attempt that was sent to a queue, and who asks for such work.
CREATE TABLE work (
  run_key INTEGER NOT NULL,
  slot TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  tenant_id TEXT NOT NULL CHECK (tenant_id <> ''),
  revision INTEGER NOT NULL CHECK (revision > 0),
  state TEXT NOT NULL CHECK (state IN ('offered', 'claimed', 'reported', 'closed')),
  queue TEXT NOT NULL,
  handler TEXT NOT NULL,
  irreversible INTEGER NOT NULL,
  secrets INTEGER NOT NULL,
  engine_attempt INTEGER NOT NULL,
  offered_at INTEGER NOT NULL,
  touched_at INTEGER NOT NULL,
  claims INTEGER NOT NULL,
  -- Of the last claim; its token is kept nowhere.
  claim_sha256 TEXT,
  claim_worker TEXT,
  claimed_at INTEGER,
  claimed_until INTEGER,
  claim_lease_ms INTEGER,
  -- A JSON object: what a worker is given.
  body TEXT NOT NULL,
  -- A JSON object: what a worker reported.
  report TEXT,
  PRIMARY KEY (run_key, slot, attempt)
) STRICT;

CREATE INDEX work_open ON work (tenant_id, queue, offered_at) WHERE state IN ('offered', 'claimed');
CREATE INDEX work_claim ON work (tenant_id, claim_sha256) WHERE claim_sha256 IS NOT NULL;
CREATE INDEX work_touched ON work (touched_at);

CREATE TABLE workers (
  tenant_id TEXT NOT NULL CHECK (tenant_id <> ''),
  worker TEXT NOT NULL,
  actor_id TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  -- A JSON object: what it asked for.
  body TEXT NOT NULL,
  PRIMARY KEY (tenant_id, worker, actor_id)
) STRICT;

CREATE INDEX workers_asked ON workers (tenant_id, asked_at);
