/**
 * Redocly's linter of OpenAPI documents, which nobody here wrote. It is looked for in KEELSON_REDOCLY_BIN and in the cache, then
 * installed into the cache by npm, at one version. In CI a missing one fails; elsewhere it is said loudly.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runChild } from '../fixtures/child.ts'

const VERSION = '2.73.0'
const CACHE = join(import.meta.dirname, '..', '..', '.cache', `redocly-${VERSION}`)
const PROGRAM = join(CACHE, 'node_modules', '@redocly', 'cli', 'bin', 'cli.js')

export interface Lint {
  readonly errors: number
  readonly warnings: number
  /** What it found, each as `rule at place`. */
  readonly found: readonly string[]
}

/** Undefined where it cannot be had, outside CI. */
export function lintOpenApi(file: string): Lint | undefined {
  const program = findProgram()
  if (program === undefined) return missing()
  // In a folder without a configuration of its own: its recommended rules and no others.
  const args = [program, 'lint', '--extends=recommended', '--format=json', '--max-problems=1000', file]
  const { stdout, stderr } = runChild(process.execPath, args, {
    cwd: CACHE,
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  })
  if (!stdout.startsWith('{')) throw new Error(`redocly did not lint:\n${stdout}${stderr}`)
  return readLint(JSON.parse(stdout))
}

interface Told {
  readonly totals: { readonly errors: number; readonly warnings: number }
  readonly problems: readonly {
    readonly ruleId: string
    readonly message: string
    readonly location: readonly { readonly pointer?: string }[]
  }[]
}

function readLint(told: unknown): Lint {
  const { totals, problems } = told as Told
  const found = problems.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer ?? 'nowhere'})`,
  )
  return { errors: totals.errors, warnings: totals.warnings, found }
}

function findProgram(): string | undefined {
  const given = process.env['KEELSON_REDOCLY_BIN']
  if (given !== undefined && given !== '') {
    if (!existsSync(given)) throw new Error(`KEELSON_REDOCLY_BIN names ${given}, which is not there`)
    mkdirSync(CACHE, { recursive: true })
    return given
  }
  return existsSync(PROGRAM) ? PROGRAM : install()
}

function install(): string | undefined {
  mkdirSync(CACHE, { recursive: true })
  writeFileSync(
    join(CACHE, 'package.json'),
    JSON.stringify({ private: true, dependencies: { '@redocly/cli': VERSION } }),
  )
  const args = ['install', '--prefix', CACHE, '--ignore-scripts', '--no-audit', '--no-fund']
  runChild('npm', args, { cwd: CACHE, shell: process.platform === 'win32' })
  return existsSync(PROGRAM) ? PROGRAM : undefined
}

function missing(): undefined {
  const line = `@redocly/cli ${VERSION} is not in the cache and could not be installed: the OpenAPI document is NOT linted.`
  process.stderr.write(`\n*** ${line} Name its program in KEELSON_REDOCLY_BIN. ***\n\n`)
  if (process.env['CI'] === 'true') throw new Error(line)
  return undefined
}
