/** Erased values are gone from the disk, not only from the tables. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { bootstrap, manualClock, nextCommit, type World } from '../../../testing/store/store-case.ts'
import { openSqliteStore } from './store.ts'
import { testFolder } from '../../../../test/fixtures/folder.ts'

it('an erased value is in no byte of the file or of its log, however often its page was split before [P-34]', async () => {
  const folder = testFolder()
  const clock = manualClock()
  const store = await openSqliteStore({ path: join(folder, 'keelson.db'), clock })
  try {
    const world: World = { store, clock, ownClock: false, reopen: async () => store }
    const secret = 'mrs-smith-lives-at-12-elm-street'
    const pieces = (): string =>
      readdirSync(folder)
        .map((name) => readFileSync(join(folder, name), 'latin1'))
        .join('')
    let row = await bootstrap(world, { runId: 'erased' })
    for (let index = 0; index < 400; index += 1) {
      const data = { result: `${index % 7 === 0 ? secret : 'x'.repeat(index % 90)}-${index}` }
      const spec = { eventType: 'StepCompleted', slot: `s${index}`, attempt: 1, payload: { index }, data }
      await store.commit([nextCommit(row, [spec])])
      row = (await store.getRun(row.runKey)) ?? row
    }
    expect(pieces()).toContain(secret)
    await store.eraseData(row.runKey, row.nextSeq - 1)
    expect(pieces()).not.toContain(secret)
    expect(await store.readEvents(row.runKey, {})).toHaveLength(401)
  } finally {
    await store.close()
  }
})
