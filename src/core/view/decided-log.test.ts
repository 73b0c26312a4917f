import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { graphOf, scenario, type Logged, type Scenario } from '../../../test/fixtures/scenario.ts'
import { EVENTS, type LogRecord } from '../events/event.ts'
import { parseStepSlot, slotNames } from '../events/slot.ts'
import { summaryOf } from '../run/summary.ts'
import { isTerminalRun } from '../run/state/transitions.ts'
import { locate } from '../run/state/units.ts'
import { isoFromMs } from '../time.ts'
import { projectRun } from './project/project-run.ts'
import { runMetaOf } from './fold/run-meta.ts'
import { snapshotOf } from './show/snapshot-of.ts'
import { SEED as seed } from '../../../test/setup/seed.ts'

const PLAN = (onFailure: string): string => `
policy: { onFailure: ${onFailure}, runTimeoutMs: 20000, concurrency: 3, retry: { maxAttempts: 2, initialBackoffMs: 1000 } }
steps:
  - { id: a, run: f, dependsOn: [], compensate: { run: undo } }
  - { id: b, run: f, dependsOn: [a], fallback: { run: g } }
  - { id: c, run: f, dependsOn: [a], forEach: input.list }
  - { id: d, manual: { title: look }, dependsOn: [a] }
  - { id: e, wait: { forMs: 5000 }, dependsOn: [a] }
  - { id: f, run: f, dependsOn: [b, c, d, e] }
`
const SLOTS = ['a', 'b', 'FALLBACK:b', 'c[0]', 'c[1]', 'c[2]', 'd', 'f', 'COMP:a']

function recordOf({ seq, at, draft, cause }: Logged): LogRecord {
  const slot = EVENTS[draft.eventType].level === 'step' ? parseStepSlot(draft.slot) : undefined
  const when = isoFromMs(at)
  return {
    eventId: `event-${seq}`,
    eventType: draft.eventType,
    runId: 'story',
    runSeq: seq,
    idempotencyKey: `${draft.slot}|${draft.attempt}|${draft.eventType}`,
    emittedAt: when,
    emittedBy: 'engine',
    persistedAt: when,
    tenantId: 't',
    projectId: 'p',
    environmentId: 'e',
    planId: 'story',
    planVersion: '1.0.0',
    logicalAttemptId: draft.attempt,
    engineAttemptId: draft.engineAttempt ?? 1,
    decision: { firstSeq: seq, cause },
    chainHash: '',
    payload: draft.payload as Readonly<Record<string, unknown>>,
    ...(slot === undefined ? {} : slotNames(slot)),
  }
}

/** What the outside can do to a run: outcomes of open attempts, signals, time. */
function act(story: Scenario, what: number, where: number): void {
  const undo = story.state.compensation?.current
  const open = SLOTS.filter((slot) =>
    slot.startsWith('COMP:')
      ? undo?.status === 'RUNNING' && `COMP:${undo.slot}` === slot
      : locate(story.state, slot)?.unit.status === 'RUNNING',
  )
  const isOpen = open.length > 0
  const slot = (isOpen && what < 7 ? open : SLOTS)[where % (isOpen && what < 7 ? open.length : SLOTS.length)] ?? 'a'
  if (what < 5 && isOpen) story.completes(slot)
  else if (what < 7 && isOpen) story.fails(slot, what === 6 ? { class: 'permanent' } : {})
  else if (what === 8 && where < 3) story.signals('PAUSE')
  else if (what === 9) story.signals('RESUME')
  else if (what === 10) story.signals('RETRY_STEP', { stepId: slot })
  else if (what === 11) story.signals('SKIP_STEP', { stepId: slot, reason: 'no need' })
  else if (what === 12 && where === 0) story.signals('CANCEL')
  else story.at('+1s')
}

function compare(story: Scenario): void {
  const { view, alerts, notes } = projectRun(runMetaOf('story', story.graph), story.log.map(recordOf))
  const snapshot = snapshotOf(view)
  const summary = summaryOf(story.state)
  const told = story.events().join('\n')
  // What the decider itself raises is told; the view has nothing to add.
  expect(
    alerts.filter(({ eventType, code }) => eventType !== 'AlertRaised' && code !== 'AUTHORIZATION_FAILED'),
    told,
  ).toEqual([])
  expect(notes, told).toEqual([])
  expect([snapshot.status, snapshot.substatus], told).toEqual([summary.status, summary.substatus])
  const slots = snapshot.steps.flatMap((step) => (step.fallback === undefined ? [step] : [step, step.fallback]))
  for (const step of slots) {
    const slot = step.stepId
    const unit = locate(story.state, slot)?.unit
    const isEnding = isTerminalRun(story.status) || story.state.failing || story.state.cancelling !== undefined
    const inBackoff = unit?.backoff === true && !isEnding
    expect(step.status, `${slot}\n${told}`).toBe(inBackoff ? 'RUNNING' : unit?.status)
    expect('recovered' in step, `${slot}\n${told}`).toBe(unit?.recovered === true)
  }
}

describe('a log that the decider wrote', () => {
  it.each(['failFast', 'continue', 'hold'])(
    'is seen as the decider knows it, without an alert, under %s',
    (onFailure) => {
      const graph = graphOf(PLAN(onFailure))
      const move = fc.tuple(fc.integer({ min: 0, max: 14 }), fc.integer({ min: 0, max: SLOTS.length - 1 }))
      fc.assert(
        fc.property(fc.array(move, { minLength: 20, maxLength: 80 }), (moves) => {
          const story = scenario(graph, { facts: { c: { items: 3 }, e: { waitForMs: 5000 } } }).start()
          compare(story)
          for (const [what, where] of moves) {
            if (isTerminalRun(story.status)) break
            act(story, what, where)
            compare(story)
          }
        }),
        { seed, numRuns: 300 },
      )
    },
  )
})
