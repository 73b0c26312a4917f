-- Plans by hash, snapshots as caches of the log, begin-claims of attempts, pauses that span runs.
CREATE TABLE plans (
  plan_pos INTEGER PRIMARY KEY,
  sha256 TEXT NOT NULL UNIQUE,
  plan_id TEXT NOT NULL,
  plan_version TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;

CREATE INDEX plans_by_id ON plans (plan_id, plan_version);

CREATE TABLE run_snapshots (
  run_key INTEGER NOT NULL,
  kind TEXT NOT NULL,
  seq INTEGER NOT NULL,
  rules_version INTEGER NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (run_key, kind, seq)
) STRICT;

CREATE TABLE step_claims (
  claim_pos INTEGER PRIMARY KEY,
  run_key INTEGER NOT NULL,
  slot TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  claimant TEXT NOT NULL,
  UNIQUE (run_key, slot, attempt)
) STRICT;

-- tenant_id is empty for a pause of the whole fleet: only there does a pause without a tenant exist.
CREATE TABLE scope_pauses (
  pause_pos INTEGER PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  pause_id TEXT NOT NULL,
  scope TEXT NOT NULL,
  reason TEXT,
  active INTEGER NOT NULL,
  UNIQUE (tenant_id, pause_id)
) STRICT;
