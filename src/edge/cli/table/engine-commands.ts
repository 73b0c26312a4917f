/** Commands for the engines of runs. */
import { OUTSIDE, STEPS, TEMPORAL_OPTIONS, type Spec } from '../terminal/command-spec.ts'

export const ENGINE_COMMANDS: readonly Spec[] = [
  {
    use: 'worker',
    about: 'execute the steps of runs on an outside engine until you stop it',
    options: [
      ['--engine <name>', 'temporal'],
      ...TEMPORAL_OPTIONS,
      ['--step-queue <name...>', 'queues that plans name for their steps (dispatch.taskQueue)'],
      STEPS,
      ...OUTSIDE,
    ],
    examples: [
      'keelson worker --engine temporal --steps keelson.steps.ts',
      'keelson worker --engine temporal --address temporal.internal:7233 --namespace orders',
    ],
    load: async () => (await import('../commands/worker.ts')).worker,
  },
  {
    use: 'engines',
    about: 'list the engines: what each can do, whether it is ready, and how many runs are on it',
    options: [
      ...TEMPORAL_OPTIONS,
      ['--as <user>', 'with --server: who asks, where the server lets you act for others'],
    ],
    examples: ['keelson engines', 'keelson engines --json'],
    load: async () => (await import('../commands/engines.ts')).engines,
  },
  {
    use: 'dev temporal',
    about: "run Temporal's development server on this machine until you stop it",
    options: [
      ['--port <port>', 'default 7233'],
      ['--ui-port <port>', "port of Temporal's web UI; default: --port plus 1000"],
      ['--headless', 'without the web UI'],
      ['--in-memory', 'keep no data; default: a file in the state folder'],
    ],
    examples: ['keelson dev temporal', 'keelson dev temporal --port 7300 --headless --in-memory'],
    load: async () => (await import('../commands/dev-temporal.ts')).devTemporal,
  },
]
