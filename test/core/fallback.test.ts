/** A fallback belongs to its step: when it runs, what its success handles, and whose error remains when it fails too. */
import { describe, expect, it } from 'vitest'
import { World } from '../fixtures/virtual-world.ts'
import { scenario } from '../fixtures/scenario.ts'

const PLAN = `
steps:
  - { id: pay, run: f, dependsOn: [], fallback: { run: g } }
  - { id: side, run: f, dependsOn: [] }
  - { id: ship, run: f, dependsOn: [pay] }`

const exhaust = (
  run: ReturnType<typeof scenario>,
  slot: string,
  errorClass: 'unknown' | 'timeout' = 'unknown',
): ReturnType<typeof scenario> => {
  for (let attempt = 1; attempt < 3; attempt += 1) run.fails(slot, { class: errorClass }).at('+30s')
  return run.fails(slot, { class: errorClass })
}

describe('a fallback', () => {
  it.each(['unknown', 'timeout'] as const)(
    'runs once the retries are used up (%s), and its success lets the run complete [ERR-06, X-101]',
    (errorClass) => {
      const run = exhaust(scenario(PLAN).start().completes('side'), 'pay', errorClass)
      expect(run.payload('StepFailed', 'pay')).toMatchObject({ final: true, fallback: true })
      expect(run.dispatched()).toEqual(['pay#1', 'side#1', 'pay#2', 'pay#3', 'FALLBACK:pay#1'])
      expect(run.status).toBe('RUNNING')
      run.completes('FALLBACK:pay').completes('ship')
      expect(run.status).toBe('COMPLETED')
    },
  )

  it('leaves its step FAILED on record while its success satisfies the dependents [X-101]', () => {
    const run = exhaust(scenario(PLAN).start(), 'pay').completes('FALLBACK:pay')
    expect(run.dispatched().at(-1)).toBe('ship#1')
    expect(run.events('StepCompleted')).toEqual(['StepCompleted FALLBACK:pay#1'])
    expect(run.state.failed).toBe(0)
  })

  it('that fails too fails the run, and the root cause stays the error of its step [ERR-06, X-101]', () => {
    const run = exhaust(scenario(PLAN).start().completes('side'), 'pay')
    for (let attempt = 1; attempt < 3; attempt += 1) run.fails('FALLBACK:pay', { code: 'SECOND' }).at('+30s')
    run.fails('FALLBACK:pay', { code: 'SECOND' })
    expect(run.status).toBe('FAILED')
    expect(run.payload('RunFailed')).toMatchObject({
      error: { code: 'UNKNOWN' },
      rootCause: { slot: 'pay', attempt: 3 },
    })
    expect(run.dispatched()).not.toContain('ship#1')
  })

  it('holds fail-fast back until it has failed itself [X-101]', () => {
    const plan = `${PLAN}\n  - { id: more, run: f, dependsOn: [side] }\n  - { id: last, run: f, dependsOn: [more] }`
    const run = exhaust(scenario(plan).start(), 'pay').completes('side')
    expect(run.dispatched().slice(-2)).toEqual(['FALLBACK:pay#1', 'more#1'])
    for (let attempt = 1; attempt < 3; attempt += 1) run.fails('FALLBACK:pay').at('+30s')
    run.fails('FALLBACK:pay').completes('more')
    expect(run.status).toBe('FAILED')
    expect(run.dispatched()).not.toContain('last#1')
  })

  it('that is not used leaves no event [X-101]', () => {
    const run = scenario(PLAN).start().completes('pay').completes('side').completes('ship')
    expect(run.status).toBe('COMPLETED')
    expect(run.events().filter((event) => event.includes('FALLBACK'))).toEqual([])
  })

  it('is not tried after a permanent error unless fallbackOn says so [ERR-07, X-59b]', () => {
    const never = scenario(PLAN).start().completes('side').fails('pay', { class: 'validation' })
    expect([never.status, never.dispatched()]).toEqual(['FAILED', ['pay#1', 'side#1']])
    const asked = PLAN.replace('fallback: { run: g }', 'fallback: { run: g }, fallbackOn: [exhausted, permanent]')
    const once = scenario(asked).start().completes('side').fails('pay', { class: 'validation' })
    expect(once.dispatched()).toEqual(['pay#1', 'side#1', 'FALLBACK:pay#1'])
    expect(once.completes('FALLBACK:pay').completes('ship').status).toBe('COMPLETED')
  })

  it('is not tried when its step was cancelled', () => {
    const run = scenario(
      PLAN.replace('fallback: { run: g }', 'fallback: { run: g }, fallbackOn: [exhausted, permanent]'),
    ).start()
    run.signals('CANCEL').fails('pay').completes('side')
    expect(run.status).toBe('CANCELLED')
    expect(run.dispatched()).toEqual(['pay#1', 'side#1'])
  })

  it('of an item runs for that item alone, and its output takes the item’s place in the list [X-101]', async () => {
    const world = new World()
    const process = world.process('p', {
      script: {
        work: ({ input }) => {
          const { item } = input as { item: number }
          if (item === 2) throw new Error('no')
          return item * 10
        },
        rescue: ({ input }) => `rescued ${(input as { item: number }).item}`,
      },
    })
    const run = await process.start(
      `output: '\${steps.all.output}'
steps:
  - id: all
    forEach: 'input.list'
    run: work
    with: { item: '\${item}' }
    retry: { maxAttempts: 2 }
    fallback: { run: rescue, with: { item: '\${item}' } }`,
      { input: { list: [1, 2, 3] } },
    )
    await world.runUntil(() => world.hasEnded(run))
    expect(world.row(run).status).toBe('COMPLETED')
    expect(world.called('rescue')).toEqual(['all[1]#1/1'])
    expect(world.records(run).at(-1)?.data?.['output']).toEqual([10, 'rescued 2', 30])
  })

  it('gives its output to whoever reads its step [X-101]', async () => {
    const world = new World()
    const process = world.process('p', {
      script: {
        f: () => {
          throw new Error('down')
        },
        g: () => ({ from: 'fallback' }),
        read: ({ input }) => input,
      },
    })
    const run = await process.start(
      `steps:
  - { id: pay, run: f, dependsOn: [], fallback: { run: g } }
  - { id: ship, run: read, dependsOn: [pay], with: { paid: '\${steps.pay.output.from}' } }`,
    )
    await world.runUntil(() => world.hasEnded(run))
    expect(world.row(run).status).toBe('COMPLETED')
    expect([world.called('f').length, world.called('g').length]).toEqual([3, 1])
    expect(world.calls.at(-1)?.input).toEqual({ paid: 'fallback' })
  })
})
