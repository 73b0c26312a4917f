-- What the driver is about to do with a run whose drivers died, and what the dead were doing with it: a run whose very fold or
-- decision ends its process is found by this. The epoch it was taken under is still its own until it has been taken over.
ALTER TABLE keelson.runs ADD COLUMN IF NOT EXISTS doing text;
ALTER TABLE keelson.runs ADD COLUMN IF NOT EXISTS died_doing text;
ALTER TABLE keelson.runs ADD COLUMN IF NOT EXISTS taken_epoch bigint;
