/**
 * Schemathesis, which reads our OpenAPI document and tries the server with it; nobody here wrote it. It is looked for in
 * KEELSON_SCHEMATHESIS_BIN and in the cache, then installed by pip into an environment of its own in the cache, at one version. In CI a
 * missing one fails; elsewhere it is said loudly.
 */
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runChild, startChild } from '../fixtures/child.ts'

const VERSION = '4.32.0'
const CACHE = join(import.meta.dirname, '..', '..', '.cache', `schemathesis-${VERSION}`)
const SCRIPTS = process.platform === 'win32' ? 'Scripts' : 'bin'
const PYTHON = process.platform === 'win32' ? 'python' : 'python3'
const PROGRAM = join(CACHE, 'environment', SCRIPTS, 'schemathesis')

export interface Trial {
  readonly url: string
  readonly bearer: string
  readonly seed: number
  /** For each operation. */
  readonly examples: number
  /** Operations that are tried, by id. */
  readonly operations: readonly string[]
  /** Values that parameters always have, such as `path.executionId`. */
  readonly values: Readonly<Record<string, string>>
  readonly checks: readonly string[]
  readonly phases: readonly string[]
  /** Where its files go. */
  readonly folder: string
}

export interface Tried {
  readonly code: number
  readonly output: string
  readonly requests: number
}

/** Undefined where it cannot be had, outside CI. */
export async function trySchema(trial: Trial): Promise<Tried | undefined> {
  const program = findProgram()
  if (program === undefined) return missing()
  const config = join(trial.folder, 'schemathesis.toml')
  writeFileSync(config, configOf(trial))
  const report = join(trial.folder, 'requests.har')
  const child = startChild(program, argumentsOf(trial, config, report), {
    cwd: trial.folder,
    env: { ...process.env, NO_COLOR: '1', HTTP_PROXY: '', HTTPS_PROXY: '', NO_PROXY: '*' },
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code: code ?? -1, output, requests: requestsIn(report) }
}

function argumentsOf(trial: Trial, config: string, report: string): readonly string[] {
  const given: Readonly<Record<string, string>> = {
    seed: String(trial.seed),
    'max-examples': String(trial.examples),
    checks: trial.checks.join(','),
    phases: trial.phases.join(','),
    'include-operation-id-regex': `^(${trial.operations.join('|')})$`,
    header: `Authorization: Bearer ${trial.bearer}`,
    'request-timeout': '60',
    'report-har-path': report,
  }
  const options = Object.entries(given).flatMap(([name, value]) => [`--${name}`, value])
  return ['--config-file', config, 'run', `${trial.url}/openapi.json`, '--continue-on-failure', ...options]
}

function configOf({ values }: Trial): string {
  const rows = Object.entries(values).map(([name, value]) => `${JSON.stringify(name)} = ${JSON.stringify(value)}`)
  const parameters = rows.length === 0 ? '' : `[parameters]\n${rows.join('\n')}\n`
  return `${parameters}[checks.negative_data_rejection]\nexpected-statuses = ${JSON.stringify(REFUSED)}\n`
}

/** Beside its own list: too many bytes are refused before anybody looks at what they mean. */
const REFUSED = [
  '400',
  '401',
  '403',
  '404',
  '405',
  '406',
  '409',
  '413',
  '414',
  '415',
  '422',
  '428',
  '429',
  '431',
  '5xx',
]

function requestsIn(report: string): number {
  if (!existsSync(report)) return 0
  const { log } = JSON.parse(readFileSync(report, 'utf8')) as { readonly log: { readonly entries: readonly unknown[] } }
  return log.entries.length
}

function findProgram(): string | undefined {
  const given = process.env['KEELSON_SCHEMATHESIS_BIN']
  if (given !== undefined && given !== '') {
    if (!existsSync(given)) throw new Error(`KEELSON_SCHEMATHESIS_BIN names ${given}, which is not there`)
    return given
  }
  return existsSync(PROGRAM) ? PROGRAM : install()
}

function install(): string | undefined {
  mkdirSync(CACHE, { recursive: true })
  const environment = join(CACHE, 'environment')
  runChild(PYTHON, ['-m', 'venv', environment])
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `schemathesis==${VERSION}`]
  runChild(join(environment, SCRIPTS, PYTHON), pip, { cwd: CACHE })
  return existsSync(PROGRAM) ? PROGRAM : undefined
}

function missing(): undefined {
  const line = `schemathesis ${VERSION} is not in the cache and could not be installed (no Python?): the server is NOT tried with its own document.`
  process.stderr.write(`\n*** ${line} Name its program in KEELSON_SCHEMATHESIS_BIN. ***\n\n`)
  if (process.env['CI'] === 'true') throw new Error(line)
  return undefined
}
