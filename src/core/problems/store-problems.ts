/** Codes of the stores and the append path. */
export const STORE_PROBLEMS = {
  SCHEMA_VALIDATION_FAILED: {
    title: 'An event does not match its published schema.',
    retryable: false,
    did: 'Nothing was stored; the log is as it was before.',
    todo: 'Compare the event with its schema in docs/reference/events.md; the message names the field.',
  },
  IDEMPOTENCY_KEY_EXISTS: {
    title: 'An event with this idempotency key is already stored (strict mode only).',
    retryable: false,
    did: 'The first event was kept; nothing was overwritten.',
    todo: 'Use the default mode, which answers with the stored event, or stop sending the duplicate.',
  },
  INVALID_TRANSITION: {
    title: 'An event would move a run or an attempt in a way the transition table does not allow.',
    retryable: false,
    did: 'Nothing was stored for that event.',
    todo: 'Look at the run with `keelson events`; if Keelson itself wrote the event, report it as a defect.',
  },
  RUN_ALREADY_EXISTS: {
    title: 'A run with this id is already stored.',
    retryable: false,
    did: 'The existing run was left as it is.',
    todo: 'Start a new run under another id, or read the existing one.',
  },
  RUN_NOT_FOUND: {
    title: 'No run with this id is visible to you.',
    retryable: false,
    did: 'Nothing.',
    todo: 'List the runs with `keelson runs`; check that you are in the project folder whose .keelson holds the run.',
  },
  RUN_SCOPE_MISMATCH: {
    title: 'An event names another tenant, project, environment, plan or plan version than its run.',
    retryable: false,
    did: 'The event was refused; the log is unchanged.',
    todo: 'Take the scope from the run, not from the request.',
  },
  STORE_SCOPE_MISSING: {
    title: 'A store was called without a tenant.',
    retryable: false,
    did: 'The call was refused; there is no default tenant.',
    todo: 'Pass the tenant of the authenticated principal.',
  },
  STORE_SCHEMA_NEWER: {
    title: 'The database was written by a newer version of Keelson.',
    retryable: false,
    did: 'The database was opened read-only for this check and not changed.',
    todo: 'Use the newer Keelson, or point this one at another database.',
  },
  STORE_LOCKED: {
    title: 'Another process holds the database lock.',
    retryable: true,
    did: 'The call waited for the lock, then gave up; nothing was written.',
    todo: 'Wait for the other process or stop it, then try again.',
  },
  STORE_READ_ONLY: {
    title: 'The database file or its folder cannot be written.',
    retryable: false,
    did: 'Nothing was written.',
    todo: 'Give this user write permission on the file and its folder, or choose another database.',
  },
  STORE_CORRUPT: {
    title: 'The file is not a Keelson database, or it is damaged.',
    retryable: false,
    did: 'Nothing was written to the file.',
    todo: 'Restore it from a backup; if it is not a Keelson database, choose another path.',
  },
  STORE_FULL: {
    title: 'The disk is full.',
    retryable: true,
    did: 'The append was rolled back whole; the log ends before it.',
    todo: 'Free some space; the run goes on by itself.',
  },
  STORE_UNAVAILABLE: {
    title: 'The store did not answer, or answered with an unexpected failure.',
    retryable: true,
    did: 'The outcome of the last call is unknown to the caller; it is read back before anything else is written.',
    todo: 'Check the database; Keelson tries again by itself.',
  },
  STORE_DURABILITY: {
    title: 'The database is set up in a way that can lose acknowledged writes.',
    retryable: false,
    did: 'Keelson refused to start on it.',
    todo: 'Use WAL with synchronous=FULL on SQLite.',
  },
  EVENTS_APPEND_ONLY: {
    title: 'Something tried to change or delete a stored event.',
    retryable: false,
    did: 'The database refused; the log is unchanged.',
    todo: 'Correct a record by appending a new event; delete only whole archived runs.',
  },
  PAYLOAD_TOO_LARGE: {
    title: 'An inline value is larger than its limit.',
    retryable: false,
    did: 'Nothing was stored.',
    todo: 'Pass large values by reference; outputs above 64 KiB are offloaded by themselves.',
  },
} as const
