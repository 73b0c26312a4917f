/** Commands that start, drive, look at and steer runs. */
import { ALLOW_HOST, REASON, STEPS, type Spec } from './spec.ts'

export const DRIVING_COMMANDS: readonly Spec[] = [
  {
    use: 'run <plan>',
    about: 'run a plan file (YAML or JSON) and show it move',
    options: [
      ['--input <file>', "the run's input as JSON; - reads standard input"],
      ['--set <key=value...>', 'one field of the input; the value is JSON, or else text'],
      STEPS,
      ALLOW_HOST,
      ['--request-id <id>', 'the same id starts the run once'],
    ],
    examples: [
      'keelson run plan.yaml --set orderId=A-17 --set amount=120',
      'keelson run plan.yaml --input order.json --request-id order-17',
      'cat order.json | keelson run plan.yaml --input - --json',
      'keelson run plan.yaml --allow-host 127.0.0.1',
    ],
    load: async () => (await import('../commands/run.ts')).run,
  },
  {
    use: 'resume [run]',
    about: 'take over runs nobody drives and drive them to their end',
    options: [STEPS, ALLOW_HOST],
    examples: ['keelson resume', 'keelson resume 7f3a91c2'],
    load: async () => (await import('../commands/resume.ts')).resume,
  },
  {
    use: 'fork <run>',
    about: 'a new run that takes over the results of an ended one',
    options: [['--from <step>', 'run this step and what follows it again'], STEPS, ALLOW_HOST],
    examples: ['keelson fork last', 'keelson fork 7f3a91c2 --from pack'],
    load: async () => (await import('../commands/fork.ts')).fork,
  },
  {
    use: 'signal <run> <signal>',
    about: 'pause, resume, cancel, retry-step, skip-step, retry-run, update-params, emergency-stop …',
    options: [
      ['--step <id>', 'the step it is about'],
      REASON,
      ['--set <key=value...>', 'fields of update-params, inject-override and update-target'],
      ['--from <step>', 'of retry-run: run this step and what follows it again'],
      ['--force', "of retry-step and retry-run: the signal's `force`"],
      ['--force-kill', 'of emergency-stop: without any grace'],
      ['--fresh-key', 'of retry-step: a new idempotency key'],
      ['--id <uuid>', "the signal's own id; the same id is taken once"],
      STEPS,
      ALLOW_HOST,
    ],
    examples: [
      'keelson signal last pause --reason "stock count"',
      'keelson signal 7f3a91c2 skip-step --step pay --reason "paid by hand"',
      'keelson signal 7f3a91c2 retry-run --from pack',
    ],
    load: async () => (await import('../commands/signal.ts')).signal,
  },
  {
    use: 'tasks [run]',
    about: 'open manual tasks and their tokens',
    examples: ['keelson tasks', 'keelson tasks 7f3a91c2 --json'],
    load: async () => (await import('../commands/tasks.ts')).tasks,
  },
  {
    use: 'complete <run> <task>',
    about: 'complete a manual task, named by its token or its step',
    options: [
      ['--outcome <outcome>', 'Succeeded, Failed or Cancelled'],
      ['--as <user>', 'who completes it; default local'],
      ['--notes <text>', 'kept with the outcome'],
      ['--evidence <ref...>', 'references to evidence'],
      ['--result <json>', "the step's output"],
    ],
    examples: [
      'keelson complete last release --outcome Succeeded --as ana',
      'keelson complete 7f3a91c2 release --outcome Failed --as ana --notes "wrong address"',
    ],
    load: async () => (await import('../commands/complete.ts')).complete,
  },
]

export const LOOKING_COMMANDS: readonly Spec[] = [
  {
    use: 'runs',
    about: 'list runs, newest first',
    options: [
      ['--status <status...>', 'only these, such as RUNNING or FAILED'],
      ['--plan <id>', 'only runs of this plan'],
      ['--since <when>', 'made since then: 2h, 7d, 2026-11-15 or an instant'],
      ['--until <when>', 'made before then'],
      ['--limit <count>', 'at most so many; default 20'],
      ['--cursor <cursor>', 'go on where a list ended'],
      ['--all', 'all of them'],
      ['--counts', 'how many runs there are in each status'],
    ],
    examples: [
      'keelson runs --status RUNNING PAUSED',
      'keelson runs --plan order --since 24h --all',
      'keelson runs --counts',
    ],
    load: async () => (await import('../commands/runs.ts')).runs,
  },
  {
    use: 'show <run>',
    about: 'a run as it is now: every step, attempt and error',
    examples: ['keelson show last', 'keelson show 7f3a91c2 --json'],
    load: async () => (await import('../commands/show.ts')).show,
  },
  {
    use: 'events <run>',
    about: "a run's log",
    options: [
      ['--after <runSeq>', 'only what follows this event'],
      ['-f, --follow', 'go on as events are written, until the run ends'],
    ],
    examples: ['keelson events last', 'keelson events 7f3a91c2 --after 12', 'keelson events last --follow --json'],
    load: async () => (await import('../commands/events.ts')).events,
  },
  {
    use: 'why <run> [step]',
    about: 'why a step, or the run, is where it is, and what would move it',
    options: [['--at <runSeq>', 'as it was after this event']],
    examples: ['keelson why last', 'keelson why 7f3a91c2 pack', 'keelson why last pack --at 12'],
    load: async () => (await import('../commands/why.ts')).why,
  },
]
