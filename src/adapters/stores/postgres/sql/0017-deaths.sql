-- How often in a row a run's driver vanished without giving its lease back: what was at work then is suspect.
ALTER TABLE keelson.runs ADD COLUMN IF NOT EXISTS deaths integer NOT NULL DEFAULT 0;
