/** Saved views of the list of runs over HTTP: who sees one, who changes it, what is refused, and what the audit log keeps. */
import { expect, it } from 'vitest'
import { LIMITS } from '../../src/core/limits.ts'
import { ANA, BOB, EVE, served, type Answered, type Served } from './served.ts'

const VIC = 'acme.vic.viewer'
const FAILED = { name: 'what failed', filter: 'status:failed since:24h' }

const put = (server: Served, viewId: string, body: object, as = ANA): Promise<Answered> =>
  server.call(`PUT /v1/views/${viewId}`, { as, body })

async function seen(server: Served, as: string): Promise<readonly string[]> {
  const { body } = await server.call('GET /v1/views', { as })
  return body.views.map(({ viewId }: { readonly viewId: string }) => viewId)
}

const codeOf = ({ status, body }: Answered): readonly unknown[] => [status, body.error?.code]

it('saves a view for oneself and for the tenant; nobody else sees the first, and no other tenant the second', async () => {
  await using server = await served()
  const own = await put(server, 'mine', FAILED)
  expect([own.status, own.body]).toEqual([
    200,
    { viewId: 'mine', ...FAILED, for: 'me', ownerId: 'ana', savedAt: expect.any(String) },
  ])
  expect((await put(server, 'ours', { ...FAILED, name: 'all that failed', for: 'tenant' })).body.for).toBe('tenant')
  expect(await seen(server, ANA)).toEqual(['ours', 'mine'])
  for (const [as, views] of [
    [BOB, ['ours']],
    [VIC, ['ours']],
    [EVE, []],
  ] as const)
    expect([as, await seen(server, as)]).toEqual([as, views])
  const changed = await put(server, 'mine', { name: 'orders', filter: '', for: 'tenant' })
  expect(changed.body).toMatchObject({ name: 'orders', filter: '', for: 'tenant' })
  expect(await seen(server, BOB)).toEqual(['ours', 'mine'])
})

it("refuses to change another person's view, and tells of one that is not seen only that it is not there", async () => {
  await using server = await served()
  await put(server, 'mine', FAILED)
  await put(server, 'ours', { ...FAILED, for: 'tenant' })
  for (const id of ['mine', 'ours']) {
    expect(codeOf(await put(server, id, { name: 'x', filter: '' }, BOB))).toEqual([403, 'AUTHZ_DENIED'])
    expect(codeOf(await server.call(`DELETE /v1/views/${id}`, { as: BOB }))).toEqual([404, 'VIEW_NOT_FOUND'])
    expect(codeOf(await server.call(`DELETE /v1/views/${id}`, { as: EVE }))).toEqual([404, 'VIEW_NOT_FOUND'])
  }
  // An administrator takes a shared one away, and not somebody's own.
  expect(codeOf(await server.call('DELETE /v1/shared-views/ours', { as: VIC }))).toEqual([403, 'AUTHZ_DENIED'])
  expect(codeOf(await server.call('DELETE /v1/shared-views/mine', { as: BOB }))).toEqual([404, 'VIEW_NOT_FOUND'])
  expect((await server.call('DELETE /v1/shared-views/ours', { as: BOB })).body).toEqual({
    viewId: 'ours',
    removed: 'yes',
  })
  expect((await server.call('DELETE /v1/views/mine')).status).toBe(200)
  expect(codeOf(await server.call('DELETE /v1/views/mine'))).toEqual([404, 'VIEW_NOT_FOUND'])
  expect(await seen(server, ANA)).toEqual([])
  // The same id is free for another tenant, and was all the time.
  expect((await put(server, 'mine', FAILED, EVE)).status).toBe(200)
})

it('refuses a filter that nobody understands, names and filters that are too long, and one view more than there may be', async () => {
  await using server = await served()
  const unknown = await put(server, 'mine', { name: 'x', filter: 'statu:failed' })
  expect(codeOf(unknown)).toEqual([400, 'VIEW_INVALID'])
  expect(unknown.body.error.message).toContain('statu:failed')
  expect(codeOf(await put(server, 'mine', { name: '  ', filter: '' }))).toEqual([400, 'VIEW_INVALID'])
  const { viewNameChars, viewFilterChars, viewIdChars, viewsOfPerson } = LIMITS
  const name = 'n'.repeat(viewNameChars)
  const filter = 'w'.repeat(viewFilterChars)
  const id = 'i'.repeat(viewIdChars)
  expect((await put(server, id, { name, filter })).status).toBe(200)
  expect((await put(server, id, { name: `${name}n`, filter })).status).toBe(400)
  expect((await put(server, id, { name, filter: `${filter}w` })).status).toBe(400)
  expect((await put(server, `${id}i`, { name, filter })).status).toBe(400)
  expect((await put(server, 'a%20b', { name, filter })).status).toBe(400)
  for (let at = 1; at < viewsOfPerson; at += 1) expect((await put(server, `v${at}`, FAILED)).status).toBe(200)
  expect(codeOf(await put(server, 'one-more', FAILED))).toEqual([400, 'VIEW_INVALID'])
  // Those that there are can still be changed, and others have places of their own.
  expect((await put(server, 'v1', { ...FAILED, for: 'tenant' })).status).toBe(200)
  expect((await put(server, 'bobs', FAILED, BOB)).status).toBe(200)
})

it('keeps a tenant from sharing more views than a list can show', async () => {
  await using server = await served()
  const people = Array.from({ length: Math.ceil(LIMITS.viewsShared / LIMITS.viewsOfPerson) }, (_, at) => 'abcdefgh'[at])
  for (const person of people)
    for (let at = 0; at < LIMITS.viewsOfPerson; at += 1) {
      const saved = await put(server, `${person}${at}`, { ...FAILED, for: 'tenant' }, `acme.${person}.viewer`)
      expect(saved.status).toBe(200)
    }
  expect(codeOf(await put(server, 'one-more', { ...FAILED, for: 'tenant' }))).toEqual([400, 'VIEW_INVALID'])
  expect((await put(server, 'one-more', FAILED)).status).toBe(200)
})

it('puts every change of a shared view into the audit log, and none of what nobody else sees', async () => {
  await using server = await served()
  await put(server, 'mine', FAILED)
  await put(server, 'ours', { ...FAILED, for: 'tenant' })
  await put(server, 'ours', FAILED)
  await put(server, 'ours', FAILED)
  await put(server, 'ours', { ...FAILED, for: 'tenant' })
  await server.call('DELETE /v1/views/ours')
  await server.call('DELETE /v1/views/mine')
  const { body } = await server.call('GET /v1/audit')
  const told = body.records
    .map(({ record }: { readonly record: string }) => JSON.parse(record))
    .filter(({ call }: { readonly call?: string }) => call === 'saveView' || call === 'removeView')
    .map(({ call, target, actorId }: Readonly<Record<string, string>>) => [call, target, actorId])
  expect(told.toSorted()).toEqual(
    [
      ['saveView', 'ours', 'ana'],
      ['saveView', 'ours', 'ana'],
      ['saveView', 'ours', 'ana'],
      ['removeView', 'ours', 'ana'],
    ].toSorted(),
  )
})
