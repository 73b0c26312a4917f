/**
 * Which runs have ended, in SQL: one wording, that of the partial indexes (0030-conditions-without-lists.sql). SQLite uses such an index
 * only for a query that repeats its condition.
 */
export const LIVE_STATUS = `status <> 'COMPLETED' AND status <> 'FAILED' AND status <> 'CANCELLED'`
export const ENDED_STATUS = `(status = 'COMPLETED' OR status = 'FAILED' OR status = 'CANCELLED')`
