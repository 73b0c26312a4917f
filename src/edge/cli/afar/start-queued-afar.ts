/** `keelson queue start` against a server: it starts runs that are due, oldest first, and drives them; they are shown to their end. */
import { cursorPages } from '../../../client/pages.ts'
import type { Client } from '../../../client/connect.ts'
import { fail } from '../../../core/problems/problem.ts'
import { findRun } from '../open/find-run.ts'
import { openRemote } from '../remote/remote-runs.ts'
import { needServer } from '../remote/server-client.ts'
import type { Call, Options } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { shortId } from '../terminal/format.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { needNoDriving, showAfar } from './run-afar.ts'

export async function startQueuedAfar({ args, options, terminal }: Call): Promise<number> {
  needNoDriving(options)
  const client = await needServer(options)
  const [name] = args
  if (name === undefined) return startDue(client, options, terminal)
  const { runId } = await findRun(await openRemote(options), name)
  const { outcome, status, reason } = await startOne(client, runId)
  if (outcome === 'STARTED') return showAfar(runId, options, terminal)
  return fail(
    'RUN_NOT_QUEUED',
    `run ${name} does not start: it is ${status}${reason === undefined ? '' : `, ${reason}`}`,
  )
}

type Started = Awaited<ReturnType<typeof startOne>>

function startOne(client: Client, executionId: string) {
  return client.call('startQueued', { params: { executionId } })
}

/** The code of the first that did not complete, as where the runs are. */
async function startDue(client: Client, options: Options, terminal: Terminal): Promise<number> {
  const most = options.whole('limit') ?? Infinity
  const started: Started[] = []
  const waiting = cursorPages<{ readonly executionId: string }, string | undefined>(undefined, async (cursor) => {
    const query = { order: 'oldest' as const, ...(cursor === undefined ? {} : { cursor }) }
    const { executions, next } = await client.call('listQueue', { query })
    return { items: executions, next }
  })
  // Read to its end first: what has started is in no later page.
  const ids: string[] = []
  for await (const { executionId } of waiting) ids.push(executionId)
  for (const executionId of ids) {
    if (started.length >= most) break
    const one = await startOne(client, executionId)
    if (one.outcome === 'STARTED') started.push(one)
  }
  if (started.length === 0 && !options.json) terminal.line('nothing is queued that could start now')
  let code: number = EXIT.completed
  for (const { executionId } of started) {
    if (!options.json && started.length > 1) terminal.line(`run ${shortId(executionId)}`)
    const ended = await showAfar(executionId, options, terminal)
    if (code === EXIT.completed) code = ended
  }
  return code
}
