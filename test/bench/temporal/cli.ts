/**
 * `npm run bench:temporal`: Keelson on Temporal beside hand-written workflows with the same activities, on one server, round
 * after round in turns; the median of the rounds counts. And how soon a signal takes effect. `--json` prints rows and
 * targets; `--steps n` and `--rounds n` make it longer or shorter. It publishes what is true: a missed target does not fail.
 */
import { parseArgs } from 'node:util'
import { startTemporal, type TemporalServer } from '../../setup/temporal.ts'
import { handWritten } from './by-hand.ts'
import type { Contender, Shape } from './contender.ts'
import { keelsonOnTemporal } from './keelson.ts'
import { measureSignals, signalLine, type SignalRow } from './signals.ts'

/** Of the wall time of the hand-written workflow (design: performance). */
const WALL_TARGET = 1.3
/** A fan-out is so many times as wide as the chain is long: it is over sooner. */
const FAN = 5

interface Row {
  readonly shape: Shape
  readonly steps: number
  readonly contender: string
  readonly msPerStep: number
  /** All events of the history, by steps. */
  readonly eventsPerStep: number
  /** What one more step adds to the history. */
  readonly eventsPerFurtherStep: number
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function eventsOf(server: TemporalServer, workflowId: string): number {
  const text = server.command('workflow', 'show', '--workflow-id', workflowId, '--output', 'json')
  return (JSON.parse(text) as { readonly events: readonly unknown[] }).events.length
}

async function measure(
  server: TemporalServer,
  contenders: readonly Contender[],
  shape: Shape,
  steps: number,
  rounds: number,
): Promise<readonly Row[]> {
  const times = new Map<Contender, number[]>(contenders.map((one) => [one, []]))
  const events = new Map<Contender, number[]>(contenders.map((one) => [one, []]))
  const short = new Map<Contender, number>()
  for (const one of contenders)
    short.set(one, eventsOf(server, (await one.run(shape, Math.ceil(steps / 2))).workflowId))
  for (let round = 0; round < rounds; round += 1)
    for (const one of round % 2 === 0 ? contenders : contenders.toReversed()) {
      const { ms, workflowId } = await one.run(shape, steps)
      times.get(one)?.push(ms / steps)
      events.get(one)?.push(eventsOf(server, workflowId))
    }
  return contenders.map((one) => {
    const all = median(events.get(one) ?? [])
    return {
      shape,
      steps,
      contender: one.name,
      msPerStep: median(times.get(one) ?? []),
      eventsPerStep: all / steps,
      eventsPerFurtherStep: (all - (short.get(one) ?? 0)) / (steps - Math.ceil(steps / 2)),
    }
  })
}

interface Verdict {
  readonly shape: Shape
  readonly wall: { readonly ratio: number; readonly target: number; readonly met: boolean }
  readonly events: { readonly ours: number; readonly theirs: number; readonly met: boolean }
}

function judge(rows: readonly Row[]): readonly Verdict[] {
  return (['chain', 'fan'] as const).map((shape) => {
    const [theirs, ours] = ['hand-written', 'keelson'].map((name) =>
      rows.find((row) => row.shape === shape && row.contender === name),
    )
    const ratio = (ours?.msPerStep ?? 0) / (theirs?.msPerStep ?? 1)
    const [a, b] = [ours?.eventsPerStep ?? 0, theirs?.eventsPerStep ?? 0]
    return {
      shape,
      wall: { ratio, target: WALL_TARGET, met: ratio <= WALL_TARGET },
      events: { ours: a, theirs: b, met: a <= b },
    }
  })
}

function table(rows: readonly Row[], verdicts: readonly Verdict[], signals: SignalRow): string {
  const lines = rows.map(
    ({ shape, steps, contender, msPerStep, eventsPerStep, eventsPerFurtherStep }) =>
      `${shape.padEnd(6)} ${String(steps).padStart(5)} steps  ${contender.padEnd(13)} ${msPerStep.toFixed(2).padStart(8)} ms a step  ${eventsPerStep.toFixed(2).padStart(6)} events a step, ${eventsPerFurtherStep.toFixed(2)} for one more`,
  )
  const words = verdicts.map(
    ({ shape, wall, events }) =>
      `${shape.padEnd(6)} wall time ${wall.ratio.toFixed(2)} × of by hand (at most ${wall.target}: ${wall.met ? 'met' : 'MISSED'}); events ${events.ours.toFixed(2)} to ${events.theirs.toFixed(2)} (${events.met ? 'met' : 'MISSED'})`,
  )
  return [...lines, '', ...words, signalLine(signals), ''].join('\n')
}

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    steps: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '5' },
  },
})
const server = await startTemporal()
const contenders = [await handWritten(server.address), await keelsonOnTemporal(server.address)]
try {
  const [steps, rounds] = [Number(values.steps), Number(values.rounds)]
  const rows: Row[] = []
  for (const shape of ['chain', 'fan'] as const) {
    for (const one of contenders) await one.run(shape, 5)
    rows.push(...(await measure(server, contenders, shape, shape === 'fan' ? steps * FAN : steps, rounds)))
  }
  const signals = await measureSignals(server.address)
  const targets = judge(rows)
  const text = values.json ? `${JSON.stringify({ rows, targets, signals }, null, 2)}\n` : table(rows, targets, signals)
  process.stdout.write(text)
} finally {
  for (const one of contenders) await one.close()
  await server.stop()
}
