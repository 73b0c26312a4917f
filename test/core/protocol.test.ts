/** The protocol as the decider keeps it: pure functions, named inputs, effects with stable ids, pinned limits. */
import { describe, expect, it } from 'vitest'
import { decide } from '../../src/core/run/decide/decide.ts'
import type { Draft } from '../../src/core/run/draft.ts'
import { effectId, engineAttemptAt, type Effect } from '../../src/core/run/effect.ts'
import { evolve } from '../../src/core/run/evolve/evolve.ts'
import { foldEventOfDraft } from '../../src/core/run/fold-event.ts'
import type { InputBody } from '../../src/core/run/input.ts'
import { openEffects } from '../../src/core/run/open-effects.ts'
import { packState } from '../../src/core/run/state/checkpoint.ts'
import { RULES_VERSION } from '../../src/core/run/state/state.ts'
import { graphOf, scenario, START, type Scenario } from '../fixtures/scenario.ts'

const MIXED = `
policy: { concurrency: 3, onFailure: continue, retry: { maxAttempts: 2 } }
steps:
  - { id: a, run: f, dependsOn: [], compensate: { run: undo } }
  - { id: fan, forEach: "input.list", run: f, dependsOn: [] }
  - { id: w, wait: { forMs: 500 }, dependsOn: [] }
  - { id: m, manual: { title: Sign }, dependsOn: [] }
  - { id: c, plan: { planId: child }, dependsOn: [a] }
  - { id: z, run: f, dependsOn: [fan, c] }`
const FACTS = { facts: { fan: { items: 3 } } }

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) frozen(part)
  }
  return value
}

function mixed(): Scenario {
  const run = scenario(graphOf(MIXED), FACTS)
    .start()
    .completes('a')
    .fails('fan[0]')
    .at('+500ms')
    .signals('PAUSE')
    .completes('m')
  return run
    .adopted()
    .signals('RESUME')
    .at('+1s')
    .completes('fan[1]', null, { engineAttempt: 2 })
    .completes('c', null)
    .signals('UPDATE_PARAMS', { params: {}, reason: 'a mistake' })
}

describe('the functions of the core', () => {
  it('are pure: the same arguments give the same answer and are left as they were [P-01]', () => {
    const run = mixed()
    let state = frozen(scenario(run.graph).state)
    for (const input of run.inputs) {
      const before = JSON.stringify(packState(state))
      const first = frozen(decide(run.graph, state, frozen(input)))
      expect(decide(run.graph, state, input)).toEqual(first)
      expect(JSON.stringify(packState(state))).toBe(before)
      const folded = first.drafts.reduce(
        (now, draft, index) => frozen(evolve(now, foldEventOfDraft(draft, state.seq + 1 + index, input.now))),
        state,
      )
      expect(packState(folded)).toEqual(packState(first.state))
      state = first.state
    }
    expect(run.inputs.length).toBeGreaterThan(12)
  })

  it('openEffects gives exactly the work that was sent out and is not answered yet [P-01]', () => {
    const run = scenario(graphOf(MIXED), FACTS).start()
    const owed = (): string[] =>
      openEffects(run.graph, run.state, run.epoch)
        .map((effect) => effect.id)
        .sort()
    expect(owed()).toEqual([
      'ExecuteStep:a:1:1',
      'ExecuteStep:fan[0]:1:1',
      'ExecuteStep:fan[1]:1:1',
      'OpenManualTask:m:1',
    ])
    run.completes('a').fails('fan[0]')
    expect(owed()).toEqual(['ExecuteStep:fan[1]:1:1', 'ExecuteStep:fan[2]:1:1', 'OpenManualTask:m:1', 'StartChild:c:1'])
    run.completes('m').completes('fan[1]').completes('fan[2]')
    expect(owed()).toEqual(['StartChild:c:1'])
    run.signals('PAUSE')
    expect(owed()).toEqual(['SignalChild:c:1:PAUSE:1', 'StartChild:c:1'])
    run.signals('CANCEL')
    expect(owed()).toContain('SignalChild:c:1:CANCEL')
    expect(run.at('+5s').status).toBe('CANCELLED')
    expect(owed()).toEqual([])
  })
})

describe('the inputs', () => {
  const finished = (): Scenario => scenario(`steps: [{ id: a, run: f }]`).start().completes('a')
  const started = (): Scenario => scenario(`steps: [{ id: a, run: f }]`).start()
  const outcome = { kind: 'completed', payload: { artifactRefs: [] } } as const

  it('are fourteen, each decided under its instant and epoch [P-02]', () => {
    const details = {
      engineRunRef: 'x',
      engineType: 'embedded',
      planRef: { uri: 'p', sha256: '0'.repeat(64), schemaVersion: 'v1.0', planId: 'p', planVersion: '1' },
      context: { tenantId: 't', projectId: 'p', environmentId: 'e' },
    } as const
    const auto = { kind: 'admit', policy: 'START', runInput: {}, autoApprove: true } as const
    const stories: readonly [InputBody, Scenario, readonly string[]][] = [
      [auto, scenario(`steps: [{ id: a, run: f }]`), ['RunApproved']],
      [
        { kind: 'approve', approvedBy: 'olga' },
        scenario(`steps: [{ id: a, run: f }]`).take({ ...auto, autoApprove: false }),
        ['RunApproved'],
      ],
      [{ kind: 'start', details }, scenario(`steps: [{ id: a, run: f }]`).take(auto), ['RunStarted', 'StepStarted']],
      [
        { kind: 'outcome', slot: 'a', attempt: 1, engineAttempt: 1, outcome },
        started(),
        ['StepCompleted', 'RunCompleted'],
      ],
      [
        {
          kind: 'signal',
          signalId: 'x',
          signalType: 'PAUSE',
          payload: {},
          authorization: { allowed: true, policyDecisionId: 'x' },
        },
        started(),
        ['SignalAccepted', 'RunPaused'],
      ],
      [{ kind: 'timer', timer: 'grace' }, started().signals('CANCEL'), []],
      [
        { kind: 'child', slot: 'c', attempt: 1, childRunId: 'x', outcome },
        scenario(`steps: [{ id: c, plan: { planId: p } }]`).start(),
        ['StepCompleted', 'RunCompleted'],
      ],
      [{ kind: 'grant', slot: 'a' }, started(), []],
      [{ kind: 'adopt', claims: [] }, started(), []],
      [
        { kind: 'handoff', payload: { fromEngine: 'embedded', toEngine: 'mock', engineRunRef: 'y', maxInFlight: 5 } },
        started(),
        ['EngineHandoff'],
      ],
      [{ kind: 'upgrade', to: RULES_VERSION + 1 }, started(), ['RulesUpgraded']],
      [{ kind: 'fork', payload: { newRunId: 'n', atSeq: 1, planVersion: '1' } }, finished(), ['RunForked']],
      [{ kind: 'erase', payload: { erasedUpTo: 1, reason: 'asked for' } }, finished(), ['ErasureRecorded']],
      [{ kind: 'continue', cause: 'cut:1', facts: new Map() }, started(), []],
    ]
    expect(new Set(stories.map(([input]) => input.kind)).size).toBe(14)
    for (const [input, run, expected] of stories) {
      const now = run.now + 1234
      const { drafts } = decide(run.graph, run.state, { ...input, now, epoch: 3 })
      expect([input.kind, ...drafts.map((draft) => draft.eventType)]).toEqual([input.kind, ...expected])
      const written = JSON.stringify(drafts.map((draft) => draft.payload))
      if (input.kind === 'start') expect(written).toContain('"epoch":3')
      if (written.includes('2030')) expect(written).toContain('2030-01-01T00:00:01.234Z')
    }
  })

  it('a second start changes nothing [IDM-12]', () => {
    const run = started()
    const before = packState(run.state)
    run.now += 60_000
    const again = run.inputs.find((input) => input.kind === 'start')
    if (again?.kind !== 'start') throw new Error('no start')
    run.take(again)
    expect(run.events('RunStarted')).toHaveLength(1)
    expect(packState(run.state)).toEqual(before)
    expect(run.state.startedAt).toBe(START)
  })
})

describe('effects', () => {
  const ids = (effects: readonly Effect[]): string[] => effects.map((effect) => effect.id)

  it('are named by slot, attempt and engine attempt; tasks and children by slot and attempt only [P-03]', () => {
    const run = scenario(graphOf(MIXED), FACTS).start().completes('a').completes('fan[0]')
    expect(ids(run.effects).sort()).toEqual([
      'ExecuteStep:a:1:1',
      'ExecuteStep:fan[0]:1:1',
      'ExecuteStep:fan[1]:1:1',
      'ExecuteStep:fan[2]:1:1',
      'OpenManualTask:m:1',
      'StartChild:c:1',
    ])
    run.adopted()
    expect(ids(openEffects(run.graph, run.state, run.epoch)).sort()).toEqual([
      'ExecuteStep:fan[1]:1:2',
      'ExecuteStep:fan[2]:1:2',
      'OpenManualTask:m:1',
      'StartChild:c:1',
    ])
    const undoing = scenario(`
policy: { retry: { maxAttempts: 1 } }
steps: [{ id: a, run: f, compensate: { run: undo } }, { id: b, run: f }]`)
      .start()
      .completes('a')
      .fails('b')
    expect(ids(undoing.effects).at(-1)).toBe('Compensate:COMP:a:1:1')
    const cancelled = scenario(`steps: [{ id: a, run: f }]`).start().adopted().signals('CANCEL')
    expect(ids(cancelled.effects).at(-1)).toBe('CancelStep:a:1:2')
  })

  it("count the engine attempt from the epoch of the start and the platform's own tries [P-27, P-03]", () => {
    expect([engineAttemptAt(1, 1), engineAttemptAt(4, 2), engineAttemptAt(4, 2, 3)]).toEqual([1, 3, 5])
    expect(effectId('ExecuteStep', 'a', 1, engineAttemptAt(4, 2))).toBe('ExecuteStep:a:1:3')
    const run = scenario(`steps: [{ id: a, run: f }, { id: b, run: f }]`)
      .start()
      .adopted()
      .adopted()
      .completes('a', null, { engineAttempt: 3 })
    expect(run.payload('StepStarted', 'b')).toMatchObject({ epoch: 3 })
    expect(ids(openEffects(run.graph, run.state, run.epoch))).toEqual(['ExecuteStep:b:1:1'])
  })
})

describe('drafts', () => {
  it('are type, slot, attempt, payload and data, and nothing that only the append path knows [P-42]', () => {
    const known = ['eventType', 'slot', 'attempt', 'payload', 'data', 'engineAttempt', 'causedBySignalId']
    const drafts: readonly Draft[] = mixed().log.map(({ draft }) => draft)
    expect(drafts.length).toBeGreaterThan(20)
    for (const draft of drafts) expect(Object.keys(draft).filter((name) => !known.includes(name))).toEqual([])
  })
})

describe('the number of attempts in flight', () => {
  const WIDE = `policy: { concurrency: 6 }\nsteps: [${'abcdefgh'
    .split('')
    .map((id) => `{ id: ${id}, run: f, dependsOn: [] }`)
    .join(', ')}]`

  it('is the smaller of what the plan wants and the engine bears, pinned by RunStarted and EngineHandoff [P-20]', () => {
    expect(scenario(WIDE).start().dispatched()).toHaveLength(6)
    const run = scenario(WIDE, { maxInFlight: 2 }).start()
    expect(run.dispatched()).toEqual(['a#1', 'b#1'])
    expect(run.payload('RunStarted')).toMatchObject({ maxInFlight: 2 })
    expect(run.completes('a').dispatched()).toEqual(['a#1', 'b#1', 'c#1'])
    run.take({
      kind: 'handoff',
      payload: { fromEngine: 'embedded', toEngine: 'mock', engineRunRef: 'y', maxInFlight: 4 },
    })
    expect(run.dispatched()).toEqual(['a#1', 'b#1', 'c#1', 'd#1', 'e#1'])
    expect(run.refolded().limit).toBe(4)
  })
})

describe('queueing', () => {
  const admitted = (policy: 'START' | 'QUEUE' | 'DELAY'): Scenario =>
    scenario(`steps: [{ id: a, run: f }]`).take({
      kind: 'admit',
      policy,
      runInput: {},
      autoApprove: policy === 'START',
      ...(policy === 'DELAY' ? { notBefore: START + 60_000 } : {}),
    })

  it('writes RunQueued for QUEUE and DELAY only, and leaves the run PENDING [EVT-03]', () => {
    expect(admitted('START').events()).toEqual(['RunApproved RUN#1'])
    for (const policy of ['QUEUE', 'DELAY'] as const) {
      const run = admitted(policy)
      expect(run.events()).toEqual(['RunQueued RUN#1'])
      expect(run.payload('RunQueued')).toMatchObject({ policy })
      expect(run.status).toBe('PENDING')
    }
  })

  it('a delayed run is delayed as a whole and knows no StepDelayed, from its admission to its end [EVT-04]', () => {
    const run = admitted('DELAY').take({ kind: 'approve', approvedBy: 'olga' })
    expect(run.payload('RunQueued')).toEqual({ policy: 'DELAY', notBefore: '2030-01-01T00:01:00.000Z' })
    run.now = START + 60_000
    const start = scenario(`steps: [{ id: a, run: f }]`)
      .start()
      .inputs.find((input) => input.kind === 'start')
    if (start?.kind !== 'start') throw new Error('no start')
    run.take(start).completes('a')
    expect(run.events()).toEqual([
      'RunQueued RUN#1',
      'RunApproved RUN#1',
      'RunStarted RUN#1',
      'StepStarted a#1',
      'StepCompleted a#1',
      'RunCompleted RUN#1',
    ])
  })
})
