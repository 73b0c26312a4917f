/** Plans over HTTP: published with their problems in place, listed by name and version, drawn and compared. */
import { expect, it } from 'vitest'
import { EVE, served } from './served.ts'

const planOf = (version: string, step: string): string => `plan: order
version: ${version}
steps:
  - { id: a, run: work }
  - { id: ${step}, run: work, dependsOn: [a] }
`

const steps = { work: () => 1 }

it('publishes the text of a plan, and tells every problem at its line and column', async () => {
  await using server = await served({ steps })
  const good = await server.call('PUT /v1/plans', { body: { text: planOf('1.0.0', 'b') } })
  expect(good.status).toBe(200)
  expect(good.body).toMatchObject({
    planId: 'order',
    planVersion: '1.0.0',
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  const bad = await server.call('PUT /v1/plans', {
    body: { text: planOf('1.0.1', 'b').replace('dependsOn: [a]', 'dependsOn: [x]'), file: 'order.yaml' },
  })
  expect(bad.status).toBe(400)
  expect(bad.body.error.problems[0]).toMatchObject({
    code: 'PLAN_UNKNOWN_DEPENDENCY',
    at: { file: 'order.yaml', line: 5 },
  })
})

it('another plan under a published version is refused; a check publishes nothing', async () => {
  await using server = await served({ steps })
  await server.call('PUT /v1/plans', { body: { text: planOf('1.0.0', 'b') } })
  const other = await server.call('PUT /v1/plans', { body: { text: planOf('1.0.0', 'c') } })
  expect({ status: other.status, code: other.body.error.code }).toEqual({ status: 409, code: 'PLAN_VERSION_EXISTS' })
  const checked = await server.call('PUT /v1/plans', { body: { text: planOf('2.0.0', 'c'), check: true } })
  expect(checked.status).toBe(200)
  const { body } = await server.call('GET /v1/plans/order/versions')
  expect(body.versions.map((one: { planVersion: string }) => one.planVersion)).toEqual(['1.0.0'])
})

it('lists plans page by page, and the versions of one newest first, for its tenant alone', async () => {
  await using server = await served({ steps })
  for (const [id, version] of [
    ['a', '1.0.0'],
    ['order', '1.0.0'],
    ['order', '1.1.0'],
  ] as const)
    await server.publish(planOf(version, 'b').replace('plan: order', `plan: ${id}`))
  const first = await server.call('GET /v1/plans?limit=1')
  expect(first.body).toMatchObject({ plans: [{ planId: 'a', planVersion: '1.0.0' }], next: 'a' })
  const second = await server.call(`GET /v1/plans?limit=5&cursor=${first.body.next}`)
  expect(second.body.plans).toMatchObject([{ planId: 'order', planVersion: '1.1.0' }])
  expect(second.body.next).toBeUndefined()
  const { body } = await server.call('GET /v1/plans/order/versions')
  expect(body.versions.map((one: { planVersion: string }) => one.planVersion)).toEqual(['1.1.0', '1.0.0'])
  expect((await server.call('GET /v1/plans', { as: EVE })).body.plans).toEqual([])
  expect((await server.call('GET /v1/plans/order/versions', { as: EVE })).status).toBe(404)
})

it('gives a plan by name and by hash, its graph, and what changed with the runs in flight', async () => {
  await using server = await served({ steps })
  await server.publish(planOf('1.0.0', 'b'))
  await server.publish(planOf('1.1.0', 'c'))
  const plan = await server.call('GET /v1/plans/order?version=1.0.0')
  expect(plan.body.plan.steps.map((one: { stepId: string }) => one.stepId)).toEqual(['a', 'b'])
  const byHash = await server.call(`GET /v1/plans/by-hash/${plan.body.sha256}`)
  expect(byHash.body.plan).toEqual(plan.body.plan)
  expect((await server.call(`GET /v1/plans/by-hash/${plan.body.sha256}`, { as: EVE })).status).toBe(404)
  const graph = await server.call('GET /v1/plans/order/graph')
  expect(graph.body.steps).toMatchObject([
    { stepId: 'a', layer: 1, after: [] },
    { stepId: 'c', layer: 2, after: ['a'] },
  ])
  await server.call('POST /v1/executions', { body: { planId: 'order', planVersion: '1.0.0', queue: true } })
  const diff = await server.call('GET /v1/plans/order/diff?from=1.0.0&to=1.1.0')
  expect(diff.body.changes).toMatchObject({ added: ['c'], removed: ['b'] })
  expect(diff.body.executions).toMatchObject([{ planVersion: '1.0.0', status: 'PENDING' }])
})

it('a plan in the body of a start is for development alone', async () => {
  const plan = { plan: 'mine', version: '1.0.0', steps: [{ id: 'a', run: 'work' }] }
  await using strict = await served({ steps })
  const refused = await strict.call('POST /v1/executions', { body: { plan } })
  expect({ status: refused.status, code: refused.body.error.code }).toEqual({
    status: 403,
    code: 'PLAN_INLINE_REFUSED',
  })
  await using dev = await served({ steps }, { dev: true })
  expect((await dev.call('POST /v1/executions?mode=sync', { body: { plan } })).body).toMatchObject({
    status: 'COMPLETED',
  })
})
