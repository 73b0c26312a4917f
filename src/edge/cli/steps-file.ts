/**
 * Step functions from a file of the user's: `keelson.steps.ts` (or .mts, .js, .mjs) beside the plan, else in the current
 * folder, else the one named. Its default export or its named exports are functions; nested objects give dotted names.
 */
import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { namedFunctions } from '../../core/plan/named-functions.ts'
import { fail, KeelsonError, problem } from '../../core/problems/problem.ts'
import type { StepFunctions } from '../../main.ts'

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
  try {
    return (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>
  } catch (thrown) {
    const told = problem('STEPS_NOT_LOADED', `${relative('.', path)} cannot be loaded: ${reason(thrown)}`)
    throw new KeelsonError([told], { cause: thrown })
  } finally {
    process.emitWarning = emitWarning
  }
}

function hasCode(options: unknown, code: string): boolean {
  return typeof options === 'object' && options !== null && 'code' in options && options.code === code
}

function reason(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message.split('\n')[0] ?? ''}` : String(thrown)
}
