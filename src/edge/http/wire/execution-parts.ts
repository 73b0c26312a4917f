/** What else a caller may ask for of a run: its row, what is wrong with its log, the runs around it, what binds it. */
import type { EXECUTION_PARTS } from '../../../core/api/executions.ts'
import type { Keelson } from '../../../library/keelson/keelson.ts'
import type { RunReader } from '../../../library/read/run-reader.ts'
import { isOwnerGone } from '../../../library/services-of.ts'
import type { RunRow } from '../../../ports/run-store.ts'

type PartName = (typeof EXECUTION_PARTS)[number]

export async function executionParts(
  keelson: Keelson,
  run: RunReader,
  names: readonly PartName[],
  now: number,
): Promise<Readonly<Record<string, unknown>>> {
  const told: Record<string, unknown> = {}
  for (const name of new Set(names)) {
    const part = await partOf(keelson, run, name, now)
    if (part !== undefined) told[name] = part
  }
  return told
}

async function partOf(keelson: Keelson, run: RunReader, name: PartName, now: number): Promise<unknown> {
  switch (name) {
    case 'row':
      return shownRow(keelson, run.row, now)
    case 'trouble':
      return troubleOf(run)
    case 'damage':
      return run.damage()
    case 'related':
      return run.related()
    case 'bounds':
      return run.bounds()
    case 'validationReport':
      return run.validationReport()
    case 'grantWaits':
      return run.grantWaits()
    default:
      return name satisfies never
  }
}

async function troubleOf(run: RunReader): Promise<object | undefined> {
  const trouble = await run.trouble()
  return trouble === undefined ? undefined : { soundSeq: trouble.soundSeq, problems: trouble.error.problems }
}

/** Without what only drivers need; of its lease, whether somebody drives the run. */
export function shownRow(
  keelson: Keelson,
  { runKey: _key, headHash: _head, lease, ...row }: RunRow,
  now: number,
): object {
  const driven = lease !== undefined && lease.until > now && !isOwnerGone(keelson, lease.owner)
  return { ...row, driven }
}
