/**
 * Judges every commit the workers sent: what was acknowledged is there, what was refused is not, what is in doubt is there
 * whole or not at all, and nobody wrote under an epoch that was over.
 */
import type { CommitLine } from './journal.ts'
import type { StoredLine } from './look.ts'

export interface CommitFigures {
  readonly acknowledged: number
  readonly doubtful: number
  /** Made by the store although its answer never came. */
  readonly lostAnswers: number
  readonly refusedStale: number
}

interface Commit {
  readonly line: CommitLine
  readonly sentAt: number
  readonly fate: 'made' | 'refused' | 'unknown'
}

export function judgeCommits(
  events: readonly StoredLine[],
  lines: readonly CommitLine[],
): { readonly violations: readonly string[]; readonly figures: CommitFigures } {
  const violations: string[] = []
  const stored = new Set(events.map(({ chainHash }) => chainHash.toString('hex')))
  const commits: Commit[] = []
  let lostAnswers = 0
  for (const [sent, answer] of pairs(lines)) {
    const line = answer ?? sent
    const there = line.hashes.filter((hash) => stored.has(hash)).length
    const isWhole = there === line.hashes.length
    const isKnown = answer?.phase === 'answered'
    if (there > 0 && !isWhole) violations.push(`${line.id}: half of a commit is there`)
    if (isKnown && line.answer === 'committed' && !isWhole) violations.push(`${line.id}: acknowledged and not there`)
    if (isKnown && line.answer !== 'committed' && there > 0) violations.push(`${line.id}: ${line.answer} and yet there`)
    if (isKnown && line.answer === 'constraint') violations.push(`${line.id}: a constraint of the store was broken`)
    const isFound = there > 0 && isWhole
    if (answer?.phase === 'in doubt' && isFound) lostAnswers += 1
    const fate = isKnown ? (line.answer === 'committed' ? 'made' : 'refused') : isFound ? 'made' : 'unknown'
    commits.push({ line, sentAt: sent.at, fate })
  }
  const byRun = Map.groupBy(
    commits.filter(({ line }) => line.runKey !== undefined),
    ({ line }) => line.runKey,
  )
  let refusedStale = 0
  for (const own of byRun.values()) {
    violations.push(...judgeOrder(own.filter(({ fate }) => fate === 'made')))
    refusedStale += own.filter((one) => one.fate === 'refused' && isStale(one, own)).length
  }
  const acknowledged = commits.filter(({ line }) => line.answer === 'committed').length
  const doubtful = lines.filter(({ phase }) => phase === 'in doubt').length
  return { violations, figures: { acknowledged, doubtful, lostAnswers, refusedStale } }
}

/** Each commit as it was sent, with its second line where there is one: its worker may have been killed before. */
function pairs(lines: readonly CommitLine[]): readonly (readonly [CommitLine, CommitLine | undefined])[] {
  const second = new Map(lines.filter(({ phase }) => phase !== 'sent').map((line) => [line.id, line]))
  return lines.filter(({ phase }) => phase === 'sent').map((line) => [line, second.get(line.id)])
}

const epochAfter = ({ line }: Commit): number => line.newEpoch ?? line.epoch

/** Along the log nobody goes back to an older epoch, and each number is above all that were on record when it was sent. */
function judgeOrder(made: readonly Commit[]): readonly string[] {
  const wrong: string[] = []
  const inOrder = [...made].sort((a, b) => a.line.firstSeq - b.line.firstSeq || epochAfter(a) - epochAfter(b))
  let epoch = 0
  for (const one of inOrder) {
    if (one.line.epoch < epoch) wrong.push(`${one.line.id}: written under epoch ${one.line.epoch} when it was ${epoch}`)
    epoch = epochAfter(one)
  }
  const answered = [...made].filter(({ line }) => line.phase === 'answered').sort((a, b) => a.line.at - b.line.at)
  for (const one of made) {
    const before = answered.filter(({ line }) => line.at < one.sentAt)
    const highest = Math.max(0, ...before.map(({ line }) => line.firstSeq + line.hashes.length - 1))
    if (one.line.firstSeq <= highest) wrong.push(`${one.line.id}: begins at ${one.line.firstSeq} after ${highest}`)
  }
  return wrong
}

/** Refused, and somebody had taken the run over before. */
function isStale(one: Commit, all: readonly Commit[]): boolean {
  return all.some(
    (other) => other.fate === 'made' && epochAfter(other) > one.line.epoch && other.line.at <= one.line.at,
  )
}
