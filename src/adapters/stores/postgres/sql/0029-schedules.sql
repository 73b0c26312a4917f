-- What starts runs without a person: schedules, and triggers for signed deliveries of other programs.
CREATE TABLE keelson.schedules (
  tenant_id text NOT NULL CHECK (tenant_id <> ''),
  schedule_id text COLLATE "C" NOT NULL,
  revision bigint NOT NULL CHECK (revision > 0),
  -- When somebody must look at it; nobody has to where it is empty.
  due_at bigint,
  -- A JSON object.
  body text NOT NULL,
  PRIMARY KEY (tenant_id, schedule_id)
);

CREATE INDEX schedules_due ON keelson.schedules (due_at) WHERE due_at IS NOT NULL;

-- The address tells whose it is, so there is one of it in the whole store.
CREATE TABLE keelson.triggers (
  tenant_id text NOT NULL CHECK (tenant_id <> ''),
  name text COLLATE "C" NOT NULL,
  address text NOT NULL,
  revision bigint NOT NULL CHECK (revision > 0),
  -- A JSON object.
  body text NOT NULL,
  PRIMARY KEY (tenant_id, name)
);

CREATE UNIQUE INDEX triggers_address ON keelson.triggers (address);

CREATE TABLE keelson.trigger_deliveries (
  delivery_pos bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id text NOT NULL CHECK (tenant_id <> ''),
  name text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  -- A JSON object.
  body text NOT NULL
);

CREATE INDEX trigger_deliveries_trigger ON keelson.trigger_deliveries (tenant_id, name, delivery_pos);
