/** Why a step is where it is: every cause, from the state alone. */
import { describe, expect, it } from 'vitest'
import { explain, type Cause } from '../../src/core/run/explain.ts'
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
    expect(why(run, 'a').map((cause) => cause.kind)).toEqual(['failed'])
    expect(why(run, 'b')).toEqual([
      { kind: 'dependency', stepId: 'a', status: 'FAILED', final: true },
      { kind: 'run-held', slot: 'a', code: 'VALIDATION' },
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
