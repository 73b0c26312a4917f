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
  STEPS_NOT_LOADED: {
    title: 'The file with the step functions could not be loaded.',
    retryable: false,
    did: 'Nothing was started.',
    todo: 'Correct the file; --debug shows where it failed.',
  },
  INTERNAL: {
    title: 'Something happened that Keelson did not expect: a defect.',
    retryable: false,
    did: 'The command was stopped; what was committed is kept.',
    todo: 'Run again with --debug and report the output.',
  },
} as const
