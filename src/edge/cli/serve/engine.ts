/** The engine of a server, as its settings say. Temporal's SDK is loaded only where it is asked for. */
import { SETTINGS, SETTING_NAMES, type Duty } from '../../../core/config/settings.ts'
import type { OpenOptions } from '../../../main.ts'
import type { Config } from './config.ts'

/** Steps have this long to end when the server stops, so that all of it ends in time. */
const STEPS_END_MS = 5_000

export async function engineOf(config: Config): Promise<Pick<OpenOptions, 'engine'>> {
  if (config.get('engine') !== 'temporal') return {}
  const drives = (config.get('duties') as readonly Duty[]).includes('engine')
  const { temporalEngine } = await import('../../../compose/temporal-engine.ts')
  const worker = drives && { queues: config.get('temporal.queues'), tenants: config.get('temporal.tenants') }
  return { engine: temporalEngine({ worker, shutdownGraceMs: STEPS_END_MS }, variablesOf(config)) }
}

/** Each setting under the variable that Temporal's own tools read it from. */
function variablesOf(config: Config): Readonly<Record<string, string>> {
  const names = SETTING_NAMES.filter((name) => name.startsWith('temporal.'))
  const given = names.map((name) => [SETTINGS[name].variable, config.given(name).value] as const)
  return Object.fromEntries(given.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])))
}
