/**
 * Codes of durable things: receipts, bundles, archival, backup and restore, and the delivery of the log to followers.
 */
export const LASTING_PROBLEMS = {
  RUN_ARCHIVED: {
    title: 'The run has ended and its log was archived. Only its row is left here.',
    retryable: false,
    did: 'Nothing.',
    todo: 'Read the bundle that the message names. `keelson verify <file>` checks it.',
  },
  BUNDLE_BROKEN: {
    title: 'A bundle file is incomplete or was altered.',
    retryable: false,
    did: 'The bundle was refused. The message names the line where it breaks. A run is never archived into such a file.',
    todo: 'Use another copy of the bundle. If the run is still in the database, export it again.',
  },
  ARCHIVE_UNREAD: {
    title: 'Subscribers have not read all events of the run. They would never get the archived events.',
    retryable: false,
    did: 'The run was not archived: its log stays.',
    todo: 'Wait until the subscribers named in the message have read the events, then archive again. Drop a subscriber that is no longer needed (`dropSubscriber` of the store), or use --force.',
  },
  VALUE_MISSING: {
    title: 'A stored value that the log names is missing, and there is no signed erasure.',
    retryable: false,
    did: 'Nothing was changed. The message names the event.',
    todo: 'Compare with a backup or an exported bundle. The value was deleted directly in the database.',
  },
  VALUE_ALTERED: {
    title: 'A stored value does not have the hash and length that the log names.',
    retryable: false,
    did: 'Nothing was changed. A process that drives the run refuses such a value too.',
    todo: 'Compare with a backup or an exported bundle. The value was changed directly in the database.',
  },
  ROW_ALTERED: {
    title: 'A stored row does not match the log.',
    retryable: false,
    did: 'Nothing was changed. The log is the truth.',
    todo: 'Keep the database as evidence and compare it with a backup. `keelson export` saves the run as it is.',
  },
  PLAN_ALTERED: {
    title: 'A stored plan does not have the hash under which it is stored.',
    retryable: false,
    did: 'Nothing was changed. No run uses such a plan.',
    todo: 'Compare with a backup, and publish the plan again from its source.',
  },
  AUDIT_ALTERED: {
    title: 'A record of the audit log was changed, removed, put in or moved.',
    retryable: false,
    did: 'Nothing was changed. The message names the tenant and the record.',
    todo: 'Keep the database as evidence and compare it with a backup. What people did to a run is in the log of that run as well.',
  },
  ERASURE_UNSIGNED: {
    title: 'Data is missing, and no key of this store signed its erasure.',
    retryable: false,
    did: 'The check fails: anybody who can write to the database can write an unsigned record.',
    todo: 'If an older version erased the data without a signature, run `keelson erase` again: it signs. If the key is kept elsewhere, name it with --key.',
  },
  RUN_MISSING: {
    title: 'There are signed receipts of a run that is not in the store.',
    retryable: false,
    did: 'The check fails. The message names the receipt.',
    todo: 'If the store was restored to a time before that run, the restore lost the run. Otherwise the run was deleted: compare with a backup.',
  },
  RUN_UNPROVED: {
    title: 'A run of the store could not be proved.',
    retryable: false,
    did: 'The check fails. The message gives the reason. The other runs were checked.',
    todo: 'Put the bundle of an archived run back to the place that its row names, or run `keelson verify` on the bundle.',
  },
  STORE_ALTERED: {
    title: 'The database lacks the rules that protect its log, or has foreign rules.',
    retryable: false,
    did: 'Such a backup is not restored. A store in use was only checked.',
    todo: 'Use an earlier backup, and find out who changed the schema. `keelson verify --store` finds changes that were made without the rules.',
  },
  RECEIPT_MISMATCH: {
    title: 'A signed receipt names another hash for this event: the log was rewritten after the receipt was issued.',
    retryable: false,
    did: 'The log was not changed. It is reported as altered.',
    todo: 'Keep both the receipt and the database as evidence, and compare with a backup.',
  },
  RECEIPT_INVALID: {
    title: 'A receipt does not have a valid signature of its key.',
    retryable: false,
    did: 'The receipt does not count, and the check fails.',
    todo: 'Compare the receipts file with a copy kept elsewhere.',
  },
  RECEIPT_MISSING: {
    title: 'A receipt that must be there is missing.',
    retryable: false,
    did: 'The check fails: a key was named that must have signed one, or the store says that one was issued.',
    todo: 'Name the folder with all receipts with --receipts. If there is none, compare with a copy: somebody deleted it.',
  },
  RECEIPT_KEY_MISMATCH: {
    title: 'Another key than the named one signed the receipts of this run.',
    retryable: false,
    did: 'The check fails, because a key was named. The log itself shows no error.',
    todo: 'Compare the key with the one that you kept. `keelson receipts key` shows the key that signs here.',
  },
  RECEIPTS_NOT_ISSUED: {
    title: 'Receipts could not be issued now.',
    retryable: true,
    did: 'The runs are not affected. The same events are signed the next time.',
    todo: 'Correct what the message names, then run `keelson receipts issue`.',
  },
  EVENT_BUS_DELIVERY_FAILED: {
    title: 'An event could not be delivered to a subscriber after all attempts.',
    retryable: false,
    did: 'The event is now a dead letter. Later events of its run are delivered.',
    todo: 'Correct the subscriber, then deliver its dead letters again.',
  },
  RESTORE_REFUSED: {
    title: 'The backup was not restored.',
    retryable: false,
    did: 'The existing database was not changed.',
    todo: 'Stop all processes that use the database. To replace it, use --force: the old database is kept beside the new one.',
  },
  BACKUP_ELSEWHERE: {
    title: 'This store is not a single file that Keelson can copy.',
    retryable: false,
    did: 'Nothing was written.',
    todo: "Use the server's own tools (pg_basebackup with archived WAL, or pg_dump); after a restore, run `keelson recover`.",
  },
} as const
