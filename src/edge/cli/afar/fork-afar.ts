/** `keelson fork` against a server: the same preview and question, and the new run is the server's. */
import type { BodyOf } from '../../../core/api/contract.ts'
import type { forkExecution } from '../../../core/api/acts.ts'
import type { AgainReason } from '../../../core/run/fork/standing.ts'
import type { Client } from '../../../client/connect.ts'
import type { ForkPreview } from '../../../main.ts'
import { readInput } from '../files/run-input.ts'
import { findRun } from '../open/find-run.ts'
import { tellDiff } from '../plans/plan-changes.ts'
import { forkPreviewJson, forkWarnings, tellForkPreview } from '../output/fork-preview.ts'
import type { Plan } from '../../../core/plan/plan.ts'
import { RemoteRuns } from '../remote/remote-runs.ts'
import { needServer } from '../remote/server-client.ts'
import type { Call, Options } from '../terminal/command.ts'
import { confirm } from '../terminal/confirm.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { atEvent } from '../drive/other-fork.ts'
import { needNoDriving, planAfar, showAfar } from './run-afar.ts'

type ForkBody = BodyOf<typeof forkExecution>

export async function forkAfar({ args, options, terminal }: Call): Promise<number> {
  needNoDriving(options)
  const client = await needServer(options)
  const run = await findRun(new RemoteRuns(client), args[0] ?? '')
  const body = await bodyOf(client, options, terminal)
  const isOther = body.planId !== undefined
  const preview = await previewOf(client, run.runId, body)
  if (options.flag('preview') || options.flag('dryRun')) {
    if (options.json) terminal.json(forkPreviewJson(preview))
    else await tellAll(client, preview, body, terminal)
    return EXIT.completed
  }
  if (isOther && !options.json) await tellAll(client, preview, body, terminal)
  if (
    isOther &&
    !(await confirm('Start the new run?', options, terminal, 'a fork onto another plan asks before it starts'))
  )
    return EXIT.cancelled
  for (const warning of await forkWarnings(run)) terminal.errorLine(`${terminal.errorPaint.yellow('!')} ${warning}`)
  const { executionId } = await run.fork({
    ...body,
    ...(options.flag('repeatIrreversible') ? { repeatIrreversible: true } : {}),
  })
  if (!isOther && !options.json) tellForkPreview(preview, terminal)
  return showAfar(executionId, options, terminal)
}

async function bodyOf(client: Client, options: Options, terminal: Terminal): Promise<ForkBody> {
  const from = options.text('from')
  const atSeq = atEvent(options)
  const input = readInput(options.text('input'), [])
  const file = options.text('plan')
  const isOther = file !== undefined || options.text('planId') !== undefined
  return {
    ...(from === undefined ? {} : { from }),
    ...(atSeq === undefined ? {} : { atSeq }),
    ...(input === undefined ? {} : { input }),
    ...(isOther ? await planAfar(client, file, options, terminal) : {}),
    ...(options.flag('newChildren') ? { newChildren: true } : {}),
  }
}

/** Maps are objects on the wire. */
async function previewOf(client: Client, executionId: string, body: ForkBody): Promise<ForkPreview> {
  const told = await client.call('forkExecution', { params: { executionId }, query: { preview: true }, body })
  const { again = {}, ...others } = told as { readonly again?: Readonly<Record<string, AgainReason>> }
  return { ...others, again: new Map(Object.entries(again)) } as unknown as ForkPreview
}

async function tellAll(client: Client, preview: ForkPreview, body: ForkBody, terminal: Terminal): Promise<void> {
  const { planId, planVersion: version, sha256 } = body
  if (planId !== undefined && preview.plan === undefined) terminal.line('the plan is the same')
  if (planId !== undefined && preview.plan !== undefined) {
    const query = { ...(version === undefined ? {} : { version }), ...(sha256 === undefined ? {} : { sha256 }) }
    const { plan } = await client.call('getPlan', { params: { planId }, query })
    tellDiff(terminal, preview.plan, { after: plan as unknown as Plan })
  }
  tellForkPreview(preview, terminal)
}
