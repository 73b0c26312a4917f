/**
 * `keelson worker`: carries out the steps of runs on an outside engine until it is asked to stop, then lets what it has
 * begun come to its end for a while and gives the rest back.
 */
import { once } from 'node:events'
import type { Call } from '../command.ts'
import { chosenEngine } from '../engine-choice.ts'
import { EXIT } from '../exit-codes.ts'
import { outside } from '../outside.ts'
import { fail } from '../../../core/problems/problem.ts'
import { openOrCreate } from '../session.ts'
import { findStepsFile, loadSteps } from '../steps-file.ts'

export async function worker({ options, terminal }: Call): Promise<number> {
  const { engine } = await chosenEngine(options)
  if (typeof engine !== 'object') fail('USAGE', 'a worker needs an outside engine: --engine temporal')
  const steps = await loadSteps(findStepsFile(options.text('steps'), ['.']))
  const keelson = await openOrCreate(options, {
    engine,
    steps: steps.functions,
    ...(steps.path === undefined ? {} : { stepsModule: steps.path }),
    ...outside(options, undefined),
  })
  try {
    await keelson.ready()
    const names = Object.keys(steps.functions)
    if (options.json) terminal.json({ worker: 'ready', handlers: names })
    else {
      terminal.line(`worker ready   ${terminal.paint.dim(`${names.length} step functions, process ${process.pid}`)}`)
      terminal.line(`  stop       Ctrl-C or SIGTERM: what it has begun may end, the rest goes to others`)
    }
    const signal = await Promise.race([asked('SIGINT'), asked('SIGTERM')])
    if (!options.json) terminal.line(`${signal}: stopping …`)
  } finally {
    await keelson.close()
  }
  if (options.json) terminal.json({ worker: 'stopped' })
  return EXIT.completed
}

async function asked(signal: NodeJS.Signals): Promise<NodeJS.Signals> {
  await once(process, signal)
  return signal
}
