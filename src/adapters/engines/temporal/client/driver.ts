/**
 * The Temporal SDK, loaded when an engine is opened and not before: whoever does not use Temporal need not have it. Its
 * own log lines are held back; what matters of them comes through the engine's problems.
 */
import type * as Activity from '@temporalio/activity'
import type * as Client from '@temporalio/client'
import type * as Common from '@temporalio/common'
import type * as Worker from '@temporalio/worker'
import { fail } from '../../../../core/problems/problem.ts'

export interface TemporalSdk {
  readonly activity: typeof Activity
  readonly client: typeof Client
  readonly common: typeof Common
  readonly worker: typeof Worker
}

let loaded: Promise<TemporalSdk> | undefined

export function loadSdk(): Promise<TemporalSdk> {
  loaded ??= load()
  return loaded
}

async function load(): Promise<TemporalSdk> {
  try {
    const [activity, client, common, worker] = await Promise.all([
      import('@temporalio/activity'),
      import('@temporalio/client'),
      import('@temporalio/common'),
      import('@temporalio/worker'),
    ])
    quiet(worker)
    return { activity, client, common, worker }
  } catch (error) {
    loaded = undefined
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error
    const packages = ['activity', 'client', 'common', 'worker', 'workflow'].map((name) => `@temporalio/${name}`)
    return fail('ENGINE_DRIVER_MISSING', 'The Temporal engine needs the Temporal SDK, which is not installed.', {
      hint: `Install it beside keelson: npm install ${packages.join(' ')}`,
    })
  }
}

/** Once per process; a program that has installed a runtime of its own keeps it. */
function quiet({ Runtime, DefaultLogger, makeTelemetryFilterString }: typeof Worker): void {
  try {
    Runtime.install({
      logger: new DefaultLogger('ERROR', () => undefined),
      telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } },
      shutdownSignals: [],
    })
  } catch {
    // The program's own runtime stands.
  }
}
