-- The largest waiter of a pool, to see at a glance that nobody wants more than there can ever be.
CREATE INDEX grant_waits_amount ON grant_waits (pool, amount);
