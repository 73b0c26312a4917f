/**
 * Lets each planted fault be looked for in a process of its own, two at a time. Caught is only what was reported as a
 * violation or as a failed test; a copy that does not run, or does not come to an end, proves nothing.
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Catcher, Mutant } from './mutant.ts'
import { inSandbox, requireFits } from './sandbox.ts'

export interface Verdict {
  readonly name: string
  readonly file: string
  readonly caught: boolean
  /** The first violation or failed test, or why there is none. */
  readonly by: string
  readonly ms: number
}

/** Most are caught within the first ten histories; only a survivor costs them all. */
const USUAL: Catcher = { kind: 'sim', histories: 1500, crashPlans: 4 }
const SEED = 1
const PATIENCE_MS = 240_000
const AT_ONCE = 2

/** The answers in the order of the list. */
export async function huntAll(mutants: readonly Mutant[]): Promise<readonly Verdict[]> {
  requireFits(mutants)
  const verdicts: Verdict[] = []
  let next = 0
  const work = async (): Promise<void> => {
    for (let index = next++; index < mutants.length; index = next++) {
      const mutant = mutants[index]
      if (mutant !== undefined) verdicts[index] = await hunt(mutant)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return verdicts
}

/** What is reported of a copy in which nothing was planted; it must be nothing. */
export async function control(mutants: readonly Mutant[]): Promise<string | undefined> {
  const tests = mutants.flatMap(({ catcher }) => (catcher?.kind === 'test' ? [catcher.file] : []))
  const catchers: readonly Catcher[] = [
    { kind: 'sim', histories: 150, crashPlans: 1 },
    ...[...new Set(tests)].map((file) => ({ kind: 'test', file }) as const),
  ]
  const seen = await Promise.all(catchers.map((catcher) => inSandbox(undefined, (folder) => look(folder, catcher))))
  return seen.find((one) => one !== undefined)
}

async function hunt(mutant: Mutant): Promise<Verdict> {
  const began = performance.now()
  const seen = await inSandbox(mutant, (folder) => look(folder, mutant.catcher ?? USUAL))
  const ms = Math.round(performance.now() - began)
  const by = seen ?? 'nothing was noticed'
  return { name: mutant.name, file: mutant.file, caught: seen !== undefined, by, ms }
}

/** The first thing the catcher found wrong with the copy. */
function look(folder: string, catcher: Catcher): Promise<string | undefined> {
  return catcher.kind === 'sim' ? simulate(folder, catcher) : runTest(folder, catcher.file)
}

async function simulate(
  folder: string,
  { histories, seed = SEED, crashPlans = 0 }: Extract<Catcher, { kind: 'sim' }>,
): Promise<string | undefined> {
  const numbers = { seed, histories, 'crash-plans': crashPlans, failures: 1 }
  const args = Object.entries(numbers).flatMap(([name, value]) => [`--${name}`, String(value)])
  const { out, err } = await run(folder, 'test/sim/cli.ts', ['--json', '--no-shrink', ...args])
  const report = parsed(out, err) as { readonly failing: readonly { readonly violations: readonly string[] }[] }
  const [seen] = report.failing.flatMap(({ violations }) => violations)
  if (seen !== undefined && /\b(Reference|Syntax|Type)Error\b/.test(seen))
    throw new Error(`the planted copy is no program: ${seen}`)
  return seen
}

async function runTest(folder: string, file: string): Promise<string | undefined> {
  const reportPath = join(folder, 'report.json')
  const args = ['run', '--reporter=json', `--outputFile.json=${reportPath}`, file]
  const { err } = await run(folder, 'node_modules/vitest/vitest.mjs', args)
  const report = parsed(existsSync(reportPath) ? readFileSync(reportPath, 'utf8') : '', err) as {
    readonly testResults: readonly {
      readonly assertionResults: readonly { readonly status: string; readonly title: string }[]
    }[]
  }
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults)
  if (tests.length === 0) throw new Error(`${file} does not run in the planted copy`)
  const failed = tests.find(({ status }) => status === 'failed')
  return failed === undefined ? undefined : `${file}: ${failed.title}`
}

function parsed(report: string, err: string): unknown {
  try {
    return JSON.parse(report) as unknown
  } catch {
    throw new Error(`the planted copy does not run:\n${err.slice(0, 2000)}`)
  }
}

async function run(
  folder: string,
  script: string,
  args: readonly string[],
): Promise<{ readonly out: string; readonly err: string }> {
  // Inside a test run the runner's own variables would make a runner started from it believe it is a worker.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')))
  const child = spawn(process.execPath, [join(folder, script), ...args], { cwd: folder, env })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  clearTimeout(timer)
  if (code === null) throw new Error(`${script} did not come to an end in the planted copy`)
  return { out, err }
}
