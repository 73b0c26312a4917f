/** A NUL where a text is looked up or kept as it is: no store is asked for what only some of them can do. */
import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { pathNames } from '../../src/core/api/contract.ts'
import { ROUTES } from '../../src/core/api/routes.ts'
import type { PostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import { onPostgres, type OnPostgres } from '../fixtures/on-postgres.ts'
import { heldServer } from './held-run.ts'
import { sampleOf, searchOf, type SchemaLike } from './sample-requests.ts'
import { served } from './served.ts'

let store: PostgresStore
let db: OnPostgres['db']
onPostgres('nul', { opened: (on) => ({ db, store } = on), held: () => ({ db, store }) })

type Field = SchemaLike & { readonly contentMediaType?: string }

/** Names of fields that are text, or a list of texts, without another form. */
function texts(shape: { readonly schema: object } | undefined): readonly [name: string, value: unknown][] {
  const { properties = {} } = (shape?.schema ?? {}) as { readonly properties?: Readonly<Record<string, Field>> }
  const isFree = ({ type, pattern, enum: values, contentMediaType }: Field): boolean =>
    type === 'string' && pattern === undefined && values === undefined && contentMediaType === undefined
  return Object.entries(properties).flatMap(([name, field]): readonly [string, unknown][] => {
    if (isFree(field)) return [[name, 'a\0b'.padEnd(field.minLength ?? 0, 'x')]]
    return field.items !== undefined && isFree(field.items) ? [[name, ['a\0b']]] : []
  })
}

it('every text of every route is refused with a NUL in it, by name [API-13, API-14]', async () => {
  await using server = await served()
  let tried = 0
  const guarded = ROUTES.filter(({ access }) => access !== 'anyone' && access !== 'signature')
  for (const contract of guarded) {
    const { method, path, params, query, body } = contract
    const { properties: names = {} } = (params?.schema ?? {}) as SchemaLike
    const address = pathNames(contract).reduce<string>(
      (text, name) => text.replace(`{${name}}`, encodeURIComponent(String(sampleOf(names[name] ?? {})))),
      path,
    )
    const asked = sampleOf((query?.schema ?? {}) as SchemaLike) as Record<string, string>
    const base = sampleOf((body?.schema ?? {}) as SchemaLike) as object
    const spoilt = [
      ...texts(query).map(([name, value]) => [name, 'query', { ...asked, [name]: String(value) }, base] as const),
      ...texts(body).map(([name, value]) => [name, 'body', asked, { ...base, [name]: value }] as const),
    ]
    for (const [name, part, search, given] of spoilt) {
      const line = `${method} ${address}${searchOf(search)}`
      const as = path.startsWith('/v1/feed') ? 'acme.ana.server-operator' : 'acme.ana.Admin'
      const answer = await server.call(line, { as, ...(body === undefined ? {} : { body: given }) })
      const message: string = answer.body.error?.message ?? ''
      expect([contract.id, name, answer.status, message]).toEqual([
        contract.id,
        name,
        400,
        expect.stringMatching(new RegExp(`^${part}: \`${name}(\\.0)?\` holds a NUL$`)),
      ])
      tried += 1
    }
  }
  expect(tried).toBeGreaterThan(60)
  expect(server.told).toEqual([])
})

it('on PostgreSQL a signal whose payload has one is judged and recorded as everywhere [SIG-02, SIG-15, AUT-01]', async () => {
  await using server = await heldServer({ store })
  const run = await server.started()
  const reason = 'no\0reason'
  const paused = await server.signal(run, { signalType: 'PAUSE', payload: { reason } })
  expect([paused.status, paused.body.audit.reason, paused.body.signalPayload]).toEqual([
    200,
    'no\u{fffd}reason',
    { reason },
  ])
  const unknown = await server.signal(run, {
    signalId: randomUUID(),
    signalType: 'RETRY_STEP',
    payload: { stepId: 'no\0step' },
  })
  expect([unknown.status, unknown.body.error.code]).toEqual([404, 'STEP_UNKNOWN'])
  const listed = (await server.call('GET /v1/executions?planId=a%00b')).body.error
  expect([listed.code, listed.message]).toEqual(['BODY_INVALID', 'query: `planId` holds a NUL'])
  server.release()
})
