/** A view that is behind its log is told to people: how far, or that a number came late. */
import { describe, expect, it } from 'vitest'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { loadPlan, openKeelson, type Alert } from '../../src/main.ts'
import type { RunStore, StoredEvent } from '../../src/ports/run-store.ts'
import { testFolder } from '../fixtures/folder.ts'
import { until } from '../fixtures/until.ts'

const TWO = loadPlan('plan: two\nversion: 1.0.0\nsteps: [{ id: a, run: f }, { id: b, run: g, dependsOn: [a] }]')

function behind(ms: number): RunStore {
  return openMemoryStore({ clock: { now: () => Date.now() - ms } })
}

/** A run whose second step waits until its first part was projected; `page` changes what is then read. */
async function projectedInTwo(store: RunStore, page = (events: readonly StoredEvent[]) => events) {
  const gate = Promise.withResolvers<number>()
  let projected = 0
  let isChanged = false
  const seen = new Proxy(store, {
    get: (target, name, receiver) => {
      if (name !== 'readEvents') return Reflect.get(target, name, receiver) as unknown
      const read: RunStore['readEvents'] = async (runKey, range) => {
        const events = await target.readEvents(runKey, range)
        // The end of the first part: nothing follows it yet.
        if (events.length === 0) projected = Math.max(projected, range.afterSeq ?? 0)
        if (isChanged || range.afterSeq !== projected || projected < 4 || events.length < 2) return events
        isChanged = true
        return page(events)
      }
      return read
    },
  })
  const told: Alert[] = []
  const lagging: Alert[] = []
  const keelson = await openKeelson({
    store: seen,
    directory: testFolder(),
    steps: { f: () => 1, g: () => gate.promise },
    onAlert: (alert) => (alert.code === 'PROJECTOR_LAG_HIGH' ? lagging : told).push(alert),
  })
  const run = await keelson.start(TWO)
  await until(() => projected >= 4)
  gate.resolve(2)
  await run.result()
  await keelson.close()
  return { told, lagging, runId: run.runId }
}

describe('a view that falls behind its log', () => {
  it('by more than five seconds is told [OBS-04]', async () => {
    const { lagging, runId } = await projectedInTwo(behind(6_000))
    expect(lagging.length).toBeGreaterThan(0)
    for (const alert of lagging)
      expect(alert).toMatchObject({ code: 'PROJECTOR_LAG_HIGH', priority: 'P2', runId, tenantId: 'local' })
  })

  it('by a number that comes late is told once, and is whole after it [OBS-04]', async () => {
    const { told, runId } = await projectedInTwo(behind(0), (events) => events.slice(1))
    expect(told).toMatchObject([
      { code: 'PROJECTOR_NON_CONTIGUOUS_FETCH_DETECTED', priority: 'P2', runId, tenantId: 'local' },
    ])
  })
})
