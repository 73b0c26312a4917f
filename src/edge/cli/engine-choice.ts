/** Which engine a command drives runs with. */
import { didYouMean } from '../../core/plan/reading.ts'
import { fail } from '../../core/problems/problem.ts'
import type { OpenOptions } from '../../main.ts'
import type { Options } from './command.ts'

const ENGINES = ['embedded', 'mock', 'temporal'] as const

/** The engine of `--engine`; Temporal's SDK is loaded by nobody else. */
export async function chosenEngine(options: Options): Promise<Pick<OpenOptions, 'engine'>> {
  const name = options.text('engine')
  if (name === undefined) return {}
  const engine = ENGINES.find((one) => one === name)
  if (engine === 'temporal') return { engine: await temporalOf(options) }
  if (engine !== undefined) return { engine }
  return fail(
    'ENGINE_UNKNOWN',
    `'${name}' is not an engine; there are ${ENGINES.join(', ')}`,
    didYouMean(name, ENGINES),
  )
}

async function temporalOf(options: Options): Promise<NonNullable<OpenOptions['engine']>> {
  const { temporalEngine } = await import('../../temporal-engine.ts')
  return temporalEngine({
    address: options.text('address'),
    namespace: options.text('namespace'),
    taskQueue: options.text('taskQueue'),
    worker: options.flag('clientOnly') ? false : { queues: options.list('stepQueue') },
  })
}
