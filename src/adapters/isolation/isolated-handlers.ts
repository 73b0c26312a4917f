/**
 * Runs functions of a steps module outside this process where their step asks for it; everything else goes to the other
 * handlers. Without the file of the functions isolation is impossible, and that is reported before a run starts.
 */
import { pathToFileURL } from 'node:url'
import type { Isolation } from '../../core/plan/plan.ts'
import type { StartHost } from '../../ports/isolation.ts'
import type { StepHandlers } from '../../ports/step-handlers.ts'
import type { Timers } from '../../ports/timers.ts'
import { callIsolated } from './isolated-call.ts'

export interface IsolationOptions {
  /** Path of the file with the step functions; absent when none was named. */
  readonly module?: string
  readonly hosts: Readonly<Record<Exclude<Isolation, 'inline'>, StartHost>>
  readonly timers: Timers
}

const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
const ENTRY = new URL(`./entry.${EXTENSION}`, import.meta.url)

export function isolatedHandlers(inner: StepHandlers, { module, hosts, timers }: IsolationOptions): StepHandlers {
  const file = module === undefined ? undefined : pathToFileURL(module).href
  return {
    ...inner,
    isolates: file !== undefined,
    missing: (action) => {
      const apart = 'run' in action && 'isolation' in action && action.isolation !== 'inline'
      return apart && file === undefined ? [`${action.isolation} isolation of '${action.run}'`] : inner.missing(action)
    },
    call: (call) => {
      const { action, isolation = 'inline' } = call
      if (isolation === 'inline' || !('run' in action) || file === undefined) return inner.call(call)
      return callIsolated({ start: hosts[isolation], entry: ENTRY, module: file, name: action.run, call, timers })
    },
  }
}
