/**
 * The contracts that others rely on, as they are now and as they were released. The version of a contract and its released copy lie in
 * `compat-tests/<contract>/`; a change that the version does not say is a defect (VER-01).
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ATTEMPT_TRANSITIONS, COMPENSATION_TRANSITIONS, RUN_TRANSITIONS } from '../../src/core/run/state/transitions.ts'
import { filesUnder, textOf } from '../repository.ts'
import { ROOT } from '../terminal.ts'
import { apiChanges } from './api-change.ts'
import { isAtLeast, isSame, levelOf, nextVersion, under, type Change, type Fields, type Json } from './change.ts'
import { schemaChanges } from './schema-change.ts'

export interface Contract {
  readonly name: string
  /** As it is now. */
  readonly current: () => Json
  readonly changes: (before: Json, after: Json) => readonly Change[]
}

export interface Released {
  readonly version: string
  readonly contract: Json
}

const json = (path: string): Json => JSON.parse(textOf(path)) as Json

/** One schema for each event: one more is new, one less is gone. */
function eventChanges(before: Json, after: Json): readonly Change[] {
  const [old, now] = [before as Fields, after as Fields]
  const names = new Set([...Object.keys(old), ...Object.keys(now)])
  return [...names].flatMap((name): readonly Change[] => {
    const [one, other] = [old[name], now[name]]
    if (one !== undefined && other !== undefined) return schemaChanges(one, other, under('', name))
    const isGone = other === undefined
    return [{ level: isGone ? 'MAJOR' : 'MINOR', at: under('', name), what: isGone ? 'event removed' : 'new event' }]
  })
}

/** Keys and moves have no small changes: another key structure or another meaning of a move is MAJOR. */
function pinnedChanges(before: Json, after: Json): readonly Change[] {
  const names = new Set([...Object.keys(before as Fields), ...Object.keys(after as Fields)])
  return [...names].flatMap((name) =>
    isSame((before as Fields)[name], (after as Fields)[name])
      ? []
      : [{ level: 'MAJOR', at: under('', name), what: 'changed' } as const],
  )
}

function semantics(): Json {
  const moves = JSON.stringify([RUN_TRANSITIONS, ATTEMPT_TRANSITIONS, COMPENSATION_TRANSITIONS])
  return {
    transitions: createHash('sha256').update(moves).digest('hex'),
    keyVectors: json('test/golden/keys.json'),
  }
}

export const CONTRACTS: readonly Contract[] = [
  {
    name: 'run-events',
    current: () =>
      Object.fromEntries(
        filesUnder('schemas/events', ['.json']).map((path) => [path.replace(/^.*\/|\.json$/g, ''), json(path)]),
      ),
    changes: eventChanges,
  },
  { name: 'execution-semantics', current: semantics, changes: pinnedChanges },
  { name: 'plan', current: () => json('schemas/plan.schema.json'), changes: schemaChanges },
  { name: 'http', current: () => json('schemas/openapi.json'), changes: apiChanges },
]

export const FOLDER = 'compat-tests'

export function releasedOf({ name }: Contract): Released {
  return json(`${FOLDER}/${name}/released.json`) as unknown as Released
}

/** The version under which the next release will publish each contract. */
export function versions(): Readonly<Record<string, string>> {
  return json(`${FOLDER}/versions.json`) as Readonly<Record<string, string>>
}

export interface Verdict {
  readonly name: string
  readonly released: string
  readonly version: string
  readonly least: string
  readonly changes: readonly Change[]
  readonly problems: readonly string[]
}

/** Which tests of its kind are missing is asked of the disk, unless it is told. */
export function judge(
  { name, changes: compare }: Contract,
  released: Released,
  current: Json,
  version: string,
  hasFolder: (folder: string) => boolean = (folder) => existsSync(join(ROOT, folder)),
): Verdict {
  const changes = compare(released.contract, current)
  const least = nextVersion(released.version, levelOf(changes))
  const problems: string[] = []
  if (!isAtLeast(version, least)) problems.push(`${name} needs ${least} or more, and says ${version}`)
  const [before = 0, now = 0] = [released.version, version].map((text) => Number(text.split('.')[0]))
  const folder = `${FOLDER}/${name}/v${before}_to_v${now}`
  if (now > before && !hasFolder(folder)) problems.push(`${name} ${version} needs tests of both ways in ${folder}`)
  return { name, released: released.version, version, least, changes, problems }
}
