/** The handlers of a process: step functions, requests and programs, isolated where a plan asks for it, watched by the guard. */
import { unwrap } from '../core/result.ts'
import { openDoor } from '../adapters/egress/door.ts'
import type { LoopGuard } from '../adapters/guard/loop-guard.ts'
import type { NamedFunctions } from '../adapters/handlers/functions.ts'
import { stepHandlers } from '../adapters/handlers/step-handlers.ts'
import { isolatedHandlers } from '../adapters/isolation/isolated-handlers.ts'
import { threadHost } from '../adapters/isolation/thread-host.ts'
import { processHost } from '../adapters/processes/isolated-function.ts'
import { systemProcesses } from '../adapters/processes/run-command.ts'
import { letHeapsGrow } from '../adapters/system/small-heap.ts'
import { systemTimers } from '../adapters/system/timers.ts'
import type { Services } from '../app/services.ts'
import { egressPolicy } from '../core/egress/policy.ts'
import { namedFunctions } from '../core/plan/compile/named-functions.ts'
import type { StartHost } from '../ports/isolation.ts'
import type { StepHandlers } from '../ports/step-handlers.ts'
import type { EngineWorld } from './engine-world.ts'
import type { OpenOptions } from './open-options.ts'

/** A small heap is for the code of the engine; a function on a thread of its own has all the room it had. */
const growingThread: StartHost = (entry, events) => {
  letHeapsGrow()
  return threadHost(entry, events)
}

type HandlerOptions = Pick<OpenOptions, 'steps' | 'stepsModule' | 'egress' | 'commands'>

export function handlersOf({ steps = {}, stepsModule, egress = {}, commands = false }: HandlerOptions): StepHandlers {
  const policy = unwrap(egressPolicy(egress.allow ?? [], egress.only))
  const { silenceMs } = egress
  const door = openDoor({
    policy,
    timers: systemTimers,
    ...(silenceMs === undefined ? {} : { silenceMs }),
  })
  const cwd = typeof commands === 'object' ? commands.cwd : '.'
  const path = process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin'
  const processes = commands === false ? {} : { processes: systemProcesses({ cwd, path, timers: systemTimers }) }
  return isolatedHandlers(
    stepHandlers({ functions: namedFunctions(steps) as NamedFunctions, egress: door, ...processes }),
    {
      ...(stepsModule === undefined ? {} : { module: stepsModule }),
      hosts: { thread: growingThread, process: processHost },
      timers: systemTimers,
    },
  )
}

/** Step functions as they are called: inside the world of the engine, whoever runs the process around them, watched by the guard. */
export function calledBy(world: EngineWorld, guard: LoopGuard | undefined, options: OpenOptions): Services['handlers'] {
  const { around = (inner) => inner } = options
  const given = around(options.handlers ?? world.around(handlersOf(options)))
  return guard?.around(given) ?? given
}
