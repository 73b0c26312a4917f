/** Faults planted in the log of the SQLite store: positions of the feed, keys, erasure, the copy of older files. */
import type { Mutant } from './mutant.ts'

export const SQLITE: readonly Mutant[] = [
  {
    name: 'SQLite gives the position of an archived append to the next one',
    file: 'adapters/stores/sqlite/insert-events.ts',
    find: "'max((SELECT pos FROM feed_floor), coalesce((SELECT max(pos) FROM appends), 0))'",
    replace: "'coalesce((SELECT max(pos) FROM appends), 0)'",
    catcher: 'test/suites/sqlite.test.ts',
  },
  {
    name: 'SQLite accepts a key that an earlier append has',
    file: 'adapters/stores/sqlite/event-keys.ts',
    find: '.run(...values).changes !== rows)',
    replace: '.run(...values).changes < 0)',
    catcher: 'test/suites/sqlite.test.ts',
  },
  {
    name: 'SQLite looks for the step of a key in the payload',
    file: 'adapters/stores/sqlite/append-text.ts',
    find: 'record.indexOf(STEP, record.lastIndexOf(\'"runSeq":\'))',
    replace: 'record.indexOf(STEP)',
    catcher: 'test/suites/sqlite.test.ts',
  },
  {
    name: 'SQLite erases the neighbours of an event in the same append',
    file: 'adapters/stores/sqlite/erase.ts',
    find: "const left = dataFrom(all, upToSeq - number(row, 'first_seq') + 1)",
    replace: 'const left = dataFrom(all, Infinity)',
    catcher: 'test/suites/sqlite.test.ts',
  },
  {
    name: 'the log of an earlier version is copied in the order of runs, and followers lose their place',
    file: 'adapters/stores/sqlite/copy-log.ts',
    find: "if (number(first, 'feed_pos') <= number(cursor, 'feed_pos'))",
    replace: "if (number(first, 'feed_pos') > 0)",
    catcher: 'src/adapters/stores/sqlite/copy-log.test.ts',
  },
  {
    name: 'SQLite counts a batch as written when the thread that wrote it is lost',
    file: 'adapters/stores/sqlite/commit-thread.ts',
    find: 'for (const one of lost) refuse(one, this.#lost())',
    replace: 'for (const { resolve } of lost) resolve([])',
    catcher: 'src/adapters/stores/sqlite/commit-thread.test.ts',
  },
  {
    name: 'SQLite counts records of the audit log as written although others had written before them',
    file: 'adapters/stores/sqlite/audit-log.ts',
    find: 'Buffer.compare(now.hash, head.hash) !== 0) return false',
    replace: 'Buffer.compare(now.hash, head.hash) !== 0) return true',
    catcher: 'src/adapters/stores/sqlite/beside-batches.test.ts',
  },
  {
    name: 'SQLite writes on two threads at once',
    file: 'adapters/stores/sqlite/commit-thread.ts',
    find: 'if (!this.#isReady && this.#rest === undefined) return work()',
    replace: 'if (performance.now() > 0) return work()',
    catcher: 'src/adapters/stores/sqlite/commit-thread.test.ts',
  },
  {
    name: 'SQLite gives an answer of its thread to whichever batch waits longest',
    file: 'adapters/stores/sqlite/commit-thread.ts',
    find: 'oldest === undefined || oldest[0] !== said.number',
    replace: 'oldest === undefined',
    catcher: 'src/adapters/stores/sqlite/commit-thread.test.ts',
  },
  {
    name: 'SQLite mixes up the bytes of events that go to the other thread',
    file: 'adapters/stores/sqlite/hand-over.ts',
    find: 'put(idempotencyKey), put(chainHash), put(salt)',
    replace: 'put(chainHash), put(idempotencyKey), put(salt)',
    catcher: 'src/adapters/stores/sqlite/commit-thread.test.ts',
  },
]
