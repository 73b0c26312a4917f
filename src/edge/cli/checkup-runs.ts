/** What `keelson doctor` says of the runs themselves: whether one owes work and has no driver, or was set aside. */
import { REGISTRY } from '../../core/problems/registry.ts'
import type { Finding } from './finding.ts'
import { plural, shortId } from './output/format.ts'

interface RunsSeen {
  readonly undriven: readonly string[]
  readonly quarantined: readonly { readonly runId: string; readonly code: string }[]
}

const NAMED = 3

function named(runIds: readonly string[]): string {
  const rest = runIds.length - NAMED
  return `${runIds.slice(0, NAMED).map(shortId).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

export function runFindings({ undriven, quarantined }: RunsSeen): readonly Finding[] {
  const driven: Finding =
    undriven.length === 0
      ? { name: 'runs', health: 'well', says: 'none that owes work is without a driver' }
      : {
          name: 'runs',
          health: 'warning',
          says: `nobody drives ${plural(undriven.length, 'run')}: ${named(undriven)}`,
          todo: '`keelson resume` goes on with them.',
        }
  const [first] = quarantined
  if (first === undefined) return [driven]
  const says = `${plural(quarantined.length, 'run')} set aside: ${named(quarantined.map(({ runId }) => runId))} (${first.code})`
  return [driven, { name: 'quarantine', health: 'bad', says, todo: REGISTRY.RUN_QUARANTINED.todo }]
}
