/**
 * The one suite of every store, exported as `keelson/testing`: it covers the whole RunStore port with whatever test
 * framework is at hand. A store that passes it unchanged keeps the promises the rest of the product builds on.
 */
import type { Clock } from '../ports/clock.ts'
import type { RunStore } from '../ports/run-store.ts'
import { ARCHIVE_CASES } from './archive-cases.ts'
import { COMMIT_CASES } from './commit-cases.ts'
import { COUNT_CASES } from './count-cases.ts'
import { DRIVING_CASES } from './driving-cases.ts'
import { ENGINE_CASES } from './engine-cases.ts'
import { FEED_CASES } from './feed-cases.ts'
import { GRANT_CASES } from './grant-cases.ts'
import { GRANT_ORDER_CASES } from './grant-order-cases.ts'
import { GRANT_QUEUE_CASES } from './grant-queue-cases.ts'
import { GRANT_TIME_CASES } from './grant-time-cases.ts'
import { INBOX_CASES } from './inbox-cases.ts'
import { OPEN_APPEND_CASES } from './open-append-cases.ts'
import { RUN_CASES } from './run-cases.ts'
import { manualClock, type StoreCase, type World } from './store-case.ts'
import { VALUE_CASES } from './value-cases.ts'

export interface TestFramework {
  describe(title: string, body: () => void): void
  it(title: string, body: () => Promise<void>): void
}

export interface OpenedStore {
  readonly store: RunStore
  /** Closes the store and opens it again on what it wrote; leave it out for a store that cannot. */
  reopen?(): Promise<RunStore>
  /** Closes and removes whatever `open` made. */
  close(): Promise<void>
}

export interface StoreHarness {
  readonly name: string
  /** An empty store, for each case its own. */
  open(options: { readonly clock: Clock }): Promise<OpenedStore>
  /** Set it if the store stamps with a clock of its own, such as its server's, and not with the one given. */
  readonly ownClock?: boolean
}

const PARTS: readonly (readonly [string, readonly StoreCase[]])[] = [
  ['commit', COMMIT_CASES],
  ['open append', OPEN_APPEND_CASES],
  ['inbox', INBOX_CASES],
  ['values', VALUE_CASES],
  ['runs', RUN_CASES],
  ['driving', DRIVING_CASES],
  ['outside engines', ENGINE_CASES],
  ['counts', COUNT_CASES],
  ['feed', FEED_CASES],
  ['archive', ARCHIVE_CASES],
  ['grants', GRANT_CASES],
  ['grants, waiting', GRANT_QUEUE_CASES],
  ['grants, order', GRANT_ORDER_CASES],
  ['grants, time', GRANT_TIME_CASES],
]

/**
 * @example
 * runStoreSuite({ describe, it }, { name: 'mine', open: async ({ clock }) => ({ store: openMine(clock), close }) })
 */
export function runStoreSuite(framework: TestFramework, harness: StoreHarness): void {
  for (const [part, cases] of PARTS) {
    framework.describe(`${harness.name}: ${part}`, () => {
      for (const one of cases) framework.it(one.title, () => runCase(harness, one))
    })
  }
}

async function runCase(harness: StoreHarness, one: StoreCase): Promise<void> {
  const clock = manualClock()
  const opened = await harness.open({ clock })
  const world: World = {
    store: opened.store,
    clock,
    ownClock: harness.ownClock === true,
    reopen: async () => (opened.reopen === undefined ? opened.store : opened.reopen()),
  }
  try {
    await one.run(world)
  } finally {
    await opened.close()
  }
}
