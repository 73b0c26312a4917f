/** Addresses as they are written: names of steps with signs of their own, and methods that an address does not have. */
import { expect, it } from 'vitest'
import { BOUND } from './peopled.ts'
import { served } from './served.ts'

const PLAN = `
plan: parcels
version: 1.0.0
steps:
  - { id: pack, forEach: input.items, run: pack, with: { item: '\${item}' } }
  - { id: ship, run: lose, fallback: { run: pack, with: { item: lost } } }
`
const steps = {
  pack: ({ item }: { readonly item: unknown }) => ({ packed: item }),
  lose: () => {
    throw new Error('lost')
  },
}

it('takes the name of an item and of a fallback in a path, percent-encoded [API-14]', async () => {
  await using server = await served({ steps })
  await server.publish(PLAN)
  const { body } = await server.call('POST /v1/executions?mode=sync', {
    body: { planId: 'parcels', input: { items: [1, 2, 3, 4, 5, 6] } },
  })
  const output = async (step: string): Promise<unknown> =>
    (await server.call(`GET /v1/executions/${body.executionId}/steps/${step}/output`)).body.output
  expect(await output('pack%5B5%5D')).toEqual({ packed: 6 })
  expect(await output('FALLBACK%3Aship')).toEqual({ packed: 'lost' })
  expect(await output('FALLBACK:ship')).toEqual({ packed: 'lost' })
  const unknown = await server.call(`GET /v1/executions/${body.executionId}/steps/pack%2F5/output`)
  expect([unknown.status, unknown.body.error.code]).toEqual([404, 'STEP_UNKNOWN'])
})

it('says of every address which methods it takes, whatever the method and the body [API-13]', async () => {
  await using server = await served()
  for (const path of new Set(BOUND.map((contract) => contract.path))) {
    const taken = BOUND.filter((contract) => contract.path === path).map(({ method }) => method)
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'QUERY']) {
      if (taken.some((one) => one === method)) continue
      const address = path.replaceAll(/\{[a-zA-Z0-9]+\}/g, 'x')
      const given = method === 'GET' ? {} : { text: 'x', headers: { 'content-type': 'text/plain' } }
      const { status, body, headers } = await server.call(`${method} ${address}`, given)
      expect({ method, path, status, code: body.error.code }).toEqual({
        method,
        path,
        status: 405,
        code: 'METHOD_NOT_ALLOWED',
      })
      expect((headers.get('allow') ?? '').split(', ').sort()).toEqual([...taken].sort())
    }
  }
})
