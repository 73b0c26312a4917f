-- Who paused a plan or a tenant, and when; since when it holds. Unknown of pauses that were set before.
ALTER TABLE scope_pauses ADD COLUMN set_by TEXT;
ALTER TABLE scope_pauses ADD COLUMN set_at INTEGER;
ALTER TABLE scope_pauses ADD COLUMN since INTEGER;

-- Every turn asks for those that hold; hardly ever is there one.
CREATE INDEX scope_pauses_active ON scope_pauses (tenant_id) WHERE active = 1;

-- When units were taken; unknown of those that were taken before.
ALTER TABLE grant_holds ADD COLUMN since INTEGER;
