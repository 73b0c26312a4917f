/** Codes of what must last: receipts, bundles, archival, backup and restore, and the delivery of the log to followers. */
export const LASTING_PROBLEMS = {
  RUN_ARCHIVED: {
    title: 'The run has ended and its log was archived: only its row is left here.',
    retryable: false,
    did: 'Nothing.',
    todo: 'Read its bundle, which the message names; `keelson verify <file>` checks it.',
  },
  BUNDLE_BROKEN: {
    title: 'A bundle file is torn or was altered.',
    retryable: false,
    did: 'The bundle was refused; the message names the line where it breaks. A run is never archived into such a file.',
    todo: 'Take another copy of the bundle; if the run is still in the database, export it again.',
  },
  ARCHIVE_UNREAD: {
    title: 'Subscribers have not read all events of the run, and would never get those that were archived.',
    retryable: false,
    did: 'The run was not archived: its log stays.',
    todo: 'Let the subscribers named in the message catch up and archive again; drop one that nobody needs any more (`dropSubscriber` of the store), or use --force.',
  },
  RECEIPT_MISMATCH: {
    title: 'A signed receipt names another hash for this event: the log was rewritten after the receipt was issued.',
    retryable: false,
    did: 'The log was not changed; it is told to be altered.',
    todo: 'Keep both the receipt and the database as evidence, and compare with a backup.',
  },
  RECEIPT_INVALID: {
    title: "A receipt about this run does not have its key's signature.",
    retryable: false,
    did: 'The receipt was not counted, and the check fails.',
    todo: 'Compare the receipts file with a copy kept elsewhere.',
  },
  RECEIPT_MISSING: {
    title: 'No receipt of the named key anchors this run.',
    retryable: false,
    did: 'The check fails, because a key was named.',
    todo: 'Name the folder with the receipts by --receipts, or leave out --key.',
  },
  RECEIPT_KEY_MISMATCH: {
    title: 'The named key is not the one that signed the receipts of this run.',
    retryable: false,
    did: 'The check fails, because a key was named; nothing speaks against the log itself.',
    todo: 'Compare the key with the one that was noted: `keelson receipts key` tells the one that signs here.',
  },
  RECEIPTS_NOT_ISSUED: {
    title: 'Receipts could not be issued just now.',
    retryable: true,
    did: 'The runs are not touched by this; the same heads are signed the next time.',
    todo: 'Correct what the message names, then say `keelson receipts issue`.',
  },
  EVENT_BUS_DELIVERY_FAILED: {
    title: 'An event could not be delivered to a follower, however often it was tried.',
    retryable: false,
    did: 'It was put into the dead letters; later events of its run go on.',
    todo: 'Mend the follower, then deliver its dead letters again.',
  },
  RESTORE_REFUSED: {
    title: 'The backup was not put in place.',
    retryable: false,
    did: 'The database that was there is as it was.',
    todo: 'Stop what uses the database; to replace it, say --force, which keeps the old one beside it.',
  },
  BACKUP_ELSEWHERE: {
    title: 'This store is not one file that Keelson could copy.',
    retryable: false,
    did: 'Nothing was written.',
    todo: "Use the server's own tools (pg_basebackup with archived WAL, or pg_dump); after a restore say `keelson recover`.",
  },
} as const
