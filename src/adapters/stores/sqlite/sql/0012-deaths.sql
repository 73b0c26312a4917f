-- How often in a row a run's driver vanished without giving its lease back: what was at work then is suspect.
ALTER TABLE runs ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
