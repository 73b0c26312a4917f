/**
 * Where a run came from: its plan file and its steps file. So `keelson resume` and `fork` find a run's functions by
 * themselves. A live run has its own entry, and each plan keeps the last one; nothing else depends on these entries.
 */
import { closeSync, constants, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { sha256Hex } from '../../../app/log/sha256.ts'
import { runFileName } from '../../../core/file-name.ts'
import { refuseLink } from '../../../core/state-link.ts'
import type { RunRef, RunRow } from '../../../ports/run-store.ts'
import { makeFolder } from './make-folder.ts'

export interface Source {
  readonly plan: string
  readonly steps?: string
  /** Hosts named for it besides public ones. */
  readonly allow?: readonly string[]
  /** Variables named for it besides those made for secrets. */
  readonly secrets?: readonly string[]
}

/** A run's id is any text. A hash of 64 digits is hashed once more, so no run can take the place of a plan. */
const ofRun = (directory: string, run: RunRef): string =>
  join(directory, 'sources', `${runFileName(run, sha256Hex)}.json`)

const PLAN_HASH = /^[0-9a-f]{64}$/

function ofPlan(directory: string, planSha256: string): readonly string[] {
  return PLAN_HASH.test(planSha256) ? [join(directory, 'sources', `${planSha256}.json`)] : []
}

/** Paths are stored relative to the folder, so that a project can be moved with its runs. */
export function rememberSource(directory: string, row: RunRow, source: Source): void {
  makeFolder(join(directory, 'sources'), 0o700)
  const from = (path: string): string => relative(resolve(directory), resolve(path))
  const entry: Source = {
    plan: from(source.plan),
    ...(source.steps === undefined ? {} : { steps: from(source.steps) }),
    ...(source.allow === undefined || source.allow.length === 0 ? {} : { allow: source.allow }),
    ...(source.secrets === undefined || source.secrets.length === 0 ? {} : { secrets: source.secrets }),
  }
  for (const file of [ofRun(directory, row), ...ofPlan(directory, row.planSha256)]) {
    const draft = `${file}.${process.pid}`
    // A draft that a crash left, or a planted link: neither is written through.
    rmSync(draft, { force: true })
    writeFileSync(draft, `${JSON.stringify(entry)}\n`, { flag: 'wx', mode: 0o600 })
    renameSync(draft, file)
  }
}

/** A run of exactly this plan was started here before. */
export function isKnownPlan(directory: string, planSha256: string): boolean {
  return ofPlan(directory, planSha256).some((file) => readEntry(file) !== undefined)
}

/** An ended run no longer needs its own entry. */
export function forgetSource(directory: string, run: RunRef): void {
  rmSync(ofRun(directory, run), { force: true })
}

/** Absolute paths; undefined when no such run was started from a file here. A child run uses its parent's. */
export function recallSource(directory: string, { tenantId, runId, parent, planSha256 }: RunRow): Source | undefined {
  const runs = parent === undefined ? [runId] : [runId, parent.runId]
  for (const file of [
    ...runs.map((id) => ofRun(directory, { tenantId, runId: id })),
    ...ofPlan(directory, planSha256),
  ]) {
    const entry = readEntry(file)
    if (entry === undefined) continue
    const to = (path: string): string => resolve(directory, path)
    const { plan, steps, ...rest } = entry
    return { ...rest, plan: to(plan), ...(steps === undefined ? {} : { steps: to(steps) }) }
  }
  return undefined
}

/** The file may hold anything: an invalid entry counts as none. */
function isSource(entry: unknown): entry is Source {
  if (typeof entry !== 'object' || entry === null) return false
  const { plan, steps, allow, secrets } = entry as Readonly<Record<string, unknown>>
  const isTextOrAbsent = steps === undefined || typeof steps === 'string'
  const isList = (list: unknown): boolean =>
    list === undefined || (Array.isArray(list) && list.every((one) => typeof one === 'string'))
  return typeof plan === 'string' && isTextOrAbsent && isList(allow) && isList(secrets)
}

function readEntry(file: string): Source | undefined {
  let descriptor: number | undefined
  try {
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
    const entry = JSON.parse(readFileSync(descriptor, 'utf8')) as unknown
    return isSource(entry) ? entry : undefined
  } catch (thrown) {
    refuseLink(thrown, file)
    return undefined
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
