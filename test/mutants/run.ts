/**
 * Lets each planted fault be looked for in a process of its own, two at a time. Caught is only what was reported as a
 * violation or as a failed test; a copy that does not run, or does not come to an end, proves nothing.
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Mutant } from './mutant.ts'
import { inSandbox, requireFits, type Sandbox } from './sandbox.ts'

export interface Verdict {
  readonly name: string
  readonly file: string
  readonly caught: boolean
  /** The first violation or failed test, or why there is none. */
  readonly by: string
  readonly ms: number
}

/** Most are caught within the first ten histories; only a survivor, and the control, cost them all. */
const SEED = 1
export const HISTORIES = 300
const CRASH_PLANS = 4
const PATIENCE_MS = 300_000
const AT_ONCE = 2

/** The answers in the order of the list. */
export async function huntAll(mutants: readonly Mutant[]): Promise<readonly Verdict[]> {
  requireFits(mutants)
  const verdicts: Verdict[] = []
  let next = 0
  const work = async (sandbox: Sandbox): Promise<void> => {
    for (let index = next++; index < mutants.length; index = next++) {
      const mutant = mutants[index]
      if (mutant !== undefined) verdicts[index] = await hunt(sandbox, mutant)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, () => inSandbox(work)))
  return verdicts
}

/** What is reported of a copy in which nothing was planted; it must be nothing. */
export async function control(mutants: readonly Mutant[], histories = HISTORIES): Promise<string | undefined> {
  const files = new Set(mutants.flatMap(({ catcher }) => catcher ?? []))
  return inSandbox(async ({ folder }) => {
    const simulated = simulate(folder, histories)
    const tested = files.size === 0 ? undefined : runTests(folder, [...files])
    return (await simulated) ?? (await tested)
  })
}

async function hunt({ folder, withFault }: Sandbox, mutant: Mutant): Promise<Verdict> {
  const began = performance.now()
  const { catcher } = mutant
  const seen = await withFault(mutant, () => (catcher === undefined ? simulate(folder) : runTests(folder, [catcher])))
  const ms = Math.round(performance.now() - began)
  const by = seen ?? 'nothing was noticed'
  return { name: mutant.name, file: mutant.file, caught: seen !== undefined, by, ms }
}

/** The first violation the simulator met. */
async function simulate(folder: string, histories = HISTORIES): Promise<string | undefined> {
  const numbers = { seed: SEED, histories, 'crash-plans': CRASH_PLANS, failures: 1 }
  const args = Object.entries(numbers).flatMap(([name, value]) => [`--${name}`, String(value)])
  const { out, err } = await run(folder, 'test/sim/cli.ts', ['--json', '--no-shrink', ...args])
  const report = parsed(out, err) as { readonly failing: readonly { readonly violations: readonly string[] }[] }
  const [seen] = report.failing.flatMap(({ violations }) => violations)
  if (seen !== undefined && /\b(Reference|Syntax|Type)Error\b/.test(seen))
    throw new Error(`the planted copy is no program: ${seen}`)
  return seen
}

/** The first test that failed. */
async function runTests(folder: string, files: readonly string[]): Promise<string | undefined> {
  const reportPath = join(folder, 'report.json')
  rmSync(reportPath, { force: true })
  // What the runner keeps of a copy goes with the copy: in node_modules, which is the repository's, it would never be found again.
  const kept = `--fsModuleCachePath=${join(folder, '.transformed')}`
  const args = ['run', '--bail=1', '--reporter=json', `--outputFile.json=${reportPath}`, kept, ...files]
  const { err } = await run(folder, 'node_modules/vitest/vitest.mjs', args)
  const report = parsed(existsSync(reportPath) ? readFileSync(reportPath, 'utf8') : '', err) as {
    readonly testResults: readonly {
      readonly assertionResults: readonly { readonly status: string; readonly title: string }[]
    }[]
  }
  const results = report.testResults.map(({ assertionResults }) => assertionResults)
  if (results.length < files.length || results.some((tests) => tests.length === 0))
    throw new Error(`${files.join(', ')} cannot be run in the copy:\n${err.slice(0, 2000)}`)
  const failed = results.flat().find(({ status }) => status === 'failed')
  return failed === undefined ? undefined : `${files.length === 1 ? files[0] : 'a test'}: ${failed.title}`
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
  const outer = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'))
  const env = { ...Object.fromEntries(outer), NODE_COMPILE_CACHE: join(folder, '.compiled') }
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
