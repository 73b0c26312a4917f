/** Runs that a command left out while it drives the others: their names, why, and what to do, once for each reason. */
import type { KeelsonError } from '../../../core/problems/problem.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import type { Options } from '../terminal/command.ts'
import { shortId } from '../terminal/format.ts'
import { placeText, tellNote } from './problems.ts'
import type { Terminal } from '../terminal/terminal.ts'

export interface LeftOut {
  readonly row: RunRow
  readonly error: KeelsonError
}

export function tellLeftOut(left: readonly LeftOut[], { json }: Options, terminal: Terminal): void {
  if (json) {
    for (const { row, error } of left) terminal.json({ left: { runId: row.runId, problems: error.problems } })
    return
  }
  const byReason = new Map<string, LeftOut[]>()
  for (const one of left) byReason.set(one.error.message, [...(byReason.get(one.error.message) ?? []), one])
  for (const [first, ...rest] of byReason.values()) {
    if (first === undefined) continue
    const [problem] = first.error.problems
    if (problem === undefined) continue
    const place = problem.at === undefined ? '' : `${placeText(problem.at)}  `
    const names = [first, ...rest].map(({ row }) => shortId(row.runId)).join(', ')
    const which = rest.length === 0 ? `run ${names} is` : `runs ${names} are`
    terminal.errorLine(`${which} left out: ${place}${problem.code}  ${problem.message}`)
    tellNote(terminal, problem)
  }
}
