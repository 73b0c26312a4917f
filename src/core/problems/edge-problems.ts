/** Codes of the command line and the library's front door. */
export const EDGE_PROBLEMS = {
  NODE_TOO_OLD: {
    title: 'Keelson needs Node 22.19 or newer.',
    retryable: false,
    did: 'Nothing was started.',
    todo: 'Run it through `npx keelson` inside the project, or install a newer Node.',
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
