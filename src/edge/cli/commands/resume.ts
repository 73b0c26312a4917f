/**
 * `keelson resume`: takes over runs that nobody drives and drives them to their end, each with the step functions it was
 * started with. Runs that wait for a person are told and left; runs of a living process are left to it.
 */
import { isTerminalRun } from '../../../core/run/transitions.ts'
import type { Keelson } from '../../../main.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import { anchorHeads } from '../anchor-heads.ts'
import { adoptWhenFree, type Wanted } from '../adopt-when-free.ts'
import type { Call, Options } from '../command.ts'
import { driveMany } from '../drive-many.ts'
import { driveOne } from '../drive-one.ts'
import { EXIT } from '../exit-codes.ts'
import { allRuns, findRun } from '../find-run.ts'
import { Doorbell } from '../follow.ts'
import { openExisting } from '../session.ts'
import { outside } from '../outside.ts'
import { recallSource } from '../sources.ts'
import { findStepsFile, loadSteps } from '../steps-file.ts'

const LIVE = ['PENDING', 'APPROVED', 'RUNNING', 'PAUSED'] as const

export async function resume({ args, options, terminal }: Call): Promise<number> {
  const rows = await openRuns(options.dir, args[0])
  if (rows.length === 0) {
    if (!options.json)
      terminal.line(`nothing to resume: ${args[0] === undefined ? 'every run here' : 'the run'} has ended`)
    return EXIT.completed
  }
  const doorbell = new Doorbell()
  const opened = new Map<string, Keelson>()
  try {
    const wanted: Wanted[] = []
    for (const row of rows) wanted.push({ row, keelson: await keelsonFor(row, options, doorbell, opened) })
    const runs = await adoptWhenFree(wanted, args[0] !== undefined, terminal)
    const [only] = runs
    if (only === undefined) return EXIT.detached
    const code =
      runs.length === 1
        ? await driveOne({ ...only, doorbell, interrupt: 'leave', options, terminal })
        : await driveMany({ runs, doorbell, options, terminal })
    await anchorHeads(only.keelson, terminal)
    return code
  } finally {
    for (const keelson of opened.values()) await keelson.close()
  }
}

/** Runs from one plan file share an engine; names in two steps files may mean two things, and each plan has its folder. */
async function keelsonFor(
  row: RunRow,
  options: Options,
  doorbell: Doorbell,
  opened: Map<string, Keelson>,
): Promise<Keelson> {
  const source = recallSource(options.dir, row)
  const path = findStepsFile(options.text('steps') ?? source?.steps, ['.'])
  const key = JSON.stringify([path, source])
  const known = opened.get(key)
  if (known !== undefined) return known
  const { functions } = await loadSteps(path)
  const keelson = await openExisting(options.dir, {
    steps: functions,
    ...outside(options, source),
    ...(path === undefined ? {} : { stepsModule: path }),
    onProgress: (runKey) => doorbell.ring(runKey),
  })
  opened.set(key, keelson)
  return keelson
}

/** Child runs come along with their parents. */
async function openRuns(directory: string, name: string | undefined): Promise<readonly RunRow[]> {
  const keelson = await openExisting(directory)
  try {
    if (name !== undefined) {
      const { row } = await findRun(keelson, name)
      return isTerminalRun(row.status) ? [] : [row]
    }
    const rows: RunRow[] = []
    for await (const row of allRuns(keelson, { status: LIVE })) if (row.quarantine === undefined) rows.push(row)
    return rows.reverse().filter((row) => !rows.some((other) => other.runId === row.parent?.runId))
  } finally {
    await keelson.close()
  }
}
