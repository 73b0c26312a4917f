/** Commands around the engines that runs can be on. */
import { ALLOW_HOST, STEPS, TEMPORAL_OPTIONS, type Spec } from './spec.ts'

export const ENGINE_COMMANDS: readonly Spec[] = [
  {
    use: 'worker',
    about: 'carry out the steps of runs on an outside engine, until it is asked to stop',
    options: [
      ['--engine <name>', 'temporal'],
      ...TEMPORAL_OPTIONS,
      ['--step-queue <name...>', 'queues that plans name for their steps (dispatch.taskQueue)'],
      STEPS,
      ALLOW_HOST,
    ],
    examples: [
      'keelson worker --engine temporal --steps keelson.steps.ts',
      'keelson worker --engine temporal --address temporal.internal:7233 --namespace orders',
    ],
    load: async () => (await import('../commands/worker.ts')).worker,
  },
  {
    use: 'dev temporal',
    about: "Temporal's development server on this machine, until it is asked to stop",
    options: [
      ['--port <port>', 'default 7233'],
      ['--ui-port <port>', "where Temporal's own pages are; default 1000 above"],
      ['--headless', 'without its pages'],
      ['--in-memory', 'keep nothing; default a file in the state folder'],
    ],
    examples: ['keelson dev temporal', 'keelson dev temporal --port 7300 --headless --in-memory'],
    load: async () => (await import('../commands/dev-temporal.ts')).devTemporal,
  },
]
