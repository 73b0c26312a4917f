/** A run whose log others made, once it is here: read and verified, driven by nobody. */
import { describe, expect, it } from 'vitest'
import { checkDecisions } from '../../src/app/rederive/check-decisions.ts'
import { fail } from '../../src/core/problems/problem.ts'
import { storeOf } from '../../src/library/services-of.ts'
import { openKeelson } from '../../src/main.ts'
import { testFolder } from '../fixtures/folder.ts'
import { endedLog, liveLog, openHere, problemsOf, RUN_ID, textOf, seedOne } from '../fixtures/foreign-log.ts'

describe('an imported run', () => {
  it('is told by all of its events: one that our decider made is checked like any other', async () => {
    await using keelson = await openHere()
    await keelson.importLog(textOf(endedLog()))
    const run = await keelson.run(RUN_ID)
    const events = await storeOf(keelson).readEvents(run.row.runKey, {})
    const checked = async (stored: typeof events) =>
      checkDecisions(
        stored,
        () => fail('PLAN_NOT_FOUND', 'no plan'),
        async () => undefined,
      )
    expect(await checked(events)).toMatchObject({ follows: true, unchecked: { code: 'RUN_FOREIGN' } })
    const ours = events.map((one, index) =>
      index === 3 ? { ...one, record: one.record.replace('"cause":"import"', '"cause":"start"') } : one,
    )
    expect(await checked(ours)).toMatchObject({ follows: false, unchecked: { code: 'PLAN_NOT_FOUND' } })
  })

  it('is driven by nobody here: who would move it is refused, and who goes on with runs leaves it alone', async () => {
    await using keelson = await openHere()
    await keelson.importLog(textOf(liveLog()))
    const run = await keelson.run(RUN_ID)
    const moves: readonly (() => Promise<unknown>)[] = [
      () => run.cancel(),
      () => run.signal('PAUSE'),
      () => keelson.adopt(RUN_ID),
      () => keelson.fork(RUN_ID),
      () => keelson.migrate(RUN_ID, { to: 'temporal' }),
      () => run.why('load'),
      () => run.context(),
    ]
    for (const move of moves) expect(await problemsOf(move())).toMatchObject([{ code: 'RUN_FOREIGN' }])
    const tasks: unknown[] = []
    for await (const task of keelson.tasks()) tasks.push(task)
    expect(tasks).toEqual([])
    expect(await run.records()).toHaveLength(6)
  })

  it.each(['memory', 'folder'])('is never due, even with something in its inbox (%s)', async (place) => {
    await using keelson =
      place === 'memory' ? await openHere() : await openKeelson({ directory: testFolder(), adopt: false })
    await keelson.importLog(textOf(liveLog()))
    const store = storeOf(keelson)
    const left = { inboxId: 'i-1', kind: 'scope', body: '{}' } as const
    expect(await store.insertInbox({ tenantId: 'local', runId: RUN_ID }, left)).not.toMatchObject({ kind: 'no-run' })
    expect(await store.dueRuns(Date.now() + 1_000, 'somebody', 10)).toEqual([])
    await keelson.importLog(textOf(endedLog()))
    expect(await store.endedWithInboxRows(Date.now() + 1_000, 10)).toEqual([])
  })

  it('that has not started is in no queue here', async () => {
    await using keelson = await openHere()
    await keelson.importLog(textOf([{ ...seedOne('RunQueued', 0), payload: { policy: 'QUEUE' } }]))
    expect((await keelson.run(RUN_ID)).row.status).toBe('PENDING')
    expect(await keelson.queue.start()).toEqual([])
  })
})
