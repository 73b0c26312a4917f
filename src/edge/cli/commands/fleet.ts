/** `keelson fleet`: one signal to many runs. Any process may begin an operation; `keelson serve` and `keelson dev` carry it on. */
import { randomUUID } from 'node:crypto'
import { isoFromMs } from '../../../core/time.ts'
import { openFleet, type FleetAsked, type FleetCalls } from '../open/fleet.ts'
import type { ShownOperation, ShownPreview } from '../../http/wire/operation-view.ts'
import type { Call, Options } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { plural, shortId } from '../terminal/format.ts'
import { printTable } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { filterOf } from './runs.ts'
import { payloadOf, signalType, wordOf } from './signal.ts'

async function withFleet(options: Options, act: (calls: FleetCalls) => Promise<void>): Promise<number> {
  const calls = await openFleet(options)
  try {
    await act(calls)
    return EXIT.completed
  } finally {
    await calls.close()
  }
}

async function askedOf(word: string, options: Options): Promise<FleetAsked> {
  const type = signalType(word)
  const { status, planId, createdFrom, createdTo, labels } = await filterOf(options)
  const label = Object.entries(labels ?? {}).map(([name, value]) => `${name}=${value}`)
  return {
    filter: {
      ...(status === undefined ? {} : { status }),
      ...(planId === undefined ? {} : { planId }),
      ...(createdFrom === undefined ? {} : { createdFrom: isoFromMs(createdFrom) }),
      ...(createdTo === undefined ? {} : { createdTo: isoFromMs(createdTo) }),
      ...(label.length === 0 ? {} : { label }),
    },
    signalType: type,
    payload: payloadOf(type, options),
  }
}

export async function previewFleet({ args, options, terminal }: Call): Promise<number> {
  const asked = await askedOf(args[0] ?? '', options)
  return withFleet(options, async (calls) => {
    const preview = await calls.preview(asked)
    if (options.json) terminal.json(preview)
    else tellPreview(preview, asked, terminal)
  })
}

function tellPreview(preview: ShownPreview, { signalType: type }: FleetAsked, terminal: Terminal): void {
  const { matched, examined, wouldApply, wouldChangeNothing, wouldWait, refused, sample, previewSha256 } = preview
  const many = matched > examined ? `; of the first ${examined}:` : matched === 0 ? '' : ':'
  terminal.line(`${wordOf(type)} would go to ${plural(matched, 'run')}${many}`)
  if (wouldApply > 0) terminal.line(`  ${wouldApply} would take it`)
  if (wouldChangeNothing > 0) terminal.line(`  ${wouldChangeNothing} would take it, and nothing would change`)
  if (wouldWait > 0) terminal.line(`  ${wouldWait} would wait for a second person`)
  for (const [code, runs] of Object.entries(refused)) terminal.line(`  ${runs} would refuse it: ${code}`)
  for (const { executionId, would, reason = '' } of sample)
    if (would === 'refuse') terminal.line(terminal.paint.dim(`    ${shortId(executionId)}   ${reason}`))
  if (matched > 0) terminal.line(terminal.paint.dim(`  --preview ${previewSha256}`))
}

export async function startFleet({ args, options, terminal }: Call): Promise<number> {
  const asked = await askedOf(args[0] ?? '', options)
  const previewSha256 = options.text('preview')
  return withFleet(options, async (calls) => {
    if (!options.flag('yes')) {
      const preview = await calls.preview(asked)
      if (options.json) return terminal.json(preview)
      tellPreview(preview, asked, terminal)
      return terminal.line('nothing was sent; begin it with --yes')
    }
    const seen = previewSha256 === undefined ? {} : { previewSha256 }
    const begun = await calls.start({ operationId: options.text('id') ?? randomUUID(), ...asked, ...seen })
    if (options.json) return terminal.json(begun)
    terminal.line(`operation ${begun.operationId} is for ${plural(begun.matched, 'run')}; a server carries it on`)
    return terminal.line(`  ${terminal.paint.cyan(`keelson fleet show ${begun.operationId}`)} shows how far it is`)
  })
}

export async function listFleet({ options, terminal }: Call): Promise<number> {
  return withFleet(options, async (calls) => {
    const found = await calls.list()
    if (options.json) for (const one of found) terminal.json(one)
    else if (found.length === 0) terminal.line('there are no operations')
    else
      printTable(terminal, ['OPERATION', 'SIGNAL', 'STATE', 'RUNS', 'OPEN', 'DONE', 'REFUSED', 'BY'], found.map(cells))
  })
}

function cells(one: ShownOperation): readonly string[] {
  const { operationId, signalType: type, state, matched, open, done, createdBy } = one
  const word = wordOf(type)
  return [operationId, word, state, String(matched), String(open), String(done), String(refusals(one)), createdBy]
}

function refusals({ refused }: ShownOperation): number {
  return Object.values(refused).reduce((sum, runs) => sum + runs, 0)
}

export async function showFleet({ args, options, terminal }: Call): Promise<number> {
  return withFleet(options, async (calls) => {
    const whole = await calls.get(args[0] ?? '')
    if (options.json) return terminal.json(whole)
    tellOperation(whole.operation, terminal)
    for (const { executionId, code } of whole.refusedRuns)
      terminal.line(terminal.paint.dim(`    ${executionId}   ${code}`))
  })
}

export async function abortFleet({ args, options, terminal }: Call): Promise<number> {
  return withFleet(options, async (calls) => {
    const operation = await calls.abort(args[0] ?? '', options.text('reason'))
    if (options.json) terminal.json(operation)
    else tellOperation(operation, terminal)
  })
}

function tellOperation(one: ShownOperation, terminal: Terminal): void {
  const { operationId, signalType: type, state, matched, open, done, left, approval, refused } = one
  const word = wordOf(type)
  terminal.line(`${terminal.paint.bold(operationId)}   ${word}, ${state.toLowerCase()}, ${plural(matched, 'run')}`)
  const counts: readonly (readonly [number, string])[] = [
    [done, 'took it'],
    [left, 'have it in their inbox'],
    [approval, 'wait for a second person'],
    [open, state === 'RUNNING' ? 'have not had their turn' : 'got no signal'],
    ...Object.entries(refused).map(([code, runs]) => [runs, `refused it: ${code}`] as const),
  ]
  for (const [runs, text] of counts) if (runs > 0) terminal.line(`  ${runs} ${text}`)
  if (one.abortedBy !== undefined)
    terminal.line(`  aborted by ${one.abortedBy}${one.abortReason === undefined ? '' : `: ${one.abortReason}`}`)
}
