/** Times in options of the library: in milliseconds, or as text like in a plan; never both. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LOCAL_PRINCIPAL } from '../../src/app/principal.ts'
import { loadPlan, openKeelson, type Keelson } from '../../src/main.ts'

let keelson: Keelson
beforeEach(async () => {
  keelson = await openKeelson({ directory: ':memory:', steps: { a: () => 1 } })
})
afterEach(async () => {
  await keelson.close()
})
const actor = { userId: 'ana', tenantId: LOCAL_PRINCIPAL.tenantId, roles: [] }

describe('a time as text', () => {
  it('is taken by every call that asks for milliseconds', async () => {
    expect((await keelson.send({ name: 'paid', ttl: '30s' })).kind).toBe('sent')
    await keelson.subscribe('a', () => undefined, { poll: '20ms' }).stop()
    keelson.as(actor, { breaker: { failures: 3, rest: '5s' } })
    const other = {
      lease: '10s',
      poll: '50ms',
      egress: { silence: '5s' },
      stateStore: { writeLatencyBudget: '3s' },
    } as const
    const resources = { tokens: { units: 5, per: '1m' } } as const
    await (await openKeelson({ directory: ':memory:', resources, ...other })).close()
    const run = await keelson.start(loadPlan('plan: p\nversion: 1.0.0\nsteps: [{ id: a, run: a }]'))
    await run.result()
    await expect(keelson.migrate(run.runId, { to: 'temporal', drain: '1s' })).rejects.not.toMatchObject({
      code: 'OPTION_INVALID',
    })
  })

  it('beside milliseconds is refused, however they agree', async () => {
    const twice = {
      code: 'OPTION_INVALID',
      message: expect.stringMatching(/are the same option: give one of them/) as string,
    }
    await expect(keelson.send({ name: 'paid', ttl: '30s', ttlMs: 30_000 })).rejects.toMatchObject(twice)
    expect(() => keelson.subscribe('a', () => undefined, { poll: '20ms', pollMs: 20 })).toThrow(/give one of them/)
    await expect(openKeelson({ directory: ':memory:', lease: '10s', leaseMs: 1 })).rejects.toMatchObject(twice)
    await expect(openKeelson({ directory: ':memory:', egress: { silence: '1s', silenceMs: 1 } })).rejects.toMatchObject(
      twice,
    )
    const resources = { tokens: { units: 5, per: '1m', perMs: 60_000 } } as const
    await expect(openKeelson({ directory: ':memory:', resources: resources as never })).rejects.toMatchObject(twice)
    await expect(keelson.migrate('x', { to: 'temporal', drain: '1s', drainMs: 1 })).rejects.toMatchObject(twice)
  })

  it.each(['30', '30 s', '1.5h', '0s', '-1s', '', 'soon', 30, null])('that is none is refused: %j', async (ttl) => {
    await expect(keelson.send({ name: 'paid', ttl: ttl as never })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringContaining("the option 'ttl' must be a time such as 500ms") as string,
    })
  })

  it('is no option where there are no milliseconds of that name', async () => {
    await expect(keelson.send({ name: 'paid', wait: '1s' } as never)).rejects.toMatchObject({ code: 'OPTION_UNKNOWN' })
  })
})

it('a listener of an event that does not exist is refused with the names that do', () => {
  for (const name of ['bogus', 'step.complete', 'toString', 7])
    expect(() => keelson.on(name as never, () => undefined)).toThrow(
      /on: the name of the event must be 'execution\.started' or 'step\.started' or 'step\.completed'/,
    )
})
