/** The engines of a process as they are shown, with the runs of one tenant that are in flight on each. */
import { ADAPTERS } from '../../../core/engine/capabilities.ts'
import { engineTypeOf, isOutside } from '../../../core/engine/engine-type.ts'
import type { Keelson } from '../../../library/keelson/keelson.ts'
import { partsOf } from '../../../library/services-of.ts'

/** Of the duty that drives runs. */
interface Readiness {
  readonly ok: boolean
  readonly why?: string
}

const IN_FLIGHT = ['RUNNING', 'PAUSED'] as const

export async function enginesOf(keelson: Keelson, state: Readiness | undefined): Promise<readonly object[]> {
  const { engine, drives = true } = partsOf(keelson)
  const { standard, open } = engine.types
  const counts = await inFlight(keelson, open)
  const shown: object[] = []
  for (const type of open) {
    const { capabilities, maxInFlight, limits } = ADAPTERS[type]
    const without = isOutside(type) && type === standard ? await engine.queueWithoutWorker() : undefined
    const isReady = state?.ok === true && without === undefined
    const why = state?.why ?? (without === undefined ? undefined : 'ENGINE_NOT_OPEN')
    shown.push({
      engine: type,
      isStandard: type === standard,
      drives,
      ready: isReady,
      ...(why === undefined ? {} : { why }),
      capabilities,
      maxInFlight,
      ...(limits === undefined ? {} : { limits }),
      runsInFlight: counts.get(type) ?? 0,
    })
  }
  return shown
}

/** Where there is one engine it has them all; otherwise each run says which. */
async function inFlight(keelson: Keelson, open: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const [only, ...more] = open
  if (only !== undefined && more.length === 0) {
    const byStatus = await keelson.counts()
    return new Map([[only, IN_FLIGHT.reduce((sum, status) => sum + (byStatus.get(status) ?? 0), 0)]])
  }
  const counts = new Map<string, number>()
  for await (const { engineType } of keelson.runs({ status: IN_FLIGHT })) {
    const type = engineTypeOf(engineType)
    counts.set(type, (counts.get(type) ?? 0) + 1)
  }
  return counts
}
