/** Which page an address shows. All but the runs and a run are loaded when they are first opened. */
import { Suspense, type ReactElement } from 'react'
import type { PageName } from '../../../src/core/api/page.ts'
import type { PagePlace } from '../address/place.ts'
import { RUNS } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { Boundary } from '../shown/boundary.tsx'
import { RunPage } from '../run/run-page.tsx'
import { RunsPage } from '../runs/runs-page.tsx'
import { part } from '../server/part.ts'

const PlansPage = part(async () => (await import('../plans/plans-page.tsx')).PlansPage)
const ApiKeysPage = part(async () => (await import('../api-keys/api-keys-page.tsx')).ApiKeysPage)
const PlanPage = part(async () => (await import('../plans/plan-page.tsx')).PlanPage)
const PlanDiffPage = part(async () => (await import('../plans/plan-diff-page.tsx')).PlanDiffPage)
const EditorPage = part(async () => (await import('../editor/editor-page.tsx')).EditorPage)
const StartPage = part(async () => (await import('../plans/start-page.tsx')).StartPage)

const SchedulesPage = part(async () => (await import('../schedules/schedules-page.tsx')).SchedulesPage)
const SchedulePage = part(async () => (await import('../schedules/schedule-page.tsx')).SchedulePage)
const TriggersPage = part(async () => (await import('../triggers/triggers-page.tsx')).TriggersPage)
const TriggerPage = part(async () => (await import('../triggers/trigger-page.tsx')).TriggerPage)
const OperationsPage = part(async () => (await import('../fleet/operations-page.tsx')).OperationsPage)
const OperationPage = part(async () => (await import('../fleet/operation-page.tsx')).OperationPage)
const BundlePage = part(async () => (await import('../bundle/bundle-page.tsx')).BundlePage)
const TasksPage = part(async () => (await import('../tasks/tasks-page.tsx')).TasksPage)

const QueuePage = part(async () => (await import('../queue/queue-page.tsx')).QueuePage)
const PoolsPage = part(async () => (await import('../pools/pools-page.tsx')).PoolsPage)
const EnginesPage = part(async () => (await import('../engines/engines-page.tsx')).EnginesPage)
const FeedPage = part(async () => (await import('../feed/feed-page.tsx')).FeedPage)
const SubscriberPage = part(async () => (await import('../feed/subscriber-page.tsx')).SubscriberPage)
const AlertsPage = part(async () => (await import('../alerts/alerts-page.tsx')).AlertsPage)
const AuditPage = part(async () => (await import('../audit/audit-page.tsx')).AuditPage)
const ForkPage = part(async () => (await import('../fork/fork-page.tsx')).ForkPage)
const ComparePage = part(async () => (await import('../compare/compare-page.tsx')).ComparePage)

type Names = PagePlace['names']

const PAGES: Readonly<Record<PageName, (names: Names) => ReactElement>> = {
  runs: () => <RunsPage />,
  run: ({ executionId = '' }) => <RunPage key={executionId} executionId={executionId} />,
  fork: ({ executionId = '' }) => <ForkPage key={executionId} executionId={executionId} />,
  compare: ({ executionId = '' }) => <ComparePage key={executionId} executionId={executionId} />,
  tasks: () => <TasksPage />,
  operations: () => <OperationsPage />,
  operation: ({ operationId = '' }) => <OperationPage key={operationId} operationId={operationId} />,
  plans: () => <PlansPage />,
  plan: ({ planId = '' }) => <PlanPage key={planId} planId={planId} />,
  planDiff: ({ planId = '' }) => <PlanDiffPage key={planId} planId={planId} />,
  editor: () => <EditorPage />,
  start: ({ planId = '' }) => <StartPage key={planId} planId={planId} />,
  schedules: () => <SchedulesPage />,
  schedule: ({ scheduleId = '' }) => <SchedulePage key={scheduleId} scheduleId={scheduleId} />,
  triggers: () => <TriggersPage />,
  trigger: ({ trigger = '' }) => <TriggerPage key={trigger} trigger={trigger} />,
  apiKeys: () => <ApiKeysPage />,
  queue: () => <QueuePage />,
  pools: () => <PoolsPage />,
  engines: () => <EnginesPage />,
  feed: () => <FeedPage />,
  subscriber: ({ subscriber = '' }) => <SubscriberPage key={subscriber} subscriber={subscriber} />,
  alerts: () => <AlertsPage />,
  audit: () => <AuditPage />,
  bundle: () => <BundlePage />,
}

export function Inside({ place }: { readonly place: PagePlace | undefined }): ReactElement {
  if (place === undefined)
    return (
      <main className="empty">
        <h1>Nothing here</h1>
        <p>
          There is no page at this address. <Link href={RUNS}>All runs</Link>
        </p>
      </main>
    )
  return (
    <Boundary key={place.page}>
      <Suspense fallback={<p className="quiet loading">Loading …</p>}>{PAGES[place.page](place.names)}</Suspense>
    </Boundary>
  )
}
