-- Plans by hash, snapshots as caches of the log, begin-claims of attempts, pauses that span runs.
CREATE TABLE keelson.plans (
  plan_pos bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  sha256 text NOT NULL UNIQUE,
  plan_id text NOT NULL,
  plan_version text NOT NULL,
  text text NOT NULL
);

CREATE INDEX plans_by_id ON keelson.plans (plan_id, plan_pos);

CREATE TABLE keelson.run_snapshots (
  run_key bigint NOT NULL,
  kind text NOT NULL,
  seq bigint NOT NULL,
  rules_version integer NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (run_key, kind, seq)
);

CREATE TABLE keelson.step_claims (
  claim_pos bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_key bigint NOT NULL,
  slot text NOT NULL,
  attempt integer NOT NULL,
  claimant text NOT NULL,
  UNIQUE (run_key, slot, attempt)
);

-- tenant_id is empty for a pause of the whole fleet: only there does a pause without a tenant exist.
CREATE TABLE keelson.scope_pauses (
  pause_pos bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id text NOT NULL,
  pause_id text NOT NULL,
  scope text NOT NULL,
  reason text,
  active boolean NOT NULL,
  UNIQUE (tenant_id, pause_id)
);
