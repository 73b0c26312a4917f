/**
 * `keelson worker`: executes the steps of runs on an outside engine until it is asked to stop; then it lets started
 * steps end for a while and returns the rest.
 */
import { once } from 'node:events'
import { LOCAL_PRINCIPAL } from '../../../app/principal.ts'
import type { Call } from '../terminal/command.ts'
import { chosenEngine } from '../open/engine-choice.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { outside } from '../open/outside.ts'
import { fail } from '../../../core/problems/problem.ts'
import { placeName } from '../files/place.ts'
import { openOrCreate } from '../open/session.ts'
import { findStepsFile, loadSteps } from '../files/steps-file.ts'

export async function worker({ options, terminal }: Call): Promise<number> {
  const { engine } = await chosenEngine(options)
  if (typeof engine !== 'object' || !('capabilities' in engine))
    return fail('USAGE', 'a worker needs an outside engine: --engine temporal')
  const steps = await loadSteps(findStepsFile(options.text('steps'), ['.']))
  const keelson = await openOrCreate(options, {
    engine,
    steps: steps.functions,
    ...(steps.path === undefined ? {} : { stepsModule: steps.path }),
    ...outside(options, undefined),
  })
  try {
    await keelson.connect()
    const names = Object.keys(steps.functions)
    const own = engine.capabilities.taskQueue?.(LOCAL_PRINCIPAL) ?? ''
    const queues = [own, ...options.list('stepQueue')]
    if (options.json) terminal.json({ worker: 'ready', handlers: names, queues, pid: process.pid })
    else {
      const { bold, dim } = terminal.paint
      terminal.line(`${bold('worker ready')}   ${dim(`process ${process.pid}, runs in ${placeName(options)}`)}`)
      terminal.line(`  listens on ${queues.join(', ')}`)
      terminal.line(`  can do     ${names.length === 0 ? 'http, command and manual steps' : names.join(', ')}`)
      terminal.line(`  stop       Ctrl-C or SIGTERM: what it has begun may end, the rest goes to others`)
    }
    const signal = await stopAsked()
    if (!options.json) terminal.line(`${signal}: what is at work may end; again stops at once`)
  } finally {
    await keelson.close()
  }
  if (options.json) terminal.json({ worker: 'stopped' })
  else terminal.line('worker stopped')
  return EXIT.completed
}

/** Once: a second request ends the process as usual, and Temporal gives its steps to others. */
async function stopAsked(): Promise<string> {
  const done = new AbortController()
  const { signal } = done
  try {
    const waits = (['SIGINT', 'SIGTERM'] as const).map(async (name) => (await once(process, name, { signal }), name))
    return await Promise.race(waits)
  } finally {
    done.abort()
  }
}
