/**
 * Step functions from a user's file: `keelson.steps.ts` (or .mts, .js, .mjs) beside the plan, else in the current
 * folder, else the named one. Which of its exports are functions of plans: `named-functions.ts`.
 */
import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { LIMITS } from '../../../core/limits.ts'
import { namedFunctions } from '../../../core/plan/compile/named-functions.ts'
import { fail, KeelsonError, problem } from '../../../core/problems/problem.ts'
import { inWords } from '../../../core/problems/stray-error.ts'
import type { StepFunctions } from '../../../main.ts'
import { doAs } from '../terminal/at-work.ts'
import { whenLoopRunsEmpty } from '../terminal/empty-loop.ts'
import { causeOf } from './load-cause.ts'
import { placeOfSyntaxError } from './load-failure.ts'

export const STEPS_NAMES = ['keelson.steps.ts', 'keelson.steps.mts', 'keelson.steps.js', 'keelson.steps.mjs']

/** What is known of a steps file, loaded or only scanned. */
export interface KnownSteps {
  /** Absent when there is none: a plan of waits and manual tasks needs none. */
  readonly path?: string
  readonly names: readonly string[]
  mayHave(name: string): boolean
}

export interface StepsFile extends KnownSteps {
  readonly functions: StepFunctions
}

export function findStepsFile(explicit: string | undefined, folders: readonly string[]): string | undefined {
  if (explicit !== undefined) {
    return existsSync(explicit) ? resolve(explicit) : fail('FILE_NOT_FOUND', `${explicit} does not exist`)
  }
  const places = folders.flatMap((folder) => STEPS_NAMES.map((name) => resolve(join(folder, name))))
  return places.find((place) => existsSync(place))
}

export const NO_STEPS: StepsFile = { functions: {}, names: [], mayHave: () => false }

/** `version`: another text than the last time loads the file anew; what the file imports stays as it was loaded. */
export async function loadSteps(path: string | undefined, version?: string): Promise<StepsFile> {
  if (path === undefined) return NO_STEPS
  const functions = namedFunctions(await importQuietly(path, version)) as StepFunctions
  return { path, functions, names: Object.keys(functions), mayHave: (name) => Object.hasOwn(functions, name) }
}

async function importQuietly(path: string, version?: string): Promise<Readonly<Record<string, unknown>>> {
  const emitWarning = process.emitWarning.bind(process)
  // Newcomers often have no package.json; Node's advice about the module type is not for them.
  process.emitWarning = (warning: string | Error, ...rest: readonly unknown[]) => {
    if (rest.includes('MODULE_TYPELESS_PACKAGE_JSON') || hasCode(rest[0], 'MODULE_TYPELESS_PACKAGE_JSON')) return
    Reflect.apply(emitWarning, process, [warning, ...rest])
  }
  // A file that ends the process while it loads would do so at every resume, whatever else there is to do.
  const exit = process.exit.bind(process)
  process.exit = (code) => {
    throw new Error(`it calls process.exit(${code ?? ''})`)
  }
  const file = relative('.', path)
  try {
    return await doAs({ name: `the loading of ${file}` }, () => settled(import(addressOf(path, version))))
  } catch (thrown) {
    throw notLoaded(file, path, thrown)
  } finally {
    process.emitWarning = emitWarning
    process.exit = exit
  }
}

function addressOf(path: string, version: string | undefined): string {
  const { href } = pathToFileURL(path)
  return version === undefined ? href : `${href}?v=${encodeURIComponent(version)}`
}

function notLoaded(file: string, path: string, thrown: unknown): KeelsonError {
  const root = rootOf(thrown)
  const at = placeOfSyntaxError(root, path)
  const cause = causeOf(root, path)
  const message = `${file} cannot be loaded: ${cause?.message ?? inWords(root)}`
  const told = problem('STEPS_NOT_LOADED', message, {
    ...(at === undefined ? {} : { at }),
    ...(cause === undefined ? {} : { hint: cause.hint }),
  })
  return new KeelsonError([told], { cause: thrown })
}

/** An import waits for the file's own awaits, which may never end. */
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

/** The original error, also of an uncaught one. */
function rootOf(thrown: unknown): unknown {
  return thrown instanceof KeelsonError && thrown.code === 'STRAY_ERROR' ? thrown.cause : thrown
}

function hasCode(options: unknown, code: string): boolean {
  return typeof options === 'object' && options !== null && 'code' in options && options.code === code
}
