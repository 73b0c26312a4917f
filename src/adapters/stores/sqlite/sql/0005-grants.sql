-- What spans runs (P-18, P-19): pools, the units held of them, and the slots that wait for units.
CREATE TABLE pools (
  pool TEXT PRIMARY KEY,
  capacity INTEGER NOT NULL,
  -- NULL unless the pool is a quota; then `used` counts what was taken in the window of that number.
  window_ms INTEGER,
  window_number INTEGER NOT NULL DEFAULT 0,
  used INTEGER NOT NULL DEFAULT 0,
  breaker_failures INTEGER,
  breaker_open_ms INTEGER,
  -- Failures in a row, and the end of the breaker's last opening until a release says that all is well.
  failures INTEGER NOT NULL DEFAULT 0,
  open_until INTEGER,
  -- The attempt that was let through after that end.
  probe TEXT,
  turn INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE pool_tenants (
  pool TEXT NOT NULL,
  tenant_id TEXT NOT NULL,
  turn INTEGER NOT NULL,
  PRIMARY KEY (pool, tenant_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE grant_holds (
  run_key INTEGER NOT NULL,
  slot TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  pool TEXT NOT NULL,
  amount INTEGER NOT NULL,
  PRIMARY KEY (run_key, slot, attempt, pool)
) STRICT, WITHOUT ROWID;

CREATE INDEX grant_holds_pool ON grant_holds (pool);

-- A row per waiting slot and pool. All rows of a slot share place, offer and bypasses; amount and turn are the pool's.
CREATE TABLE grant_waits (
  pool TEXT NOT NULL,
  place INTEGER NOT NULL,
  run_key INTEGER NOT NULL,
  slot TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  tenant_id TEXT NOT NULL,
  priority REAL NOT NULL,
  amount INTEGER NOT NULL,
  run_turn INTEGER NOT NULL,
  since INTEGER NOT NULL,
  offers INTEGER NOT NULL DEFAULT 0,
  offered_until INTEGER,
  bypassed INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (pool, place)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX grant_waits_slot ON grant_waits (run_key, slot, attempt, pool);
CREATE INDEX grant_waits_place ON grant_waits (place);
CREATE INDEX grant_waits_turn ON grant_waits (pool, run_key, run_turn);
CREATE INDEX grant_waits_offered ON grant_waits (pool, offered_until, amount) WHERE offered_until IS NOT NULL;
CREATE INDEX grant_waits_starving ON grant_waits (pool, place) WHERE bypassed >= 10;
