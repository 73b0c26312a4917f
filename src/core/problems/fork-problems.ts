/** Codes of forks. */
export const FORK_PROBLEMS = {
  FORK_UNDER_WAY: {
    title: 'Another run that took over the same results has not ended and may still compensate them.',
    retryable: true,
    did: 'No run was started.',
    todo: 'Wait until that run has ended, or cancel it. Then fork again.',
  },
  FORK_REPEATS_IRREVERSIBLE: {
    title: 'A fork would repeat an irreversible step that ran or may have run.',
    retryable: false,
    did: 'No run was started and nothing was repeated.',
    todo: '`keelson fork <run> --preview` shows what a fork repeats. To repeat it anyway, use `--repeat-irreversible` (`repeatIrreversible: true`).',
  },
  FORK_NEEDS_APPROVAL: {
    title: 'A fork cannot replace the approval of a queued run.',
    retryable: false,
    did: 'Nothing was started.',
    todo: 'Start a new run and get it approved: `keelson run <plan> --queue --needs-approval` (`queue: true, autoApprove: false`), then `keelson queue approve`.',
  },
  FORK_OTHER_PLAN: {
    title: 'A fork was asked for with a plan of another id.',
    retryable: false,
    did: 'Nothing was started.',
    todo: 'Give another version of the same plan. Results of one plan mean nothing in another: start that one with `keelson run`.',
  },
  RUN_NOT_FORKABLE: {
    title: 'The run only compensated another run.',
    retryable: false,
    did: 'Nothing was started: the run has no own work to repeat.',
    todo: 'Fork the run whose step was compensated: `keelson show` names it.',
  },
} as const
