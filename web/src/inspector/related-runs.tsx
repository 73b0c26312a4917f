/** The runs around this one: the one it was forked from, its forks, its parent, its children. Asked once, and again when a fork is recorded. */
import type { ReactElement } from 'react'
import type { Client } from '../../../src/client/connect.ts'
import { comparePath, runPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import type { At } from '../history/at.ts'
import { useOnce } from '../server/use-once.ts'
import { shortId } from '../shown/words.ts'

const MOST_FORKS = 20

interface Around {
  readonly forks: readonly string[]
  readonly parent?: string
  readonly children: readonly { readonly slot: string; readonly runId: string }[]
}

export function RelatedRuns({ at }: { readonly at: At }): ReactElement | null {
  const { executionId, originalExecutionId: origin } = at.execution
  const recorded = at.history.records.filter(({ eventType }) => eventType === 'RunForked').length
  const { value } = useOnce(`${executionId} ${recorded} ${at.hasEnded}`, (client, signal) =>
    aroundOf(client, executionId, signal),
  )
  // A question that failed leaves what the run itself says; the log of a run does not need it.
  const { forks = [], parent, children = [] } = value ?? {}
  if (origin === undefined && parent === undefined && forks.length + children.length === 0) return null
  return (
    <section aria-label="Related runs">
      <h3>related runs</h3>
      <ul className="related">
        {origin === undefined ? null : (
          <li>
            it goes on from <RunLink runId={origin} />, <Link href={comparePath(origin, executionId)}>compare</Link>
          </li>
        )}
        {forks.map((runId) => (
          <li key={runId}>
            forked into <RunLink runId={runId} />, <Link href={comparePath(executionId, runId)}>compare</Link>
          </li>
        ))}
        {parent === undefined ? null : (
          <li>
            child of <RunLink runId={parent} />
          </li>
        )}
        {children.map(({ slot, runId }) => (
          <li key={slot}>
            {slot} is <RunLink runId={runId} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function RunLink({ runId }: { readonly runId: string }): ReactElement {
  return <Link href={runPath(runId)}>run {shortId(runId)}</Link>
}

async function aroundOf(client: Client, executionId: string, signal: AbortSignal): Promise<Around> {
  const params = { executionId }
  const [{ related }, { executions }] = await Promise.all([
    client.call('getExecution', { params, query: { with: ['related'] }, signal }),
    client.call('listExecutions', { query: { originalExecutionId: executionId, limit: MOST_FORKS }, signal }),
  ])
  const { parent, children = [] } = (related ?? {}) as {
    readonly parent?: { readonly runId: string }
    readonly children?: Around['children']
  }
  return {
    forks: executions.map((run) => run.executionId),
    ...(parent === undefined ? {} : { parent: parent.runId }),
    children,
  }
}
