/** Codes of the command line and the library's front door. */
export const EDGE_PROBLEMS = {
  NODE_TOO_OLD: {
    title: 'Keelson needs Node 22.19 or newer.',
    retryable: false,
    did: 'Nothing was started.',
    todo: 'Run it through `npx keelson` inside the project, or install a newer Node.',
  },
  SUBSCRIBER_EXISTS: {
    title: 'This process follows the feed under this name already.',
    retryable: false,
    did: 'The second subscription was not made: the two would share one place in the log.',
    todo: 'Take another name, or stop the first subscription before.',
  },
  KEELSON_CLOSED: {
    title: 'Keelson was closed while a run was awaited.',
    retryable: false,
    did: 'The run was left as it is; the next process that opens the store goes on with it.',
    todo: 'Open Keelson again and ask for the run by its id.',
  },
  USAGE: {
    title: 'The command line is not one Keelson understands.',
    retryable: false,
    did: 'Nothing was started.',
    todo: 'See `keelson help`, or `keelson help <command>`.',
  },
  FILE_NOT_FOUND: {
    title: 'A file named on the command line does not exist or cannot be read.',
    retryable: false,
    did: 'Nothing was started.',
    todo: 'Check the path.',
  },
  FILE_UNUSABLE: {
    title: 'The system refused to read or write a file or a folder.',
    retryable: false,
    did: 'The command was stopped; what was committed is kept.',
    todo: 'Look at what the message names: the path, its permissions, the space on its disk.',
  },
  FILES_IN_THE_WAY: {
    title: 'A file that would be written is there already.',
    retryable: false,
    did: 'Nothing was written and nothing was changed.',
    todo: 'Name a new folder (`keelson init orders`), or move these files away.',
  },
  STEPS_NOT_LOADED: {
    title: 'The file with the step functions could not be loaded.',
    retryable: false,
    did: 'Nothing was started.',
    todo: 'Correct the file; --debug shows where it failed.',
  },
  KEYS_NOT_CONFIGURED: {
    title: 'Runs are kept on a server, and no folder with signing keys was named.',
    retryable: false,
    did: 'Nothing was started: tokens of manual tasks and receipts would be signed with a key that others do not have.',
    todo: 'Name one folder that every machine has by --keys-dir or KEELSON_KEYS_DIR; in a program, by the option keysDirectory.',
  },
  ENTRY_INVALID: {
    title: 'An entry of a conformance corpus breaks a rule of its format.',
    retryable: false,
    did: 'Nothing was run.',
    todo: 'Correct the entry at the line shown; conformance/entry.schema.json has the format.',
  },
  ENTRY_STUCK: {
    title: 'A run of a conformance corpus did not come to its end in time.',
    retryable: false,
    did: 'The entry was given up; its engine was closed and the others go on.',
    todo: 'See what its handlers and moves wait for: a condition that never comes true holds a run up for ever.',
  },
  ENGINE_UNKNOWN: {
    title: 'There is no engine of this name.',
    retryable: false,
    did: 'Nothing was run.',
    todo: 'Name one of the engines listed.',
  },
  HOOK_FAILED: {
    title: 'A listener of the program threw while it was told of an event.',
    retryable: false,
    did: 'Nothing: the run and the other listeners go on.',
    todo: 'Correct the listener; the message has what it threw.',
  },
  TELEMETRY_UNAVAILABLE: {
    title: 'Telemetry was asked for, but the OpenTelemetry API package is not installed.',
    retryable: false,
    did: 'Nothing was opened.',
    todo: 'Install `@opentelemetry/api`, or leave the `telemetry` option out.',
  },
  INTERNAL: {
    title: 'Something happened that Keelson did not expect: a defect.',
    retryable: false,
    did: 'The command was stopped; what was committed is kept.',
    todo: 'Run again with --debug and report the output.',
  },
} as const
