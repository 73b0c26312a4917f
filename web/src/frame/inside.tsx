/** Which page an address shows. All but the runs and a run are loaded when they are first opened. */
import { lazy, Suspense, type ReactElement } from 'react'
import type { PageName } from '../../../src/core/api/page.ts'
import type { PagePlace } from '../address/place.ts'
import { RUNS } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { RunPage } from '../run/run-page.tsx'
import { RunsPage } from '../runs/runs-page.tsx'

const PlansPage = lazy(async () => ({ default: (await import('../plans/plans-page.tsx')).PlansPage }))
const ApiKeysPage = lazy(async () => ({ default: (await import('../api-keys/api-keys-page.tsx')).ApiKeysPage }))
const StartPage = lazy(async () => ({ default: (await import('../plans/start-page.tsx')).StartPage }))

const OperationsPage = lazy(async () => ({ default: (await import('../fleet/operations-page.tsx')).OperationsPage }))
const OperationPage = lazy(async () => ({ default: (await import('../fleet/operation-page.tsx')).OperationPage }))
const TasksPage = lazy(async () => ({ default: (await import('../tasks/tasks-page.tsx')).TasksPage }))

type Names = PagePlace['names']

const PAGES: Readonly<Record<PageName, (names: Names) => ReactElement>> = {
  runs: () => <RunsPage />,
  run: ({ executionId = '' }) => <RunPage key={executionId} executionId={executionId} />,
  tasks: () => <TasksPage />,
  operations: () => <OperationsPage />,
  operation: ({ operationId = '' }) => <OperationPage key={operationId} operationId={operationId} />,
  plans: () => <PlansPage />,
  start: ({ planId = '' }) => <StartPage key={planId} planId={planId} />,
  apiKeys: () => <ApiKeysPage />,
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
  return <Suspense fallback={<p className="quiet loading">Loading …</p>}>{PAGES[place.page](place.names)}</Suspense>
}
