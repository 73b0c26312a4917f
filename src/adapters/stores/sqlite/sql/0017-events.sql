-- Events from outside, kept for steps that wait for them later, and the steps that wait now (P-54).
CREATE TABLE sent_events (
  event_pos INTEGER PRIMARY KEY,
  tenant_id TEXT NOT NULL CHECK (tenant_id <> ''),
  event_id TEXT NOT NULL,
  name TEXT NOT NULL,
  -- Empty for an event without a key.
  event_key TEXT NOT NULL,
  -- Canonical JSON. After an erasure: the JSON null, and beside it the hash of what it was.
  data TEXT NOT NULL,
  data_sha256 TEXT,
  sent_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX sent_events_id ON sent_events (tenant_id, event_id);
CREATE INDEX sent_events_key ON sent_events (tenant_id, name, event_key, expires_at);
CREATE INDEX sent_events_kept ON sent_events (tenant_id, expires_at);
CREATE INDEX sent_events_over ON sent_events (expires_at);

CREATE TABLE event_waits (
  run_key INTEGER NOT NULL,
  slot TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  tenant_id TEXT NOT NULL CHECK (tenant_id <> ''),
  name TEXT NOT NULL,
  event_key TEXT NOT NULL,
  PRIMARY KEY (run_key, slot, attempt)
) STRICT, WITHOUT ROWID;

CREATE INDEX event_waits_key ON event_waits (tenant_id, name, event_key);
