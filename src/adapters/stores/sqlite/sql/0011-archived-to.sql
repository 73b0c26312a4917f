-- Where the bundle of an archived run was put: what is left of the run here is its row.
ALTER TABLE runs ADD COLUMN archived_to TEXT;
