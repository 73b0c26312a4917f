/**
 * The judge: reads what the client was told, what the handlers did, what the workers sent and what is in the store's tables,
 * and says what does not fit together. It knows nothing of the product but its events.
 */
import { judgeCommits, type CommitFigures } from './judge-commits.ts'
import { judgeEffects, type EffectFigures } from './judge-effects.ts'
import { RUN_ENDS, judgeLog, stepSlotOf } from './judge-log.ts'
import { readJournal, type Acknowledgement, type CommitLine, type Effect, type LifeLine } from './journal.ts'
import { fieldsOf, readLog, type Look, type RecordFields, type Row, type StoredLine } from './look.ts'
import { planNamed } from './plans.ts'
import type { Poller } from './poller.ts'
import type { Fault, Orphan } from './storm.ts'

export interface Evidence {
  readonly look: Look
  readonly folder: string
  readonly faults: readonly Fault[]
  readonly orphans: readonly Orphan[]
  readonly poller: Poller
}

export interface Verdict {
  readonly violations: readonly string[]
  readonly runs: number
  readonly events: number
  readonly signals: number
  readonly commits: CommitFigures
  readonly effects: EffectFigures
  /** From the loss of a driver to its successor's commit, ascending, milliseconds. */
  readonly takeOvers: readonly number[]
}

export async function judge({ look, folder, faults, orphans, poller }: Evidence): Promise<Verdict> {
  const runs = await look.rows('SELECT * FROM keelson.runs ORDER BY run_key')
  const events = await readLog(look)
  const logs = Map.groupBy(events, ({ runKey }) => runKey)
  const acknowledged = readJournal<Acknowledgement>(folder, 'acknowledgements')
  const commitLines = readJournal<CommitLine>(folder, 'commits')
  const commits = judgeCommits(events, commitLines)
  const effects = judgeEffects(events, readJournal<Effect>(folder, 'effects'), faults)
  const lives = readJournal<LifeLine>(folder, 'lives')
  const violations = [
    ...runs.flatMap((row) => judgeRun(row, logs.get(Number(row['run_key'])) ?? [])),
    ...judgeAcknowledged(runs, events, acknowledged),
    ...judgePoller(logs, poller),
    ...commits.violations,
    ...effects.violations,
    ...lives.filter(({ kind }) => kind === 'unexpected').map(({ worker, detail }) => `${worker} broke: ${detail}`),
  ]
  const signals = acknowledged.filter(({ kind }) => kind === 'signal').length
  const takeOvers = takeOverTimes(orphans, commitLines)
  const figures = { commits: commits.figures, effects: effects.figures, takeOvers }
  return { violations, runs: runs.length, events: events.length, signals, ...figures }
}

/** The log is whole, the run has ended, and as its plan says. */
function judgeRun(row: Row, log: readonly StoredLine[]): readonly string[] {
  const runId = String(row['run_id'])
  const planId = String(row['plan_id'])
  const wrong = [...judgeLog(log, row['head_hash'] as Buffer)]
  const records = log.map(fieldsOf)
  if (row['quarantine'] !== null) wrong.push(`${runId} (${planId}) was set aside: ${String(row['quarantine'])}`)
  if (Number(row['next_seq']) !== log.length + 1) wrong.push(`${runId}: the row counts ${String(row['next_seq'])}`)
  const end = records.find(({ eventType }) => RUN_ENDS.has(eventType))?.eventType
  if (end === undefined) return [...wrong, `${runId} (${planId}) has not ended: ${String(row['status'])}`]
  const wasCancelled = records.some(
    ({ eventType, payload }) => eventType === 'SignalAccepted' && payload?.['signalType'] === 'CANCEL',
  )
  const plan = planNamed(planId)
  if (wasCancelled || plan === undefined) return wrong
  if (`RUN${plan.endsIn}` !== end.toUpperCase()) wrong.push(`${runId} (${planId}) ended with ${end}`)
  for (const { eventType, stepId = '', logicalAttemptId } of records)
    if (eventType === 'StepStarted' && logicalAttemptId > (plan.attempts?.[stepId.replace(/\[\d+\]$/, '')] ?? 1))
      wrong.push(`${runId} (${planId}): attempt ${logicalAttemptId} of '${stepId}' is more than its policy allows`)
  const undone = namesOf(records, 'CompensationCompleted')
  if (undone.join() !== (plan.undone ?? []).join()) wrong.push(`${runId} (${planId}): undone was ${undone.join()}`)
  return wrong
}

const namesOf = (records: readonly RecordFields[], type: string): readonly string[] =>
  records.filter(({ eventType }) => eventType === type).map(stepSlotOf)

/** Every acknowledged start is one run and every run was asked for; every acknowledged signal was answered once. */
function judgeAcknowledged(
  runs: readonly Row[],
  events: readonly StoredLine[],
  acknowledged: readonly Acknowledgement[],
): readonly string[] {
  const wrong: string[] = []
  const roots = new Set(runs.filter((row) => row['parent_run_id'] === null).map((row) => String(row['run_id'])))
  const starts = acknowledged.filter(({ kind }) => kind === 'start')
  for (const { runId, id } of starts)
    if (!roots.has(runId)) wrong.push(`${id}: run ${runId} was acknowledged and is not there`)
  if (roots.size !== new Set(starts.map(({ id }) => id)).size || roots.size !== starts.length)
    wrong.push(`${starts.length} starts were acknowledged and ${roots.size} runs are there`)
  const answers = events.filter(({ eventType }) => eventType === 'SignalAccepted' || eventType === 'SignalRejected')
  const answered = Map.groupBy(answers, (line) => `${line.runId} ${String(fieldsOf(line).payload?.['signalId'])}`)
  for (const { kind, runId, id, signalType } of acknowledged) {
    const count = answered.get(`${runId} ${id}`)?.length ?? 0
    if (kind === 'signal' && count !== 1) wrong.push(`${signalType} ${id} to ${runId} was answered ${count} times`)
  }
  return wrong
}

function judgePoller(logs: ReadonlyMap<number, readonly StoredLine[]>, { seen }: Poller): readonly string[] {
  return [...logs].flatMap(([runKey, log]) => {
    const missed = log.map(({ seq }) => seq).join() !== (seen.get(runKey) ?? []).join()
    return missed ? [`a reader at the high-water mark missed events of run ${runKey}`] : []
  })
}

function takeOverTimes(orphans: readonly Orphan[], lines: readonly CommitLine[]): readonly number[] {
  const adoptions = lines.filter(({ answer, newEpoch }) => answer === 'committed' && newEpoch !== undefined)
  const byRun = Map.groupBy(adoptions, ({ runKey }) => runKey)
  const times = orphans.flatMap(({ runKey, epoch, since }) => {
    const heir = (byRun.get(runKey) ?? []).filter(({ newEpoch = 0, at }) => newEpoch > epoch && at >= since)
    return heir.length === 0 ? [] : [Math.min(...heir.map(({ at }) => at)) - since]
  })
  return times.sort((a, b) => a - b)
}
