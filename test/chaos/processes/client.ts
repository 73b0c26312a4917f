/**
 * Starts runs and signals them, and drives none: what a program without an engine would do. It asks again under the same
 * id until it is told that a thing is done, and only then writes it down as acknowledged.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { functionHandlers } from '../../../src/adapters/handlers/functions.ts'
import { openPostgresStore, type PostgresStore } from '../../../src/adapters/stores/postgres/store.ts'
import { systemClock } from '../../../src/adapters/system/clock.ts'
import { systemRandom } from '../../../src/adapters/system/random.ts'
import { systemTimers } from '../../../src/adapters/system/timers.ts'
import { RunAdvancer } from '../../../src/app/advance/advance-run.ts'
import { compilePlan, type CompiledPlan } from '../../../src/app/plans/compile.ts'
import { LOCAL_PRINCIPAL } from '../../../src/app/principal.ts'
import type { Services } from '../../../src/app/services.ts'
import { signalRun } from '../../../src/app/signals/signal-run.ts'
import { startRun } from '../../../src/app/start/start-run.ts'
import { KeelsonError } from '../../../src/core/problems/problem.ts'
import { isTerminalRun } from '../../../src/core/run/state/transitions.ts'
import { openJournal, type Acknowledgement } from './journal.ts'
import { PLANS, type PlanName } from './plans.ts'

const AGAIN_MS = 50
const MAX_IN_FLIGHT = 10_000
const OPERATOR = { actorId: 'chaos', actorRole: 'Admin', allowed: true } as const

/** Repeats what a store that does not answer refused; anything else is a defect and passes. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof KeelsonError && error.problems.every(({ retryable }) => retryable))) throw error
    }
    await pause(AGAIN_MS)
  }
}

function compiled(name: PlanName): CompiledPlan {
  const plan = compilePlan(PLANS[name].text)
  if (!plan.ok) throw new KeelsonError([plan.problems[0] ?? { ...missingPlan, message: name }])
  return plan.value
}
const missingPlan = { code: 'PLAN_NOT_FOUND', message: '', retryable: false } as const

export class Client {
  readonly #store: PostgresStore
  readonly #services: Services
  readonly #advancer: RunAdvancer
  readonly #acknowledge: (line: Acknowledgement) => void

  private constructor(store: PostgresStore, folder: string) {
    const handlers = functionHandlers({})
    this.#store = store
    this.#services = { store, clock: systemClock, random: systemRandom, timers: systemTimers, handlers }
    this.#advancer = new RunAdvancer(this.#services)
    this.#acknowledge = openJournal(folder, 'acknowledgements')
  }

  static async open(url: string, folder: string): Promise<Client> {
    const client = new Client(await patiently(() => openPostgresStore({ connectionString: url })), folder)
    const { plan, sha256, text } = compiled('child')
    const { planId, planVersion } = plan.metadata
    await patiently(() =>
      client.#store.putPlan({ tenantId: 'local', sha256, planId, planVersion, text }, { publish: true }),
    )
    return client
  }

  /** Nobody holds a lease on what it starts: a worker takes it over. */
  async start(name: PlanName, id: string, input: unknown = {}): Promise<string> {
    const answer = await patiently(() =>
      startRun(this.#services, this.#advancer, {
        plan: compiled(name),
        input,
        principal: LOCAL_PRINCIPAL,
        engine: { engineType: 'embedded', maxInFlight: MAX_IN_FLIGHT },
        triggerSource: 'api',
        runRequestId: id,
      }),
    )
    const { runId, runKey } = answer.row
    this.#advancer.release(runKey)
    this.#acknowledge({ at: Date.now(), kind: 'start', runId, id, plan: name })
    return runId
  }

  async signal(runId: string, signalType: string, signalId = systemRandom.uuid()): Promise<void> {
    const run = { tenantId: LOCAL_PRINCIPAL.tenantId, runId }
    await patiently(() => signalRun(this.#services, run, { signalId, signalType, payload: {} }, OPERATOR))
    // Nobody drives an ended run: whoever signals it writes the answer, as the library does.
    await patiently(async () => {
      const row = await this.#store.findRun(run)
      if (row === undefined || !isTerminalRun(row.status)) return
      await this.#advancer.advance(row.runKey)
      this.#advancer.release(row.runKey)
    })
    this.#acknowledge({ at: Date.now(), kind: 'signal', runId, id: signalId, signalType })
  }

  /** How many runs have not ended, counted up to a limit. */
  async unfinished(limit: number): Promise<number> {
    const status = ['PENDING', 'APPROVED', 'RUNNING', 'PAUSED'] as const
    const page = await patiently(() => this.#store.listRuns(LOCAL_PRINCIPAL.tenantId, { status }, { limit }))
    return page.runs.length
  }

  close(): Promise<void> {
    return this.#store.close()
  }
}
