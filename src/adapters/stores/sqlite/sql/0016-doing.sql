-- What the driver is about to do with a run whose drivers died, and what the dead were doing with it: a run whose very fold or
-- decision ends its process is found by this. The epoch it was taken under is still its own until it has been taken over.
ALTER TABLE runs ADD COLUMN doing TEXT;
ALTER TABLE runs ADD COLUMN died_doing TEXT;
ALTER TABLE runs ADD COLUMN taken_epoch INTEGER;
