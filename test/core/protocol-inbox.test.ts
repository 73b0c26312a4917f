/** The inbox of a run: filled by anyone, emptied by whoever advances the run. */
import { describe, expect, it } from 'vitest'
import { World } from '../fixtures/virtual-world.ts'

describe('the inbox', () => {
  it('is filled by anyone and emptied by advance alone, with the number of what each row caused [P-21]', async () => {
    const world = new World()
    const process = world.process('only', { script: { f: 'hold' } })
    const other = world.process('other')
    const key = await process.start(`steps: [{ id: a, run: f }]`)
    const { tenantId, runId } = world.row(key)
    const ref = { tenantId, runId }
    const row = {
      inboxId: 'outcome:a:1:1',
      kind: 'outcome',
      body: JSON.stringify({
        slot: 'a',
        attempt: 1,
        engineAttempt: 1,
        result: { kind: 'completed', output: 'by inbox', artifactRefs: [], durationMs: 5 },
      }),
    }
    expect((await other.store.insertInbox(ref, row)).kind).toBe('inserted')
    expect((await other.store.insertInbox(ref, row)).kind).toBe('duplicate')
    expect((await other.store.insertInbox(ref, { ...row, body: '{}' })).kind).toBe('conflict')
    expect((await other.store.insertInbox(ref, { inboxId: 'odd', kind: 'odd', body: 'not json' })).kind).toBe(
      'inserted',
    )
    expect(world.log(key, 'StepCompleted')).toEqual([])
    await world.advanceBy(1000)
    expect(world.row(key).status).toBe('COMPLETED')
    const completed = world.records(key).find((record) => record.eventType === 'StepCompleted')
    expect(completed?.data).toMatchObject({ result: 'by inbox' })
    expect((await process.store.findInbox(key, row.inboxId))?.consumedSeq).toBe(completed?.runSeq)
    expect(await process.store.readInbox(key)).toEqual([])
    expect((await other.store.insertInbox(ref, row)).kind).toBe('duplicate')
  })
})
