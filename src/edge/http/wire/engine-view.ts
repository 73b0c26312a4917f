/** The engines of a process as they are shown, with the runs of one tenant that are in flight on each. */
import type { AnswerOf } from '../../../core/api/contract.ts'
import type { listEngines } from '../../../core/api/operations.ts'
import { ADAPTERS } from '../../../core/engine/capabilities.ts'
import { engineTypeOf, isOutside, type EngineType } from '../../../core/engine/engine-type.ts'
import type { Keelson } from '../../../library/keelson/keelson.ts'
import { partsOf } from '../../../library/services-of.ts'

/** Of the duty that drives runs. */
interface Readiness {
  readonly ok: boolean
  readonly why?: string
}

export type ShownEngine = AnswerOf<typeof listEngines>['engines'][number]

const IN_FLIGHT = ['RUNNING', 'PAUSED'] as const

/** `each`: also engines that are not open here and have runs; every run in flight is looked at. */
export async function enginesOf(
  keelson: Keelson,
  state: Readiness | undefined,
  counting?: 'each',
): Promise<readonly ShownEngine[]> {
  const { engine, drives = true } = partsOf(keelson)
  const { standard, open } = engine.types
  const counts = await inFlight(keelson, open, counting)
  const shown: ShownEngine[] = []
  for (const type of new Set([...open, ...counts.keys()])) {
    const { capabilities, maxInFlight, limits } = ADAPTERS[type]
    const without = isOutside(type) && type === standard ? await engine.queueWithoutWorker() : undefined
    const isOpen = open.includes(type) && without === undefined
    const why = state?.why ?? (isOpen ? undefined : 'ENGINE_NOT_OPEN')
    shown.push({
      engine: type,
      isStandard: type === standard,
      drives,
      ready: state?.ok === true && isOpen,
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
async function inFlight(
  keelson: Keelson,
  open: readonly EngineType[],
  counting: 'each' | undefined,
): Promise<ReadonlyMap<EngineType, number>> {
  const [only, ...more] = open
  if (counting === undefined && only !== undefined && more.length === 0) {
    const byStatus = await keelson.counts()
    return new Map([[only, IN_FLIGHT.reduce((sum, status) => sum + (byStatus.get(status) ?? 0), 0)]])
  }
  const counts = new Map<EngineType, number>()
  for await (const { engineType } of keelson.runs({ status: IN_FLIGHT })) {
    const type = engineTypeOf(engineType)
    counts.set(type, (counts.get(type) ?? 0) + 1)
  }
  return counts
}
