-- What hangs on a run beside its log: letters to it, captured variables, large values.
CREATE TABLE keelson.run_inbox (
  inbox_pos bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_key bigint NOT NULL,
  inbox_id text NOT NULL,
  kind text NOT NULL,
  body text NOT NULL,
  -- Hex, once the body was erased: enough to recognise a repeat.
  body_sha256 text,
  inserted_at bigint NOT NULL,
  consumed_seq bigint,
  CONSTRAINT run_inbox_id UNIQUE (run_key, inbox_id)
);

CREATE INDEX run_inbox_unconsumed ON keelson.run_inbox (run_key, inbox_pos) WHERE consumed_seq IS NULL;

CREATE TABLE keelson.run_context (
  run_key bigint NOT NULL,
  variable text NOT NULL,
  seq bigint NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (run_key, variable, seq)
);

CREATE TABLE keelson.run_blobs (
  run_key bigint NOT NULL,
  sha256 text NOT NULL,
  text text NOT NULL,
  PRIMARY KEY (run_key, sha256)
);
