/**
 * Pauses a whole plan, tenant or fleet: a row that every `advance` reads, or finds in its commit, so that each run of the scope
 * pauses at its next turn; runs in flight get an inbox row and pause at once (P-23). Its end resumes only the runs that it paused.
 */
import { isForeign } from '../../core/engine/engine-type.ts'
import type { RunIdentity } from '../../core/events/event.ts'
import type { InputBody } from '../../core/run/input.ts'
import { scopeCovers } from '../../core/run/signals/scope-covers.ts'
import type { RunState } from '../../core/run/state/state.ts'
import type { RunStatus } from '../../core/run/state/transitions.ts'
import type { RunKey } from '../../ports/run-store.ts'
import type { ScopePause } from '../../ports/scope-pauses.ts'
import { mustFitNames, mustFitReasons } from '../log/fitting.ts'
import type { Services } from '../services.ts'

const PAGE = 200

export type PauseScope = 'fleet' | 'tenant' | `plan:${string}`

export interface ScopePauseRequest {
  readonly tenantId: string
  readonly scope: PauseScope
  readonly reason?: string
  /** Who says so. */
  readonly setBy: string
}

interface Telling extends Pick<Services, 'store'> {
  /** Told of each run that has something in its inbox. */
  readonly wake?: (runKey: RunKey) => void
}

/** The pause of this scope that holds already is told again, with the new reason and in the name of who says so now. */
export async function pauseScope(
  services: Telling & Pick<Services, 'random' | 'clock'>,
  request: ScopePauseRequest,
): Promise<ScopePause> {
  mustFitNames({ scope: request.scope })
  mustFitReasons({ reason: request.reason })
  const known = await activePause(services, request)
  const now = services.clock.now()
  const since = known === undefined ? now : known.since
  const pause: ScopePause = {
    pauseId: known?.pauseId ?? services.random.uuid(),
    scope: request.scope,
    active: true,
    ...(request.scope === 'fleet' ? {} : { tenantId: request.tenantId }),
    ...(request.reason === undefined ? {} : { reason: request.reason }),
    setBy: request.setBy,
    setAt: now,
    ...(since === undefined ? {} : { since }),
  }
  await services.store.putScopePause(pause)
  await tellRuns(services, request.tenantId, pause, 'RUNNING')
  return pause
}

async function activePause({ store }: Telling, request: ScopePauseRequest): Promise<ScopePause | undefined> {
  const { tenantId, scope } = request
  return (await store.readScopePauses(tenantId)).find((pause) => pause.scope === scope)
}

/** May be called again for the same pause: whoever was cut off in the middle has told only some of the runs. */
export async function resumeScope(services: Telling, tenantId: string, pause: ScopePause): Promise<void> {
  const ended = { ...pause, active: false }
  await services.store.putScopePause(ended)
  await tellRuns(services, tenantId, ended, 'PAUSED')
}

async function tellRuns(services: Telling, tenantId: string, pause: ScopePause, status: RunStatus): Promise<void> {
  const { store, wake } = services
  const planId = pause.scope.startsWith('plan:') ? pause.scope.slice('plan:'.length) : undefined
  const filter = { status: [status], ...(planId === undefined ? {} : { planId }) }
  const inboxId = `scope:${pause.pauseId}${pause.active ? '' : ':end'}`
  const body = JSON.stringify(inputOf(pause))
  for (let cursor: string | undefined; ;) {
    const page = await store.listRuns(tenantId, filter, { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) })
    for (const row of page.runs) {
      if (isForeign(row)) continue
      await store.insertInbox({ tenantId, runId: row.runId }, { inboxId, kind: 'scope', body })
      wake?.(row.runKey)
    }
    if (page.next === undefined) return
    cursor = page.next
  }
}

type ScopeInput = Extract<InputBody, { kind: 'scope' }>

function inputOf(pause: ScopePause): Omit<ScopeInput, 'kind'> {
  const { pauseId, scope, active, reason } = pause
  return { pauseId, scope, active, ...(reason === undefined ? {} : { reason }) }
}

/** The active pause that applies to a run and that the run has not yet recorded, as an input of its next decision. */
export function scopePauseFor(
  pauses: readonly ScopePause[],
  identity: RunIdentity,
  state: RunState,
): ScopeInput | undefined {
  if (state.status === 'PAUSED') return undefined
  const found = pauses.find((pause) => pause.active && scopeCovers(pause.scope, identity.planId))
  return found === undefined ? undefined : { kind: 'scope', ...inputOf(found) }
}
