/**
 * Step functions from a file of the user's: `keelson.steps.ts` (or .mts, .js, .mjs) beside the plan, else in the current
 * folder, else the one named. Its default export or its named exports are functions; nested objects give dotted names.
 */
import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { LIMITS } from '../../core/limits.ts'
import { namedFunctions } from '../../core/plan/named-functions.ts'
import { fail, KeelsonError, problem } from '../../core/problems/problem.ts'
import { inWords } from '../../core/problems/stray-error.ts'
import type { StepFunctions } from '../../main.ts'
import { doAs } from './at-work.ts'
import { whenLoopRunsEmpty } from './empty-loop.ts'
import { placeOfSyntaxError } from './load-failure.ts'

export const STEPS_NAMES = ['keelson.steps.ts', 'keelson.steps.mts', 'keelson.steps.js', 'keelson.steps.mjs']

export interface StepsFile {
  /** Absent when there is none: a plan of waits and manual tasks needs none. */
  readonly path?: string
  readonly functions: StepFunctions
}

export function findStepsFile(explicit: string | undefined, folders: readonly string[]): string | undefined {
  if (explicit !== undefined) {
    return existsSync(explicit) ? resolve(explicit) : fail('FILE_NOT_FOUND', `${explicit} does not exist`)
  }
  const places = folders.flatMap((folder) => STEPS_NAMES.map((name) => resolve(join(folder, name))))
  return places.find((place) => existsSync(place))
}

export async function loadSteps(path: string | undefined): Promise<StepsFile> {
  if (path === undefined) return { functions: {} }
  const exported = await importQuietly(path)
  return { path, functions: namedFunctions(exported) as StepFunctions }
}

async function importQuietly(path: string): Promise<Readonly<Record<string, unknown>>> {
  const emitWarning = process.emitWarning.bind(process)
  // A folder without a package.json is where people begin; Node's advice about its module type is not for them.
  process.emitWarning = (warning: string | Error, ...rest: readonly unknown[]) => {
    if (rest.includes('MODULE_TYPELESS_PACKAGE_JSON') || hasCode(rest[0], 'MODULE_TYPELESS_PACKAGE_JSON')) return
    Reflect.apply(emitWarning, process, [warning, ...rest])
  }
  // A file that ends the process as it is loaded would do so at every resume, whatever else there is to do.
  const exit = process.exit.bind(process)
  process.exit = (code) => {
    throw new Error(`it calls process.exit(${code ?? ''})`)
  }
  const file = relative('.', path)
  try {
    return await doAs({ name: `the loading of ${file}` }, () => settled(import(pathToFileURL(path).href)))
  } catch (thrown) {
    const at = placeOfSyntaxError(rootOf(thrown), path)
    const message = `${file} cannot be loaded: ${inWords(rootOf(thrown))}`
    const told = problem('STEPS_NOT_LOADED', message, at === undefined ? {} : { at })
    throw new KeelsonError([told], { cause: thrown })
  } finally {
    process.emitWarning = emitWarning
    process.exit = exit
  }
}

/** An import waits for the file's own awaits, and nobody says that those come to an end. */
async function settled<T>(work: Promise<T>): Promise<T> {
  const never = Promise.withResolvers<never>()
  const stop = whenLoopRunsEmpty(() => never.reject(new Error('it awaits a promise that never settles')))
  const limit = setTimeout(() => {
    never.reject(new Error(`it still awaits something after ${LIMITS.stepsLoadMs / 1000} s`))
  }, LIMITS.stepsLoadMs)
  limit.unref()
  try {
    return await Promise.race([work, never.promise])
  } finally {
    clearTimeout(limit)
    stop()
  }
}

/** What was thrown, also where nobody could catch it. */
function rootOf(thrown: unknown): unknown {
  return thrown instanceof KeelsonError && thrown.code === 'STRAY_ERROR' ? thrown.cause : thrown
}

function hasCode(options: unknown, code: string): boolean {
  return typeof options === 'object' && options !== null && 'code' in options && options.code === code
}
