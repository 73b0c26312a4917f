/** Which engine a command drives runs with. */
import { didYouMean } from '../../core/plan/reading.ts'
import { fail } from '../../core/problems/problem.ts'
import type { OpenOptions } from '../../main.ts'
import type { EngineFactory } from '../../ports/engine.ts'
import type { RunRow } from '../../ports/run-store.ts'
import type { Options } from './command.ts'

const ENGINES = ['embedded', 'mock', 'temporal'] as const

/** The engine of `--engine`; Temporal's SDK is loaded by nobody else. */
export async function chosenEngine(options: Options): Promise<Pick<OpenOptions, 'engine'>> {
  const name = options.text('engine')
  if (name === undefined) return {}
  const engine = ENGINES.find((one) => one === name)
  if (engine === 'temporal') return { engine: await temporalFor(options) }
  if (engine !== undefined) return { engine }
  return fail(
    'ENGINE_UNKNOWN',
    `'${name}' is not an engine; there are ${ENGINES.join(', ')}`,
    didYouMean(name, ENGINES),
  )
}

/** The engine that a run is on already, as far as it is not this machine's own. */
export async function engineOfRun({ engineType }: RunRow, options: Options): Promise<Pick<OpenOptions, 'engine'>> {
  return engineType === 'temporal' ? { engine: await temporalFor(options) } : {}
}

/**
 * Temporal beside the machine's own engine, where somebody said how to reach it: then a run there is woken at once by what
 * is sent to it. Otherwise its workers find that by themselves, within two seconds.
 */
export async function reachable(options: Options): Promise<Pick<OpenOptions, 'engines'>> {
  const address = options.text('address') ?? process.env['TEMPORAL_ADDRESS'] ?? ''
  return address === '' ? {} : { engines: [await temporalFor(options, false)] }
}

async function temporalFor(options: Options, worker = !options.flag('clientOnly')): Promise<EngineFactory> {
  const { temporalEngine } = await import('../../temporal-engine.ts')
  return temporalEngine({
    address: options.text('address'),
    namespace: options.text('namespace'),
    taskQueue: options.text('taskQueue'),
    worker: worker ? { queues: options.list('stepQueue') } : false,
  })
}
