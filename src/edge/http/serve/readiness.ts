/** Whether each duty of the process does its work (`/readyz`): asked with a limit, so that a store that hangs is an answer too. */
import { LOCAL_PRINCIPAL } from '../../../app/principal.ts'
import type { Duty } from '../../../core/config/settings.ts'
import { KeelsonError } from '../../../core/problems/problem.ts'
import type { ProblemCode } from '../../../core/problems/registry.ts'
import type { Clockwork } from '../../../library/clockwork/clockwork.ts'
import { partsOf, storeOf } from '../../../library/services-of.ts'
import type { Keelson } from '../../../library/keelson/keelson.ts'
import { probeWrite } from './write-probe.ts'

export interface DutyState {
  readonly ok: boolean
  /** A registered code, never a text of the system below. */
  readonly why?: string
}

/** What this process has undertaken to do. */
export interface Undertaken {
  readonly duties: readonly Duty[]
  /** Absent where that is no duty of this process. */
  readonly clockwork: Clockwork | undefined
}

const ASK_MS = 2_000
/** Beyond this stored views are too far behind to be called kept. */
const LAG_EVENTS = 100_000

export async function readiness(
  keelson: Keelson,
  isStopping: boolean,
  { duties, clockwork }: Undertaken,
): Promise<Readonly<Record<string, DutyState>>> {
  const store = await storeState(keelson)
  const states: Readonly<Record<Duty, () => DutyState | Promise<DutyState>>> = {
    api: () => (isStopping ? { ok: false, why: 'SERVER_BUSY' } : { ok: true }),
    engine: () => engineState(keelson, store),
    followers: () => {
      const behind = partsOf(keelson).projectors.behindEvents()
      return behind <= LAG_EVENTS ? store : { ok: false, why: 'PROJECTOR_LAG_HIGH' }
    },
    clockwork: () => clockworkState(clockwork, store),
  }
  const shown = await Promise.all(duties.map(async (duty) => [duty, await states[duty]()] as const))
  return { store, ...Object.fromEntries(shown) }
}

/** A driver without its store holds its runs and waits; one on an engine from outside also waits for that. */
async function engineState(keelson: Keelson, store: DutyState): Promise<DutyState> {
  if (!store.ok) return store
  return answers(() => partsOf(keelson).engine.ping(), 'ENGINE_NOT_OPEN')
}

function clockworkState(clockwork: Clockwork | undefined, store: DutyState): DutyState {
  const idle = clockwork?.parts.find((part) => !part.working())
  return idle === undefined ? store : { ok: false, why: idle.why?.() ?? 'STORE_UNAVAILABLE' }
}

/** It answers, and takes a write: one row each, because anybody may ask this, as often as they like. */
function storeState(keelson: Keelson): Promise<DutyState> {
  const store = storeOf(keelson)
  const ask = async (): Promise<void> => {
    await store.findTenant(LOCAL_PRINCIPAL.tenantId)
    await probeWrite(store, partsOf(keelson).services.clock.now())
  }
  return answers(ask, 'STORE_UNAVAILABLE')
}

/** `otherwise`: what is said of one that hangs, or that fails without a code. */
async function answers(ask: () => Promise<unknown>, otherwise: ProblemCode): Promise<DutyState> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<DutyState>((resolve) => {
    timer = setTimeout(() => resolve({ ok: false, why: otherwise }), ASK_MS)
  })
  try {
    return await Promise.race([ask().then(() => ({ ok: true })), limit])
  } catch (thrown) {
    return { ok: false, why: thrown instanceof KeelsonError ? thrown.code : otherwise }
  } finally {
    clearTimeout(timer)
  }
}
