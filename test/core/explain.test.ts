/** Why a step is where it is: every cause, from the state alone. */
import { describe, expect, it } from 'vitest'
import { explain, type Cause } from '../../src/core/run/explain/explain.ts'
import { scenario, START, type Scenario } from '../fixtures/scenario.ts'

function why(run: Scenario, slot: string): readonly Cause[] {
  return explain(run.graph, run.state, slot, run.now)
}

const TWO = 'steps:\n  - { id: a, run: f, dependsOn: [] }\n  - { id: b, run: f, dependsOn: [a] }\n'

describe('explain', () => {
  it('names the dependencies a step waits for, and that one of them retries', () => {
    const run = scenario(TWO).start()
    expect(why(run, 'a')).toEqual([{ kind: 'running', attempt: 1, maxAttempts: 3, since: START }])
    expect(why(run, 'b')).toEqual([{ kind: 'dependency', stepId: 'a', status: 'RUNNING', final: false }])
    run.fails('a')
    expect(why(run, 'a')).toEqual([
      { kind: 'backoff', attempt: 1, maxAttempts: 3, retryAt: START + 1000, code: 'UNKNOWN' },
    ])
    expect(why(run, 'b')).toEqual([{ kind: 'dependency', stepId: 'a', status: 'RETRYING', final: false }])
  })

  it('gives every cause at once: the dependency and the pause', () => {
    const run = scenario(TWO).start().signals('PAUSE')
    expect(why(run, 'b').map((cause) => cause.kind)).toEqual(['dependency', 'run-paused'])
  })

  it('tells what a held run waits for', () => {
    const run = scenario(`policy: { onFailure: hold }\n${TWO}`).start().fails('a', { class: 'validation' })
    expect(why(run, 'a')).toEqual([
      { kind: 'failed', attempt: 1, code: 'VALIDATION', runSeq: 4 },
      { kind: 'needs-decision', stepId: 'a', signals: ['SKIP_STEP', 'RETRY_STEP', 'CANCEL'] },
    ])
    expect(why(run, 'b')).toEqual([
      { kind: 'dependency', stepId: 'a', status: 'FAILED', final: true },
      { kind: 'run-held', slot: 'a', code: 'VALIDATION' },
      { kind: 'needs-decision', stepId: 'a', signals: ['SKIP_STEP', 'RETRY_STEP', 'CANCEL'] },
    ])
  })

  it('counts the items of a fan-out and names a full run', () => {
    const yaml =
      'policy: { concurrency: 2 }\nsteps:\n  - { id: a, run: f, dependsOn: [], forEach: "input.xs" }\n  - { id: b, run: f, dependsOn: [] }\n'
    const run = scenario(yaml, { facts: { a: { items: 3 } } }).start()
    expect(why(run, 'a')).toEqual([{ kind: 'items', done: 0, failed: 0, running: 2, total: 3 }])
    expect(why(run, 'b')).toEqual([{ kind: 'no-free-slot', limit: 2 }])
    expect(why(run, 'a[2]')).toEqual([{ kind: 'no-free-slot', limit: 2 }])
  })

  it('tells people from clocks: a manual task, a wait, an ended run', () => {
    const yaml =
      'steps:\n  - { id: ask, dependsOn: [], manual: { title: go } }\n  - { id: nap, dependsOn: [], wait: { forMs: 5000 } }\n'
    const run = scenario(yaml).start()
    expect(why(run, 'ask')).toEqual([{ kind: 'waiting-for-person', since: START }])
    expect(why(run, 'nap')).toEqual([{ kind: 'waiting-until', at: START + 5000 }])
    run.signals('CANCEL')
    expect(why(run, 'ask').map((cause) => cause.kind)).toEqual(['failed', 'run-ended'])
  })

  it('says so when there is no such slot, and repeats what the outside tells', () => {
    const run = scenario(TWO).start()
    expect(why(run, 'nobody')).toEqual([{ kind: 'unknown-slot' }])
    expect(explain(run.graph, run.state, 'a', run.now, { reasons: ['no process has the handler f'] }).at(-1)).toEqual({
      kind: 'outside',
      why: 'no process has the handler f',
    })
  })
})

const FAIL = { class: 'validation' } as const

describe('what is behind a failure', () => {
  it('a step skipped because of a failure names the failed ancestor, however far away it is', () => {
    const run = scenario(`policy: { onFailure: continue }
steps:
  - { id: a, run: f, dependsOn: [] }
  - { id: b, run: f, dependsOn: [a] }
  - { id: c, run: f, dependsOn: [b] }
  - { id: other, run: f, dependsOn: [] }
`).start()
    run.completes('other').fails('a', FAIL)
    const failed = { kind: 'ancestor-failed', slot: 'a', attempt: 1, code: 'VALIDATION' }
    for (const slot of ['b', 'c']) expect(why(run, slot)).toMatchObject([{ kind: 'skipped' }, failed])
  })

  it('a step whose fallback failed too tells both failures', () => {
    const run = scenario('steps: [{ id: a, run: f, fallback: { run: g }, fallbackOn: [permanent, exhausted] }]').start()
    run.fails('a', FAIL).fails('FALLBACK:a', { class: 'permanent' })
    expect(why(run, 'a')).toMatchObject([
      { kind: 'failed', code: 'VALIDATION' },
      { kind: 'fallback-failed', slot: 'FALLBACK:a', code: 'PERMANENT' },
      { kind: 'run-ended' },
    ])
  })

  it('a forEach names its first failed items and counts the rest', () => {
    const yaml = 'policy: { onFailure: continue }\nsteps: [{ id: a, run: f, forEach: "input.xs" }]'
    const run = scenario(yaml, { facts: { a: { items: 6 } } }).start()
    run.completes('a[0]')
    for (const item of [1, 2, 3, 4, 5]) run.fails(`a[${item}]`, FAIL)
    expect(why(run, 'a')).toMatchObject([
      { kind: 'failed', code: 'ITEMS_FAILED' },
      { kind: 'item-failed', slot: 'a[1]', more: 0 },
      { kind: 'item-failed', slot: 'a[2]', more: 0 },
      { kind: 'item-failed', slot: 'a[3]', more: 2 },
      { kind: 'run-ended' },
    ])
  })
})

describe('what a person may do', () => {
  const SHIP = 'steps:\n  - { id: ship, run: f, effect: irreversible, dependsOn: [] }\n'
  const FAN =
    'policy: { onFailure: hold }\nsteps:\n  - { id: fan, run: f, dependsOn: [], forEach: "input.xs" }\n  - { id: b, run: f, dependsOn: [fan] }\n'
  const indeterminate = (): Scenario =>
    scenario(SHIP)
      .start()
      .adopted([{ slot: 'ship', attempt: 1 }])
  const heldFan = (): Scenario =>
    scenario(FAN, { facts: { fan: { items: 3 } } })
      .start()
      .completes('fan[0]')
      .fails('fan[2]', FAIL)
      .completes('fan[1]')

  it('with an effect that may have happened: what began and when, and three ways out', () => {
    expect(why(indeterminate(), 'ship')).toMatchObject([
      { kind: 'failed', code: 'INDETERMINATE' },
      { kind: 'indeterminate', attempt: 1, since: START },
      { kind: 'needs-decision', stepId: 'ship', signals: ['SKIP_STEP', 'RETRY_STEP', 'CANCEL'] },
    ])
  })

  it('with a failed item is told for its step, because that is what takes signals', () => {
    for (const slot of ['fan', 'fan[2]', 'b'])
      expect(why(heldFan(), slot).at(-1)).toMatchObject({ kind: 'needs-decision', stepId: 'fan' })
  })

  it.each(['SKIP_STEP', 'RETRY_STEP', 'CANCEL'] as const)('%s is taken when it was offered', (type) => {
    for (const [make, stepId] of [
      [indeterminate, 'ship'],
      [heldFan, 'fan'],
    ] as const) {
      const run = make().signals(type, type === 'CANCEL' ? {} : { stepId })
      expect(run.payload('SignalAccepted')).toMatchObject({ signalType: type, applied: true })
    }
  })

  it('is not offered while other items are at work, nor after the end', () => {
    const busy = scenario(FAN, { facts: { fan: { items: 3 } } })
      .start()
      .fails('fan[2]', FAIL)
    expect(why(busy, 'fan[2]').map(({ kind }) => kind)).not.toContain('needs-decision')
    const ended = heldFan().signals('CANCEL')
    expect(why(ended, 'fan').map(({ kind }) => kind)).not.toContain('needs-decision')
  })
})
