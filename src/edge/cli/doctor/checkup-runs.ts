/** What `keelson doctor` says of the runs themselves: whether one has open work and no driver, or was set aside. */
import { REGISTRY } from '../../../core/problems/registry.ts'
import { KILLS_PROCESS } from '../../../core/engine/last-words.ts'
import type { Finding } from './finding.ts'
import { plural, shortId } from '../terminal/format.ts'

interface RunsSeen {
  readonly undriven: readonly string[]
  readonly quarantined: readonly { readonly runId: string; readonly code: string }[]
}

const NAMED = 3

function named(runIds: readonly string[]): string {
  const rest = runIds.length - NAMED
  return `${runIds.slice(0, NAMED).map(shortId).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

function todoOf(code: string): string {
  return code === KILLS_PROCESS ? REGISTRY[KILLS_PROCESS].todo : REGISTRY.RUN_QUARANTINED.todo
}

export function runFindings({ undriven, quarantined }: RunsSeen): readonly Finding[] {
  const driven: Finding =
    undriven.length === 0
      ? { name: 'runs', health: 'well', says: 'every run with open work has a driver' }
      : {
          name: 'runs',
          health: 'warning',
          says: `nobody drives ${plural(undriven.length, 'run')}: ${named(undriven)}`,
          todo: '`keelson resume` continues them.',
        }
  const [first] = quarantined
  if (first === undefined) return [driven]
  const says = `${plural(quarantined.length, 'run')} set aside: ${named(quarantined.map(({ runId }) => runId))} (${[...new Set(quarantined.map(({ code }) => code))].join(', ')})`
  const todos = new Set(quarantined.map(({ code }) => todoOf(code)))
  return [driven, { name: 'quarantine', health: 'bad', says, todo: [...todos].join(' ') }]
}
