/**
 * The one suite of every store, exported as `keelson/testing`: it covers the whole RunStore port with any test
 * framework. A store that passes it unchanged keeps the promises that the rest of the product builds on.
 */
import type { Clock } from '../../ports/clock.ts'
import type { RunStore } from '../../ports/run-store.ts'
import { ADMISSION_CASES } from './admission-cases.ts'
import { API_KEY_CASES } from './api-key-cases.ts'
import { ARCHIVE_CASES } from './archive-cases.ts'
import { AUDIT_CASES } from './audit-cases.ts'
import { COMMIT_CASES } from './commit-cases.ts'
import { COUNT_CASES } from './count-cases.ts'
import { DECISION_CASES } from './decision-cases.ts'
import { DECISION_LIST_CASES } from './decision-list-cases.ts'
import { DRIVING_CASES } from './driving-cases.ts'
import { ENGINE_CASES } from './engine-cases.ts'
import { EVENT_CASES } from './event-cases.ts'
import { FEED_CASES } from './feed-cases.ts'
import { FEED_FAILURE_CASES } from './feed-failure-cases.ts'
import { FLEET_CASES } from './fleet-cases.ts'
import { GRANT_CASES } from './grant-cases.ts'
import { GRANT_OFFER_CASES } from './grant-offer-cases.ts'
import { GRANT_ORDER_CASES } from './grant-order-cases.ts'
import { GRANT_QUEUE_CASES } from './grant-queue-cases.ts'
import { GRANT_TIME_CASES } from './grant-time-cases.ts'
import { INBOX_CASES } from './inbox-cases.ts'
import { LABEL_CASES } from './label-cases.ts'
import { LEASED_CASES } from './leased-cases.ts'
import { LOG_CASES } from './log-cases.ts'
import { MOVE_CASES } from './move-cases.ts'
import { OPEN_APPEND_CASES } from './open-append-cases.ts'
import { PAUSE_CASES } from './pause-cases.ts'
import { POOL_CASES } from './pool-cases.ts'
import { RUN_CASES } from './run-cases.ts'
import { manualClock, type StoreCase, type World } from './store-case.ts'
import { PLAN_CASES } from './plan-cases.ts'
import { REQUEST_CASES } from './request-cases.ts'
import { SCHEDULE_CASES } from './schedule-cases.ts'
import { WORK_CASES } from './work-cases.ts'
import { UNREAD_CASES } from './unread-cases.ts'
import { VALUE_CASES } from './value-cases.ts'
import { VIEW_CASES } from './view-cases.ts'

export interface TestFramework {
  describe(title: string, body: () => void): void
  it(title: string, body: () => Promise<void>): void
}

export interface OpenedStore {
  readonly store: RunStore
  /** Closes the store and opens it again on what it wrote; omit it for a store that cannot. */
  reopen?(): Promise<RunStore>
  /** Closes and removes everything that `open` made. */
  close(): Promise<void>
}

export interface StoreHarness {
  readonly name: string
  /** An empty store, a separate one for each case. */
  open(options: { readonly clock: Clock }): Promise<OpenedStore>
  /** Set it if the store uses its own clock, such as its server's, instead of the given one. */
  readonly ownClock?: boolean
}

const PARTS: readonly (readonly [string, readonly StoreCase[]])[] = [
  ['commit', COMMIT_CASES],
  ['log', LOG_CASES],
  ['open append', OPEN_APPEND_CASES],
  ['inbox', INBOX_CASES],
  ['what a turn has not read', UNREAD_CASES],
  ['events from outside', EVENT_CASES],
  ['values', VALUE_CASES],
  ['plans', PLAN_CASES],
  ['runs', RUN_CASES],
  ['labels', LABEL_CASES],
  ['driving', DRIVING_CASES],
  ['pauses', PAUSE_CASES],
  ['held runs', LEASED_CASES],
  ['outside engines', ENGINE_CASES],
  ['counts', COUNT_CASES],
  ['feed', FEED_CASES],
  ['feed, failures', FEED_FAILURE_CASES],
  ['moves', MOVE_CASES],
  ['archive', ARCHIVE_CASES],
  ['pools', POOL_CASES],
  ['grants', GRANT_CASES],
  ['grants, waiting', GRANT_QUEUE_CASES],
  ['grants, offers', GRANT_OFFER_CASES],
  ['grants, order', GRANT_ORDER_CASES],
  ['grants, time', GRANT_TIME_CASES],
  ['limits for starts', ADMISSION_CASES],
  ['saved views', VIEW_CASES],
  ['keys and tenants', API_KEY_CASES],
  ['requests', REQUEST_CASES],
  ['decisions', DECISION_CASES],
  ['decisions, lists', DECISION_LIST_CASES],
  ['audit log', AUDIT_CASES],
  ['schedules and triggers', SCHEDULE_CASES],
  ['operations on many runs', FLEET_CASES],
  ['work for remote workers', WORK_CASES],
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
