/** Reading executions: lists, one of them now or as it was, its log, and why it is where it is. */
import * as log from '../../../core/api/execution-log.ts'
import * as api from '../../../core/api/executions.ts'
import { EVENT_FORMS, eventAs, type EventForm } from '../../../core/events/event-forms.ts'
import type { LogRecord } from '../../../core/events/event.ts'
import { fail } from '../../../core/problems/problem.ts'
import { isTerminalRun } from '../../../core/run/state/transitions.ts'
import type { RunReader } from '../../../library/read/run-reader.ts'
import { bind, type BoundRoute } from '../serve/bound-route.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import { executionParts, shownRow } from '../wire/execution-parts.ts'
import { executionOf, executionOfRow, retryAfterOf } from '../wire/execution-view.ts'
import { eventPage } from '../wire/event-page.ts'
import { listFilter, typedFilter } from '../wire/list-filter.ts'

const PAGE = 50
const EVENTS_PAGE = 100

export const READ_EXECUTIONS: readonly BoundRoute[] = [
  bind(api.listExecutions, async ({ keelson, query, world }) => {
    const { limit = PAGE, cursor } = query
    const listed = (row: RunRow): object => ({
      ...executionOfRow(row),
      ...(query.with?.includes('row') === true ? { row: shownRow(keelson, row, world.now()) } : {}),
    })
    const page = await keelson.list(listFilter(typedFilter(query), world.now()), {
      limit,
      ...(cursor === undefined ? {} : { cursor }),
    })
    const { next } = page
    return {
      tag: 'strong',
      body: { executions: page.runs.map(listed), ...(next === undefined ? {} : { next }) },
    }
  }),
  bind(api.countExecutions, async ({ keelson }) => ({ body: Object.fromEntries(await keelson.counts()) })),
  bind(api.getExecution, async ({ keelson, params, query, world }) => {
    const run = await keelson.run(params.executionId)
    if (query.with !== undefined) {
      const told = await executionParts(keelson, run, query.with, world.now())
      const shown = executionOfRow(run.row)
      const headers = { ...retryAfterOf(run.row.status), location: linkOf(shown) }
      return { tag: 'strong', headers, body: { ...shown, ...told } }
    }
    const snapshot = await run.snapshot(query.at)
    const body = { ...executionOf(run.row, snapshot), ...(await endOf(run, snapshot.status, query.at)) }
    return { tag: 'strong', headers: { ...retryAfterOf(snapshot.status), location: linkOf(body) }, body }
  }),
  bind(api.getSnapshot, async ({ keelson, params, query }) => {
    const run = await keelson.run(params.executionId)
    const snapshot = await run.snapshot(query.at)
    const { snapshotHash } = await import('../../../app/views/snapshot-hash.ts')
    return { tag: 'strong', body: { snapshot, sha256: snapshotHash(snapshot) } }
  }),
  bind(log.listEvents, async ({ keelson, params, query }) => {
    const { after = 0, limit = EVENTS_PAGE, as = 'record' } = query
    const run = await keelson.run(params.executionId)
    const isOver = isTerminalRun(run.row.status)
    const events = await eventPage(run, { after, limit, upTo: query.upTo })
    const next = events.at(-1)?.runSeq ?? after
    const ended = isOver && next >= run.row.nextSeq - 1
    return { body: { events: events.map((event) => formed(event, as)), next, ended } }
  }),
  bind(log.explainExecution, async ({ keelson, params, query }) => {
    const run = await keelson.run(params.executionId)
    const snapshot = await run.snapshot(query.at)
    const look = await run.look()
    const open = snapshot.steps.filter(
      ({ status }) => status === 'PENDING' || status === 'RUNNING' || status === 'FAILED',
    )
    const steps: object[] = []
    for (const { stepId } of open) steps.push({ step: stepId, causes: await look.why(stepId, query.at) })
    return { body: { executionId: run.runId, steps } }
  }),
  bind(log.explainStep, async ({ keelson, params, query }) => {
    const run = await keelson.run(params.executionId)
    return { body: { executionId: run.runId, step: params.step, causes: await run.why(params.step, query.at) } }
  }),
  bind(log.getStepOutput, async ({ keelson, params, query }) => {
    const run = await keelson.run(params.executionId)
    const detail = await run.stepDetail(params.step, query.at)
    return { body: { executionId: run.runId, step: params.step, ...detail } }
  }),
  bind(log.tryExpression, async ({ keelson, params, query }) => {
    const { expression, at, step } = query
    const run = await keelson.run(params.executionId)
    const asked = { ...(at === undefined ? {} : { atSeq: at }), ...(step === undefined ? {} : { slot: step }) }
    const { atSeq, ...tried } = await run.tryExpression(expression, asked)
    return { body: { executionId: run.runId, at: atSeq, ...tried } }
  }),
  bind(log.getBundle, async ({ keelson, params }) => {
    const run = await keelson.run(params.executionId)
    const lines = keelson.maintenance.bundle(run.row)
    return { text: { type: 'application/x-ndjson', chunks: linesOf(lines) } }
  }),
]

function linkOf(body: Readonly<Record<string, unknown>>): string {
  return (body['links'] as { readonly self: string }).self
}

/** Output or error, once the run has ended; of a past event nothing is known of the end. */
async function endOf(run: RunReader, status: string, at: number | undefined): Promise<object> {
  if (at !== undefined || !isTerminalRun(status as never)) return {}
  const { output, error } = await run.result()
  return { ...(output === undefined ? {} : { output }), ...(error === undefined ? {} : { error }) }
}

function formed(record: LogRecord, as: string): object {
  if (as === 'record') return record
  const form = EVENT_FORMS.find((one) => one === as) ?? fail('BODY_INVALID', `query: 'as' is not '${as}'`)
  return eventAs(form as EventForm, record)
}

async function* linesOf(lines: AsyncIterable<string>): AsyncGenerator<string, void> {
  for await (const line of lines) yield `${line}\n`
}
