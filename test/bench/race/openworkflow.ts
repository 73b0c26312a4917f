/**
 * openworkflow on SQLite and on PostgreSQL. As shipped, whoever waits for a result asks once a second; so that this is not
 * what is measured, the race learns of an end when the backend has recorded it. Its worker polls as shipped: that is no setting.
 */
import { join } from 'node:path'
import { AT_ONCE, CHAIN_STEPS, FAN_STEPS, TEN, type Contender, type Work } from './contender.ts'
import { importPeer } from './peers.ts'

interface Backend {
  completeWorkflowRun(params: { readonly workflowRunId: string }): Promise<unknown>
  failWorkflowRun(params: { readonly workflowRunId: string }): Promise<unknown>
  stop(): Promise<void>
}

interface Step {
  run(options: { readonly name: string }, work: Work): Promise<number>
}

interface Workflow {
  run(): Promise<{ readonly workflowRun: { readonly id: string } }>
}

interface Client {
  defineWorkflow(spec: { readonly name: string }, body: (given: { readonly step: Step }) => Promise<number>): Workflow
  newWorker(options: { readonly concurrency: number }): { start(): Promise<void>; stop(): Promise<void> }
}

interface Package {
  readonly OpenWorkflow: new (options: { readonly backend: Backend }) => Client
}

/** Ends may be recorded before `run` has told the id. */
class Ends {
  readonly #ended = new Set<string>()
  readonly #waiting = new Map<string, () => void>()

  constructor(backend: Backend) {
    for (const name of ['completeWorkflowRun', 'failWorkflowRun'] as const) {
      const record = backend[name].bind(backend)
      backend[name] = async (params) => {
        const answer = await record(params)
        this.#ended.add(params.workflowRunId)
        this.#waiting.get(params.workflowRunId)?.()
        return answer
      }
    }
  }

  async of(id: string): Promise<void> {
    if (!this.#ended.has(id)) await new Promise<void>((resolve) => this.#waiting.set(id, resolve))
    this.#ended.delete(id)
    this.#waiting.delete(id)
  }
}

async function race(backend: Backend, work: Work): Promise<Contender> {
  const { OpenWorkflow } = await importPeer<Package>('openworkflow')
  const ends = new Ends(backend)
  const client = new OpenWorkflow({ backend })
  const workflow = (name: string, body: (step: Step) => Promise<number>): (() => Promise<void>) => {
    const defined = client.defineWorkflow({ name }, ({ step }) => body(step))
    return async () => ends.of((await defined.run()).workflowRun.id)
  }
  const chained = (steps: number) => async (step: Step) => {
    for (let index = 0; index < steps; index += 1) await step.run({ name: `step-${index}` }, work)
    return steps
  }
  const parallel = async (step: Step): Promise<number> =>
    (await Promise.all(Array.from({ length: FAN_STEPS }, (_, index) => step.run({ name: `step-${index}` }, work))))
      .length
  const shapes = {
    oneStep: workflow('one-step', chained(1)),
    tenSteps: workflow('ten-steps', chained(TEN)),
    chain: workflow('chain', chained(CHAIN_STEPS)),
    fan: workflow('fan-out', parallel),
  }
  const worker = client.newWorker({ concurrency: AT_ONCE })
  await worker.start()
  return {
    ...shapes,
    close: async () => {
      await worker.stop()
      await backend.stop()
    },
  }
}

export async function openworkflowOnSqlite(place: string, work: Work): Promise<Contender> {
  type Sqlite = { readonly BackendSqlite: { connect(path: string): Backend } }
  const { BackendSqlite } = await importPeer<Sqlite>('openworkflow/sqlite')
  return race(BackendSqlite.connect(join(place, 'openworkflow.db')), work)
}

export async function openworkflowOnPostgres(place: string, work: Work): Promise<Contender> {
  type Postgres = { readonly BackendPostgres: { connect(url: string): Promise<Backend> } }
  const { BackendPostgres } = await importPeer<Postgres>('openworkflow/postgres')
  return race(await BackendPostgres.connect(place), work)
}
