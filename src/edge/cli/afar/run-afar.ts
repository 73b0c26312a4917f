/**
 * `keelson run` against a server: a plan file is checked here and published there, the run is started there, and its stream is shown
 * as the progress of a run here is.
 */
import type { Client } from '../../../client/connect.ts'
import { fail } from '../../../core/problems/problem.ts'
import { isTerminalRun } from '../../../core/run/state/transitions.ts'
import { isoFromMs } from '../../../core/time.ts'
import { childPlanFiles } from '../files/child-files.ts'
import { readPlanFile } from '../files/plan-file.ts'
import { readInput } from '../files/run-input.ts'
import { parseName, pinnedHash } from '../plans/plan-to-run.ts'
import { unusedText } from '../output/reach.ts'
import { EarlySignals } from '../progress/early-signals.ts'
import { Doorbell } from '../progress/follow.ts'
import { watchRun } from '../progress/run-watch.ts'
import { FollowedRun } from '../remote/followed-run.ts'
import { rowOfRun } from '../remote/remote-run.ts'
import { needServer } from '../remote/server-client.ts'
import type { Call, Options } from '../terminal/command.ts'
import { instantOf } from '../terminal/instant.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { tellDetached } from '../drive/detached.ts'
import { isQueued, needsApproval } from '../drive/run-lease.ts'
import { showToEnd } from '../drive/show-to-end.ts'
import { tellQueued } from '../drive/tell-queued.ts'

type PlanName = ReturnType<typeof parseName>

/** What a plan may do outside, and with which code, is for those who run the server to say. */
const OF_THE_SERVER: readonly (readonly [name: string, flag: string])[] = [
  ['engine', '--engine'],
  ['steps', '--steps'],
  ['clientOnly', '--client-only'],
  ['allowHost', '--allow-host'],
  ['allowSecret', '--allow-secret'],
  ['locked', '--locked'],
  ['replaceVersion', '--replace-version'],
]

/** Refuses options whose meaning only a process that drives runs has. */
export function needNoDriving(options: Options): void {
  const [, flag] =
    OF_THE_SERVER.find(
      ([name]) => options.flag(name) || options.text(name) !== undefined || options.list(name).length > 0,
    ) ?? []
  if (flag !== undefined)
    fail('NOT_FROM_AFAR', `${flag} is not for runs of a server: what plans may do there, its own configuration says`)
}

export async function runAfar({ args, options, terminal }: Call): Promise<number> {
  needNoDriving(options)
  const input = readInput(options.text('input'), options.list('set'))
  const early = new EarlySignals()
  try {
    const client = await needServer(options)
    const plan = await planAfar(client, args[0], options, terminal)
    const { executionId, existed } = await client.start({
      ...plan,
      ...(input === undefined ? {} : { input }),
      ...startFields(options),
    })
    const row = await rowOfRun(client, executionId)
    const handle = { runId: row.runId, row, existed: existed ?? true }
    if (options.flag('detach') && !isTerminalRun(row.status)) return tellDetached(handle, options, terminal)
    if (options.flag('queue') || needsApproval(row)) return tellQueued(handle, options, terminal)
    return await showAfar(executionId, options, terminal, early)
  } finally {
    early.handOver()
  }
}

/** Shows a run of the server to its end; whoever leaves it leaves it to the server. */
export async function showAfar(
  runId: string,
  options: Options,
  terminal: Terminal,
  early?: EarlySignals,
): Promise<number> {
  const client = await needServer(options)
  const row = await rowOfRun(client, runId)
  if (isQueued(row)) return tellQueued({ runId, row, existed: false }, options, terminal)
  const doorbell = new Doorbell()
  const handle = new FollowedRun(client, row, () => doorbell.ring())
  try {
    const watch = await watchRun(handle)
    const hint = 'Ctrl-C leaves it to the server'
    return await showToEnd({
      watch,
      doorbell,
      hint,
      isServed: true,
      ...(early === undefined ? {} : { early }),
      options,
      terminal,
    })
  } finally {
    handle[Symbol.dispose]()
  }
}

/** The published plan that a name means; a file is published first, with those beside it that its steps mean. */
export async function planAfar(
  client: Client,
  path: string | undefined,
  options: Options,
  terminal: Terminal,
): Promise<PlanName> {
  const given = options.text('planId')
  if ((path === undefined) === (given === undefined))
    fail('USAGE', 'name a plan file, or a published plan by --plan-id: one of them')
  const pinned = pinnedHash(options)
  if (given !== undefined) {
    if (pinned !== undefined) fail('USAGE', '--sha256 is for a plan file; pin a published plan by <id>@sha256:<hash>')
    return parseName(given)
  }
  const file = readPlanFile(path ?? '', pinned)
  const { used, unused } = childPlanFiles(file)
  for (const one of unused) terminal.errorLine(`${terminal.errorPaint.yellow('!')} ${unusedText(one)}`)
  for (const child of used) await client.publish(child.text, { file: child.path })
  const { planId, planVersion, sha256 } = await client.publish(file.text, { file: file.path })
  return { planId, planVersion, sha256 }
}

function startFields(options: Options): object {
  const requestId = options.text('requestId')
  const when = options.text('notBefore')
  const correlationId = options.text('correlationId')
  return {
    ...(requestId === undefined ? {} : { runRequestId: requestId }),
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(when === undefined ? {} : { notBefore: isoFromMs(instantOf(when, '--not-before', Date.now(), true)) }),
    ...(options.flag('queue') ? { queue: true } : {}),
    ...(options.flag('needsApproval') ? { needsApproval: true } : {}),
  }
}
