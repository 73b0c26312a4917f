/** What we read out in the forms of others, we read in again: every run of the corpus, and every form. */
import { describe, expect, it } from 'vitest'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { canonicalText } from '../../src/app/log/canonical.ts'
import { LOCAL_PRINCIPAL } from '../../src/app/principal.ts'
import { EVENT_FORMS, eventAs, type EventForm } from '../../src/core/events/event-forms.ts'
import { checkableViewOf } from '../../src/core/events/event-views.ts'
import type { LogRecord } from '../../src/core/events/event.ts'
import { compileGraph } from '../../src/core/plan/compile/graph.ts'
import { runMetaOf } from '../../src/core/view/fold/run-meta.ts'
import type { RunSnapshot } from '../../src/core/view/fold/run-snapshot.ts'
import { projectRun } from '../../src/core/view/project/project-run.ts'
import { snapshotOf } from '../../src/core/view/show/snapshot-of.ts'
import { openKeelson } from '../../src/main.ts'
import type { BenchRun } from '../../src/ports/conformance.ts'
import { testFolder } from '../fixtures/folder.ts'
import { CORPUS, runsOf } from './played.ts'

const MINUTES = 240_000
const { tenantId } = LOCAL_PRINCIPAL

const textIn = (form: EventForm | 'own', records: readonly LogRecord[]): string =>
  records.map((one) => JSON.stringify(form === 'own' ? checkableViewOf(one) : eventAs(form, one))).join('\n')

function statuses({ status, steps }: RunSnapshot): object {
  return {
    status,
    steps: Object.fromEntries(
      steps.map((step) => [
        step.stepId,
        [step.status, step.fallback?.status, step.compensation?.status, step.items, step.attempts.length],
      ]),
    ),
  }
}

const seen = ({ runId, plan, records }: BenchRun): RunSnapshot =>
  snapshotOf(projectRun(runMetaOf(runId, compileGraph(plan), 'mock'), records).view)

/** Only what events name: whoever has no plan cannot know of the others. */
function named(snapshot: RunSnapshot): RunSnapshot {
  return { ...snapshot, steps: snapshot.steps.filter((step) => step.status !== 'PENDING') }
}

/** Each run into a store of its own. */
async function roundTrip(run: BenchRun, form: EventForm | 'own', withPlan: boolean): Promise<readonly string[]> {
  const store = openMemoryStore({ clock: systemClock })
  const started = run.records.find(({ eventType }) => eventType === 'RunStarted')
  const { sha256 = '' } = (started?.payload?.['planRef'] ?? {}) as { sha256?: string }
  const { planId, planVersion } = run.plan.metadata
  if (withPlan && sha256 !== '')
    await store.putPlan({ tenantId, sha256, planId, planVersion, text: canonicalText(run.plan) })
  await using keelson = await openKeelson({ store, directory: testFolder(), adopt: false })
  const text = textIn(form, run.records)
  const first = await keelson.importLog(text)
  const again = await keelson.importLog(text)
  const imported = await keelson.run(run.runId)
  const has = withPlan && sha256 !== ''
  const [before, after] = [seen(run), await imported.snapshot()].map((one) => statuses(has ? one : named(one)))
  const wrong: string[] = []
  if (JSON.stringify(before) !== JSON.stringify(after))
    wrong.push(`${JSON.stringify(before)} became ${JSON.stringify(after)}`)
  if (first.added !== run.records.length) wrong.push(`${first.added} of ${run.records.length} events`)
  if (first.mismatches.length + first.ignored.length + first.leftOut.length > 0)
    wrong.push(JSON.stringify([first.mismatches, first.ignored, first.leftOut]))
  if (again.added !== 0 || again.mismatches.length > 0) wrong.push(`again: ${JSON.stringify(again)}`)
  const damage = await imported.damage()
  if (damage !== undefined) wrong.push(damage.what)
  return wrong
}

describe('a log that is read out and in again', () => {
  it(
    'has the same statuses of its steps and its run, for every run of the corpus as S0, and adds nothing the second time [EVT-33, X-12]',
    { timeout: MINUTES },
    async () => {
      const wrong: string[] = []
      let runs = 0
      for (const entry of CORPUS) {
        for (const run of await runsOf(entry)) {
          runs += 1
          for (const what of await roundTrip(run, 's0', true)) wrong.push(`${entry.name}: ${what}`)
        }
      }
      expect(wrong).toEqual([])
      expect(runs).toBeGreaterThan(CORPUS.length)
    },
  )

  it.each([...EVENT_FORMS, 'own'] as const)(
    'needs no plan: what its events name is the same, as %s',
    { timeout: MINUTES },
    async (form) => {
      const names = [
        'compensation.yaml',
        'child-plan',
        'alerts-and-retry-run-refused',
        'condition-false',
        'cancel-items',
      ]
      const wrong: string[] = []
      for (const entry of CORPUS.filter(({ name }) => names.some((one) => name.startsWith(one))))
        for (const run of await runsOf(entry))
          for (const what of await roundTrip(run, form, false)) wrong.push(`${entry.name}: ${what}`)
      expect(wrong).toEqual([])
    },
  )
})
