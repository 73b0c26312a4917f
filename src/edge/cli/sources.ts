/**
 * Where a run came from: its plan file and the steps file that went with it. So `keelson resume` and `fork` find a run's
 * functions by themselves. A live run has an entry of its own, each plan keeps the last one; losing them loses nothing.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { RunRow } from '../../ports/run-store.ts'
import { makeFolder } from './make-folder.ts'

export interface Source {
  readonly plan: string
  readonly steps?: string
  /** Hosts named for it besides public ones. */
  readonly allow?: readonly string[]
}

/** Named by the run's id or by its plan's hash. */
const fileOf = (directory: string, name: string): string => join(directory, 'sources', `${name}.json`)

/** Paths are kept relative to the folder, so that a project can be moved with its runs. */
export function rememberSource(directory: string, { runId, planSha256 }: RunRow, source: Source): void {
  makeFolder(join(directory, 'sources'))
  const from = (path: string): string => relative(resolve(directory), resolve(path))
  const entry: Source = {
    plan: from(source.plan),
    ...(source.steps === undefined ? {} : { steps: from(source.steps) }),
    ...(source.allow === undefined || source.allow.length === 0 ? {} : { allow: source.allow }),
  }
  for (const name of [runId, planSha256]) {
    const draft = `${fileOf(directory, name)}.${process.pid}`
    writeFileSync(draft, `${JSON.stringify(entry)}\n`)
    renameSync(draft, fileOf(directory, name))
  }
}

/** An ended run needs no entry of its own any more. */
export function forgetSource(directory: string, runId: string): void {
  rmSync(fileOf(directory, runId), { force: true })
}

/** Absolute paths; undefined when nobody started such a run from a file here. A child run is driven with its parent's. */
export function recallSource(directory: string, row: RunRow): Source | undefined {
  const names = [row.runId, row.parent?.runId, row.planSha256]
  for (const name of names) {
    const entry = name === undefined ? undefined : readEntry(fileOf(directory, name))
    if (entry === undefined) continue
    const to = (path: string): string => resolve(directory, path)
    const { plan, steps, ...rest } = entry
    return { ...rest, plan: to(plan), ...(steps === undefined ? {} : { steps: to(steps) }) }
  }
  return undefined
}

function readEntry(file: string): Source | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Source
  } catch {
    return undefined
  }
}
