-- What starts runs without a person: schedules, and triggers for signed deliveries of other programs.
CREATE TABLE schedules (
  tenant_id TEXT NOT NULL CHECK (tenant_id <> ''),
  schedule_id TEXT NOT NULL,
  revision INTEGER NOT NULL CHECK (revision > 0),
  -- When somebody must look at it; nobody has to where it is empty.
  due_at INTEGER,
  -- A JSON object.
  body TEXT NOT NULL,
  PRIMARY KEY (tenant_id, schedule_id)
) STRICT;

CREATE INDEX schedules_due ON schedules (due_at) WHERE due_at IS NOT NULL;

-- The address tells whose it is, so there is one of it in the whole store.
CREATE TABLE triggers (
  tenant_id TEXT NOT NULL CHECK (tenant_id <> ''),
  name TEXT NOT NULL,
  address TEXT NOT NULL,
  revision INTEGER NOT NULL CHECK (revision > 0),
  -- A JSON object.
  body TEXT NOT NULL,
  PRIMARY KEY (tenant_id, name)
) STRICT;

CREATE UNIQUE INDEX triggers_address ON triggers (address);

CREATE TABLE trigger_deliveries (
  delivery_pos INTEGER PRIMARY KEY,
  tenant_id TEXT NOT NULL CHECK (tenant_id <> ''),
  name TEXT NOT NULL,
  at INTEGER NOT NULL,
  -- A JSON object.
  body TEXT NOT NULL
) STRICT;

CREATE INDEX trigger_deliveries_trigger ON trigger_deliveries (tenant_id, name, delivery_pos);
