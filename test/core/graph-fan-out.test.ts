/** A forEach step: its expansion, its items, what one failed item does to the others, and its retry. */
import { describe, expect, it } from 'vitest'
import { scenario, type Scenario, type ScenarioOptions } from '../fixtures/scenario.ts'

const plan = (onFailure: string, concurrency: number, maxAttempts = 1): string => `
policy: { onFailure: ${onFailure}, concurrency: ${concurrency} }
steps:
  - { id: all, run: f, dependsOn: [], forEach: 'input.list', retry: { maxAttempts: ${maxAttempts} } }
  - { id: after, run: f, dependsOn: [all] }`

const items = (count: number): ScenarioOptions => ({ facts: { all: { items: count } } })
const fan = (run: Scenario) => run.payload('FanOutExpanded')

describe('an expansion', () => {
  it('is recorded once with its count and hash, and its items start in index order [P-47, P-05]', () => {
    const run = scenario(plan('failFast', 2), items(4)).start()
    expect(run.events('StepStarted', 'FanOutExpanded')).toEqual([
      'StepStarted all#1',
      'FanOutExpanded all#1',
      'StepStarted all[0]#1',
      'StepStarted all[1]#1',
    ])
    expect(fan(run)).toEqual({ stepId: 'all', count: 4, sha256: 'a'.repeat(64), ref: 'blob:a' })
    run.completes('all[1]').completes('all[0]').completes('all[3]').completes('all[2]')
    expect(run.dispatched()).toEqual(['all[0]#1', 'all[1]#1', 'all[2]#1', 'all[3]#1', 'after#1'])
  })

  it('takes no slot for the parent: a limit of one still runs one item at a time [P-47]', () => {
    const run = scenario(plan('failFast', 1), items(2)).start()
    expect([run.dispatched(), run.state.slotsInUse]).toEqual([['all[0]#1'], 1])
    run.completes('all[0]').completes('all[1]').completes('after')
    expect(run.status).toBe('COMPLETED')
  })

  it('of an empty list completes the step at once [P-47]', () => {
    const run = scenario(plan('failFast', 1), items(0)).start()
    expect(run.events('StepCompleted')).toEqual(['StepCompleted all#1'])
    expect(run.dispatched()).toEqual(['after#1'])
  })

  it('is asked for as a need and carried by the events it decides [P-04, P-05]', () => {
    const run = scenario(plan('failFast', 1), items(1))
    run.start()
    const started = run.log.find(({ draft }) => draft.eventType === 'StepStarted' && draft.slot === 'all')
    expect(started?.draft.data).toEqual({ facts: { items: { count: 1, sha256: 'a'.repeat(64), ref: 'blob:a' } } })
  })
})

describe('an item that fails for good', () => {
  it('holds back the items not yet started; those in flight settle, then the parent fails with the lowest index [P-47]', () => {
    const run = scenario(plan('failFast', 3), items(6)).start().fails('all[2]').fails('all[1]')
    expect(run.dispatched()).toEqual(['all[0]#1', 'all[1]#1', 'all[2]#1'])
    expect(run.events('StepFailed')).not.toContain('StepFailed all#1')
    run.completes('all[0]')
    expect(run.payload('StepFailed', 'all')).toMatchObject({
      final: true,
      failedItem: 1,
      error: { code: 'ITEMS_FAILED' },
    })
    expect([run.status, run.dispatched().length]).toEqual(['FAILED', 3])
    expect(run.payload('RunFailed')['rootCause']).toMatchObject({ slot: 'all[2]' })
  })

  it('lets an item that waits for its retry settle too [P-47]', () => {
    const run = scenario(plan('failFast', 2, 2), items(4))
      .start()
      .fails('all[0]')
      .fails('all[1]', { class: 'conflict' })
      .completes('all[2]')
    expect(run.status).toBe('RUNNING')
    run.at('+1s')
    expect(run.dispatched()).toEqual(['all[0]#1', 'all[1]#1', 'all[2]#1', 'all[0]#2'])
    run.completes('all[0]')
    expect([run.status, run.payload('StepFailed', 'all')['failedItem']]).toEqual(['FAILED', 1])
  })

  it('does not hold back the fallback of an item that had begun [P-47]', () => {
    const text = `policy: { concurrency: 2 }
steps:
  - { id: first, run: f, dependsOn: [] }
  - { id: all, run: f, dependsOn: [], forEach: 'input.list', retry: { maxAttempts: 1 }, fallback: { run: g } }`
    const run = scenario(text, items(3)).start().fails('first')
    run.now += 5_000
    run.fails('all[0]')
    expect(run.dispatched()).toEqual(['first#1', 'all[0]#1', 'all[1]#1', 'first#2'])
    run.fails('all[1]', { class: 'conflict' })
    expect(run.dispatched().at(-1)).toBe('FALLBACK:all[0]#1')
    run.completes('FALLBACK:all[0]')
    expect(run.payload('StepFailed', 'all')).toMatchObject({ failedItem: 1, error: { code: 'ITEMS_FAILED' } })
    expect(run.dispatched()).not.toContain('all[2]#1')
  })

  it('stops nothing under continue: all items run, then the parent fails and its dependents are skipped [P-47, P-46]', () => {
    const run = scenario(plan('continue', 2), items(5)).start()
    run.fails('all[0]').completes('all[1]').fails('all[2]').completes('all[3]').completes('all[4]')
    expect(run.dispatched()).toHaveLength(5)
    expect(run.payload('StepFailed', 'all')).toMatchObject({ failedItem: 0, error: { code: 'ITEMS_FAILED' } })
    expect([run.status, run.events('StepSkipped')]).toEqual(['FAILED', ['StepSkipped after#1']])
  })

  it('retries by its own policy before it is final', () => {
    const run = scenario(plan('failFast', 1, 3), items(1)).start()
    run.fails('all[0]').at('+1s').fails('all[0]').at('+2s').completes('all[0]').completes('after')
    expect([run.status, run.dispatched()]).toEqual(['COMPLETED', ['all[0]#1', 'all[0]#2', 'all[0]#3', 'after#1']])
  })
})

describe('a fan-out that is stopped', () => {
  it('ends its parent as cancelled when its items only closed with the run', () => {
    const run = scenario(plan('failFast', 2), items(3)).start().completes('all[0]').signals('CANCEL').at('+5s')
    expect(run.status).toBe('CANCELLED')
    expect(run.payload('StepFailed', 'all')).toMatchObject({ final: true, error: { code: 'CANCELLED' } })
    expect(run.events('StepStarted')).not.toContain('StepStarted all[3]#1')
  })

  it('still says ITEMS_FAILED when an item had failed of itself', () => {
    const run = scenario(plan('failFast', 2), items(3)).start().fails('all[1]').signals('CANCEL').at('+5s')
    expect(run.payload('StepFailed', 'all')).toMatchObject({ error: { code: 'ITEMS_FAILED' }, failedItem: 0 })
  })

  it('does not keep the run failing once the step that stopped it is retried', () => {
    const text = `steps:
  - { id: tasks, manual: { title: Sign }, dependsOn: [], forEach: 'input.list' }
  - { id: slow, run: f, dependsOn: [] }
  - { id: bad, run: f, dependsOn: [], retry: { maxAttempts: 1 } }`
    const run = scenario(text, { facts: { tasks: { items: 2 } } })
      .start()
      .fails('bad')
    expect(run.payload('StepFailed', 'tasks[0]')).toMatchObject({ error: { code: 'CANCELLED' } })
    run.signals('RETRY_STEP', { stepId: 'bad' })
    expect(run.state.failing).toBe(false)
    expect(run.dispatched().at(-1)).toBe('bad#2')
  })
})

describe('RETRY_STEP on the parent', () => {
  it('opens its next attempt and a new attempt of the failed items only, and expands nothing again [P-47]', () => {
    const run = scenario(plan('hold', 3), items(3)).start().completes('all[0]').fails('all[1]').completes('all[2]')
    expect([run.status, run.substatus]).toEqual(['RUNNING', 'embedded/HOLDING'])
    run.signals('RETRY_STEP', { stepId: 'all' })
    expect(run.events('StepStarted').slice(-2)).toEqual(['StepStarted all#2', 'StepStarted all[1]#2'])
    run.completes('all[1]').completes('after')
    expect(run.status).toBe('COMPLETED')
    expect(run.events('FanOutExpanded')).toEqual(['FanOutExpanded all#1'])
    expect(run.events('StepCompleted')).toContain('StepCompleted all#2')
    expect(run.dispatched()).toEqual(['all[0]#1', 'all[1]#1', 'all[2]#1', 'all[1]#2', 'after#1'])
  })

  it('also starts the items that were held back, for the first time [P-47]', () => {
    const run = scenario(plan('hold', 1), items(4)).start().completes('all[0]').fails('all[1]')
    run.signals('RETRY_STEP', { stepId: 'all' })
    for (const item of [1, 2, 3]) run.completes(`all[${item}]`)
    expect(run.dispatched()).toEqual(['all[0]#1', 'all[1]#1', 'all[1]#2', 'all[2]#1', 'all[3]#1', 'after#1'])
  })

  it('can fail and be retried again, each time for what still fails [P-47]', () => {
    const run = scenario(plan('hold', 5), items(3)).start().fails('all[0]').fails('all[1]').completes('all[2]')
    run.signals('RETRY_STEP', { stepId: 'all' }).completes('all[0]').fails('all[1]')
    expect(run.payload('StepFailed', 'all')).toMatchObject({ failedItem: 1 })
    run.signals('RETRY_STEP', { stepId: 'all' }).completes('all[1]').completes('after')
    expect(run.status).toBe('COMPLETED')
    expect(run.dispatched()).toEqual([
      'all[0]#1',
      'all[1]#1',
      'all[2]#1',
      'all[0]#2',
      'all[1]#2',
      'all[1]#3',
      'after#1',
    ])
  })

  it('is the same after the state was folded anew from the log [P-47]', () => {
    const run = scenario(plan('hold', 1), items(4))
      .start()
      .completes('all[0]')
      .fails('all[1]')
      .signals('RETRY_STEP', { stepId: 'all' })
    const again = run.refolded()
    expect([again.ready.size, again.inFlight.size, again.openFans.size, again.doneFans.size]).toEqual([1, 1, 1, 0])
    run.state = again
    for (const item of [1, 2, 3]) run.completes(`all[${item}]`)
    expect(run.completes('after').status).toBe('COMPLETED')
  })
})
