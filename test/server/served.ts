/**
 * A real server on a free port of the loopback address, with a store of its own. Who asks is said by a bearer of the form
 * `tenant.actor.Role+Role`, so that a test can be anybody; the ways that people really use have tests of their own.
 */
import { randomUUID } from 'node:crypto'
import { DUTIES } from '../../src/core/config/settings.ts'
import { openClockwork } from '../../src/library/clockwork/clockwork.ts'
import { roleRules } from '../../src/app/identity/role-rules.ts'
import { withApproval } from '../../src/app/identity/with-approval.ts'
import { openServer, type ServerOptions } from '../../src/edge/http/server.ts'
import type { WhoAsks } from '../../src/edge/http/who/who-asks.ts'
import { openKeelson, type Keelson, type OpenOptions } from '../../src/main.ts'
import { loadPlan } from '../../src/library/plans/load-plan.ts'
import { onBehalf } from '../../src/library/behalf/on-behalf.ts'

export interface Served extends AsyncDisposable {
  readonly url: string
  readonly keelson: Keelson
  /** Problems that nobody expected. */
  readonly told: readonly unknown[]
  /** As `acme.ana.Admin`, unless the call says otherwise. */
  readonly call: (line: string, given?: CallGiven) => Promise<Answered>
  /** Stops the server; Keelson stays open. */
  readonly close: () => Promise<void>
  /** Publishes a plan for a tenant. */
  readonly publish: (text: string, tenantId?: string) => Promise<string>
}

export interface CallGiven {
  readonly as?: string
  readonly body?: unknown
  /** Instead of `body`: the text as it is sent. */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Read as it comes, without a type. */
  readonly body: ReturnType<typeof JSON.parse>
}

export const ANA = 'acme.ana.Admin'
export const BOB = 'acme.bob.Admin'
export const EVE = 'evil.eve.Admin'

const byBearer: WhoAsks = ({ header }) => {
  const [, tenantId, actorId, roles] = /^Bearer ([a-z]+)\.([a-z]+)\.(.*)$/.exec(header('authorization') ?? '') ?? []
  if (tenantId === undefined || actorId === undefined) return undefined
  const place = { projectId: 'default', environmentId: 'local' }
  return { tenantId, actorId, ...place, kind: 'user', roles: (roles ?? '').split('+').filter(Boolean) }
}

export interface ServedOptions extends Partial<ServerOptions> {
  /** Whether queued runs are started by the server itself; default no. */
  readonly hasClockwork?: boolean
  /** Signals that a second person has to accept. */
  readonly approvalFor?: readonly string[]
}

export async function served(opening: OpenOptions = {}, asked: ServedOptions = {}): Promise<Served> {
  const { hasClockwork = false, approvalFor = [], ...options } = asked
  const keelson = asked.keelson ?? (await openKeelson({ directory: ':memory:', ...opening }))
  const authorizer = withApproval(roleRules({ uuid: randomUUID }), approvalFor)
  const clockwork = hasClockwork ? openClockwork(keelson, { authorizer }) : undefined
  const told: unknown[] = []
  const { url, close } = await openServer({
    keelson,
    host: '127.0.0.1',
    port: 0,
    who: byBearer,
    authorizer,
    now: Date.now,
    uuid: randomUUID,
    tell: (thrown) => void told.push(thrown),
    clockwork,
    ...(hasClockwork ? { duties: DUTIES } : {}),
    ...options,
    // The machine of a test may be busy with others.
    limits: { busyLoopMs: 60_000, ...options.limits },
  })
  return {
    url,
    keelson,
    told,
    close,
    call: (line, how = {}) => call(url, line, how),
    publish: async (text, tenantId = 'acme') => {
      const principal = { tenantId, projectId: 'default', environmentId: 'local', actorId: 'author' }
      return onBehalf(keelson, principal).publish(loadPlan(text))
    },
    [Symbol.asyncDispose]: async () => {
      await close()
      await clockwork?.close()
      // One that was given is closed by who opened it.
      if (asked.keelson === undefined) await keelson.close()
    },
  }
}

/** `GET /v1/executions`, with what is given. */
async function call(url: string, line: string, { as = ANA, body, text, headers = {} }: CallGiven): Promise<Answered> {
  const [method = 'GET', path = '/'] = line.split(' ')
  const sent = text ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(as === '' ? {} : { authorization: `Bearer ${as}` }),
      ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(sent === undefined ? {} : { body: sent }),
  })
  const read = await response.text()
  const isJson = /[/+]json$/.test(response.headers.get('content-type') ?? '')
  return { status: response.status, headers: response.headers, text: read, body: isJson ? JSON.parse(read) : undefined }
}
