/**
 * Pausing a whole plan, tenant or fleet: a row that every `advance` reads, so that each run of the scope pauses at its
 * next turn; runs in flight get an inbox row and pause at once (P-23). Ending it resumes only what it had paused.
 */
import type { RunIdentity } from '../core/events/event.ts'
import type { InputBody } from '../core/run/input.ts'
import type { RunState } from '../core/run/state.ts'
import type { RunStatus } from '../core/run/transitions.ts'
import type { RunStore, ScopePause } from '../ports/run-store.ts'
import type { Services } from './services.ts'

const PAGE = 200

export type PauseScope = 'fleet' | 'tenant' | `plan:${string}`

export interface ScopePauseRequest {
  readonly tenantId: string
  readonly scope: PauseScope
  readonly reason?: string
}

export async function pauseScope(
  services: Pick<Services, 'store' | 'random'>,
  request: ScopePauseRequest,
): Promise<ScopePause> {
  const pause: ScopePause = {
    pauseId: services.random.uuid(),
    scope: request.scope,
    active: true,
    ...(request.scope === 'fleet' ? {} : { tenantId: request.tenantId }),
    ...(request.reason === undefined ? {} : { reason: request.reason }),
  }
  await services.store.putScopePause(pause)
  await tellRuns(services.store, request.tenantId, pause, 'RUNNING')
  return pause
}

export async function resumeScope(
  services: Pick<Services, 'store'>,
  tenantId: string,
  pause: ScopePause,
): Promise<void> {
  const ended = { ...pause, active: false }
  await services.store.putScopePause(ended)
  await tellRuns(services.store, tenantId, ended, 'PAUSED')
}

async function tellRuns(store: RunStore, tenantId: string, pause: ScopePause, status: RunStatus): Promise<void> {
  const planId = pause.scope.startsWith('plan:') ? pause.scope.slice('plan:'.length) : undefined
  const filter = { status: [status], ...(planId === undefined ? {} : { planId }) }
  const inboxId = `scope:${pause.pauseId}${pause.active ? '' : ':end'}`
  const body = JSON.stringify(inputOf(pause))
  for (let cursor: string | undefined; ;) {
    const page = await store.listRuns(tenantId, filter, { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) })
    for (const { runId } of page.runs) await store.insertInbox({ tenantId, runId }, { inboxId, kind: 'scope', body })
    if (page.next === undefined) return
    cursor = page.next
  }
}

type ScopeInput = Extract<InputBody, { kind: 'scope' }>

function inputOf(pause: ScopePause): Omit<ScopeInput, 'kind'> {
  const { pauseId, scope, active, reason } = pause
  return { pauseId, scope, active, ...(reason === undefined ? {} : { reason }) }
}

/** The active pause that holds for a run and that it has not yet taken in, as an input of its next decision. */
export async function scopePauseFor(
  store: RunStore,
  identity: RunIdentity,
  state: RunState,
): Promise<ScopeInput | undefined> {
  if (state.status === 'PAUSED') return undefined
  const pauses = await store.readScopePauses(identity.tenantId)
  const found = pauses.find((pause) => pause.active && covers(pause.scope, identity))
  return found === undefined ? undefined : { kind: 'scope', ...inputOf(found) }
}

function covers(scope: string, { planId }: RunIdentity): boolean {
  return scope === 'fleet' || scope === 'tenant' || scope === `plan:${planId}`
}
