/**
 * A server with two tenants who each have everything that routes can name: plans, runs that completed, failed and wait, tasks,
 * signals. Every text of a tenant carries its own mark, so that a mark in somebody else's answer is a leak.
 */
import { randomUUID } from 'node:crypto'
import { loadPlan } from '../../src/library/plans/load-plan.ts'
import { onBehalf } from '../../src/library/behalf/on-behalf.ts'
import type { StepContext } from '../../src/ports/step-handlers.ts'
import type { Contract } from '../../src/core/api/contract.ts'
import { BOUND_ROUTES } from '../../src/edge/http/routes/table.ts'
import { served, type Served, type ServedOptions } from './served.ts'
import { isStream, searchOf, type Names, type SampleRequest } from './sample-requests.ts'

/** Rows that have a handler. */
export const BOUND: readonly Contract[] = BOUND_ROUTES.map(({ contract }) => contract)

export interface Peopled extends AsyncDisposable {
  readonly server: Served
  readonly acme: Tenant
  readonly evil: Tenant
}

export interface Tenant {
  readonly tenantId: string
  /** In every text of the tenant, and nowhere else. */
  readonly mark: string
  readonly names: Names
  /** Of the same form, and nobody's. */
  readonly nobodys: Names
  readonly runs: { readonly completed: string; readonly failed: string; readonly waiting: string; readonly far: string }
}

const steps = {
  pack: async ({ note }: { readonly note?: string }, { artifacts }: StepContext) => {
    if (note !== undefined) await artifacts.put(`${note} artifact`, { kind: 'text' })
    return `${note ?? ''} packed`
  },
  break: ({ note }: { readonly note?: string }) => {
    throw new Error(`${note ?? ''} is broken`)
  },
}

const FINE = (mark: string, version: string): string => `
plan: ${mark}-fine
version: ${version}
steps:
  - { id: ${mark}-${version}, run: pack }
  - { id: pack, forEach: input.items, run: pack, with: { note: '\${input.note}' } }
output: { note: '\${input.note}' }
`
const BROKEN = (mark: string): string => `
plan: ${mark}-broken
version: 1.0.0
steps: [{ id: ${mark}-break, run: break, with: { note: '\${input.note}' } }]
`
const WAITING = (mark: string): string => `
plan: ${mark}-waiting
version: 1.0.0
steps:
  - { id: pack, run: pack, with: { note: '\${input.note}' } }
  - { id: review, manual: { title: ${mark} to be reviewed } }
`

const FAR = (mark: string): string => `
plan: ${mark}-far
version: 1.0.0
steps: [{ id: away, run: away, with: { note: '\${input.note}' }, dispatch: { queue: ${mark}-queue } }]
`

/** `directory`: the folder of its store. */
export async function peopled(directory: string, options: ServedOptions = {}): Promise<Peopled> {
  const server = await served({ steps, directory }, { approvalFor: ['CANCEL'], ...options })
  const acme = await tenantIn(server, 'acme', 'acme7f3a')
  const evil = await tenantIn(server, 'evil', 'evil51c9')
  return { server, acme, evil, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

async function tenantIn(server: Served, tenantId: string, mark: string): Promise<Tenant> {
  const principal = { tenantId, projectId: 'default', environmentId: 'local', actorId: 'ana' }
  const keelson = onBehalf(server.keelson, principal)
  for (const text of [FINE(mark, '1.0.0'), FINE(mark, '1.1.0'), BROKEN(mark), WAITING(mark), FAR(mark)])
    await server.publish(text, tenantId)
  const input = { note: `${mark} input`, items: [1, 2, 3] }
  const fine = await keelson.start({ planId: `${mark}-fine` }, input)
  const broken = await keelson.start({ planId: `${mark}-broken` }, input)
  const waiting = await keelson.start({ planId: `${mark}-waiting` }, input)
  const far = await keelson.start({ planId: `${mark}-far` }, input)
  await Promise.all([fine.result(), broken.result()])
  const { sha256 } = loadPlan(FINE(mark, '1.0.0'))
  const names = {
    executionId: fine.runId,
    originalExecutionId: fine.runId,
    step: 'pack[1]',
    planId: `${mark}-fine`,
    from: '1.0.0',
    to: '1.1.0',
    limitName: `plan:${mark}-fine`,
    pauseScope: `plan:${mark}-fine`,
    viewId: `${mark}-failed`,
    sha256,
    artifactSha256: String((await fine.artifacts())[0]?.sha256),
    subscriber: 'all-nobody',
    letterId: '987654321-7654321',
    ...(await namesOverHttp(server, tenantId, mark, waiting.runId)),
  }
  const runs = { completed: fine.runId, failed: broken.runId, waiting: waiting.runId, far: far.runId }
  return { tenantId, mark, names, nobodys: nobodys(names), runs }
}

/** What only the server gives: a token of the task, the decision on a signal that waits for a second person, a key. */
async function namesOverHttp(server: Served, tenantId: string, mark: string, runId: string): Promise<Names> {
  const as = `${tenantId}.ana.Admin`
  const token = await tokenOf(server, as, runId)
  const signalId = randomUUID()
  const signal = { signalId, signalType: 'CANCEL', payload: { reason: `${mark} reason` } }
  const decided = await server.call(`POST /v1/executions/${runId}/signals`, { as, body: signal })
  const robot = { roles: ['viewer'], displayName: `${mark} robot` }
  const made = await server.call('POST /v1/keys', { as, body: robot })
  const schedule = { scheduleId: `${mark}-nightly`, planId: `${mark}-fine`, cron: '@daily', input: { note: mark } }
  const clock = await server.call('POST /v1/schedules', { as, body: schedule })
  const trigger = { trigger: `${mark}-push`, planId: `${mark}-fine`, scheme: 'github' }
  const push = await server.call('POST /v1/triggers', { as, body: trigger })
  const view = { name: `${mark} failed`, filter: `plan:${mark}-fine`, for: 'tenant' }
  const saved = await server.call(`PUT /v1/views/${mark}-failed`, { as, body: view })
  if (saved.status !== 200) throw new Error(saved.text)
  const operation = { operationId: randomUUID(), filter: { planId: `${mark}-broken` }, signalType: 'PAUSE' }
  const fleet = await server.call('POST /v1/operations', { as, body: operation })
  if (fleet.status !== 202) throw new Error(fleet.text)
  if (push.status !== 201) throw new Error(push.text)
  if (decided.status !== 202 || made.status !== 201 || clock.status !== 201)
    throw new Error(`${decided.text}\n${made.text}`)
  return {
    token,
    signalId,
    decisionId: decided.body.signalDecisionId,
    keyId: made.body.keyId,
    scheduleId: schedule.scheduleId,
    trigger: trigger.trigger,
    operationId: operation.operationId,
    claim: await claimOf(server, as, mark),
  }
}

/** A worker has it, and will never be done. */
async function claimOf(server: Served, as: string, mark: string): Promise<string> {
  const wanted = { queues: [`${mark}-queue`], handlers: ['away'], waitMs: 30_000, leaseMs: 600_000 }
  const { body } = await server.call('POST /v1/work/claim', { as, body: { ...wanted, worker: `${mark}-worker` } })
  return body.work[0].claim
}

async function tokenOf(server: Served, as: string, runId: string): Promise<string> {
  for (;;) {
    const { body } = await server.call(`GET /v1/tasks?executionId=${runId}`, { as })
    const token: unknown = body.tasks[0]?.token
    if (typeof token === 'string') return token
  }
}

/** The same with another end, so that the form stays. Steps and versions are not names of a tenant. */
function nobodys(names: Names): Names {
  const kept = ['step', 'from', 'to', 'subscriber', 'letterId']
  return Object.fromEntries(
    Object.entries(names).map(([name, text]) => [name, kept.includes(name) ? text : otherEnd(text)]),
  )
}

function otherEnd(text: string): string {
  return `${text.slice(0, -4)}${text.endsWith('0000') ? 'aaaa' : '0000'}`
}

export interface Told {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Sends it; of a stream only the beginning is read. */
export async function send(
  url: string,
  contract: Contract,
  { method, path, query, body }: SampleRequest,
  given: { readonly as?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Told> {
  const gone = new AbortController()
  const response = await fetch(`${url}${path}${searchOf(query)}`, {
    method,
    signal: gone.signal,
    headers: {
      ...(given.as === undefined ? {} : { authorization: `Bearer ${given.as}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...given.headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const { status, headers } = response
  if (status === 200 && isStream(contract)) {
    const text = await firstOf(response)
    gone.abort()
    return { status, headers, text }
  }
  return { status, headers, text: await response.text() }
}

/** A stream tells something at once, if only when to come back. */
async function firstOf(response: Response): Promise<string> {
  const first = await response.body?.getReader().read()
  return first?.value === undefined ? '' : new TextDecoder().decode(first.value)
}
