-- Agents are each tenant's own, and so are their breakers: those that plans made for all by naming them go, the rest are limits.
DELETE FROM pools WHERE pool LIKE 'agent:%' AND pool NOT LIKE '%@%' AND capacity = 3 AND breaker_failures = 5
  AND breaker_open_ms = 60000 AND pool NOT IN (SELECT pool FROM grant_holds)
  AND pool NOT IN (SELECT pool FROM grant_waits);
UPDATE pools SET breaker_failures = NULL, breaker_open_ms = NULL, failures = 0, open_until = NULL, probe = NULL
  WHERE pool LIKE 'agent:%';
