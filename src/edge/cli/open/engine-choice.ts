/** Which engine a command drives runs with. */
import { didYouMean } from '../../../core/did-you-mean.ts'
import { fail } from '../../../core/problems/problem.ts'
import type { OpenOptions } from '../../../main.ts'
import type { EngineFactory } from '../../../ports/engine.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import type { Options } from '../terminal/command.ts'

const ENGINES = ['embedded', 'mock', 'temporal'] as const

/** The engine of `--engine`; only this loads Temporal's SDK. */
export async function chosenEngine(options: Options): Promise<Pick<OpenOptions, 'engine'>> {
  const engine = engineName(options)
  if (engine === undefined) return {}
  return { engine: engine === 'temporal' ? await temporalFor(options) : engine }
}

/** Its name alone; undefined where none is given. */
export function engineName(options: Options): (typeof ENGINES)[number] | undefined {
  const name = options.text('engine')
  const engine = ENGINES.find((one) => one === name)
  if (name === undefined || engine !== undefined) return engine
  return fail(
    'ENGINE_UNKNOWN',
    `'${name}' is not an engine; there are ${ENGINES.join(', ')}`,
    didYouMean(name, ENGINES),
  )
}

/** The current engine of a run, unless it is this machine's own. */
export async function engineOfRun({ engineType }: RunRow, options: Options): Promise<Pick<OpenOptions, 'engine'>> {
  return engineType === 'temporal' ? { engine: await temporalFor(options) } : {}
}

/**
 * Temporal beside the machine's own engine, where its address is given: then a signal wakes a run there at once.
 * Otherwise its workers find the signal by themselves, within two seconds.
 */
export async function reachable(options: Options): Promise<Pick<OpenOptions, 'engines'>> {
  return reachesTemporal(options) ? { engines: [await temporalFor(options, false)] } : {}
}

export function reachesTemporal(options: Options): boolean {
  return (options.text('address') ?? process.env['TEMPORAL_ADDRESS'] ?? '') !== ''
}

async function temporalFor(options: Options, worker = !options.flag('clientOnly')): Promise<EngineFactory> {
  const { temporalEngine } = await import('../../../compose/temporal-engine.ts')
  return temporalEngine({
    address: options.text('address'),
    namespace: options.text('namespace'),
    taskQueue: options.text('taskQueue'),
    worker: worker ? { queues: options.list('stepQueue') } : false,
  })
}
