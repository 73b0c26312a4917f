/**
 * Where the plans of a state folder came from: which file, and which steps file went with it. So `keelson resume` finds
 * the functions of a run by itself. One small file per plan, with paths relative to the folder; losing it loses nothing.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

export interface Source {
  readonly plan: string
  readonly steps?: string
}

const fileOf = (directory: string, sha256: string): string => join(directory, 'sources', `${sha256}.json`)

export function rememberSource(directory: string, sha256: string, source: Source): void {
  mkdirSync(join(directory, 'sources'), { recursive: true })
  const from = (path: string): string => relative(resolve(directory), resolve(path))
  const entry: Source = {
    plan: from(source.plan),
    ...(source.steps === undefined ? {} : { steps: from(source.steps) }),
  }
  const file = fileOf(directory, sha256)
  writeFileSync(`${file}.${process.pid}`, `${JSON.stringify(entry)}\n`)
  renameSync(`${file}.${process.pid}`, file)
}

/** Absolute paths; undefined when the plan was not started from a file here. */
export function recallSource(directory: string, sha256: string): Source | undefined {
  try {
    const entry = JSON.parse(readFileSync(fileOf(directory, sha256), 'utf8')) as Source
    const to = (path: string): string => resolve(directory, path)
    return { plan: to(entry.plan), ...(entry.steps === undefined ? {} : { steps: to(entry.steps) }) }
  } catch {
    return undefined
  }
}
