/**
 * Plants one fault in a copy of the sources and lets the simulator look for it in a process of its own. Caught is only
 * what the simulator reported as a violation; a copy that does not even run is a mistake in the catalogue.
 */
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Mutant } from './catalogue.ts'

const ROOT = join(import.meta.dirname, '..', '..')

export interface Hunt {
  readonly seed: number
  readonly histories: number
  readonly crashPlans: number
  readonly timeoutMs: number
}

export interface Verdict {
  readonly name: string
  readonly caught: boolean
  /** The first violation, or why there is none. */
  readonly by: string
  readonly ms: number
}

export function plantedText(source: string, { name, file, find, replace }: Mutant): string {
  const places = source.split(find).length - 1
  if (places !== 1) throw new Error(`'${name}' fits ${places} places in src/${file}, not one: ${find}`)
  return source.replace(find, () => replace)
}

/** Undefined plants nothing: the control that must come out clean. */
export async function hunt(mutant: Mutant | undefined, options: Hunt): Promise<Verdict> {
  const began = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'keelson-mutant-'))
  try {
    cpSync(join(ROOT, 'src'), join(folder, 'src'), { recursive: true })
    cpSync(join(ROOT, 'test', 'sim'), join(folder, 'test', 'sim'), { recursive: true })
    cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'))
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    if (mutant !== undefined) {
      const path = join(folder, 'src', mutant.file)
      writeFileSync(path, plantedText(readFileSync(path, 'utf8'), mutant))
    }
    const { caught, by } = await simulate(folder, options)
    return { name: mutant?.name ?? 'nothing planted', caught, by, ms: Math.round(performance.now() - began) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function simulate(folder: string, options: Hunt): Promise<{ caught: boolean; by: string }> {
  const numbers = { seed: options.seed, histories: options.histories, 'crash-plans': options.crashPlans, failures: 1 }
  const args = Object.entries(numbers).flatMap(([name, value]) => [`--${name}`, String(value)])
  const child = spawn(process.execPath, [join(folder, 'test', 'sim', 'cli.ts'), '--json', '--no-shrink', ...args], {
    cwd: folder,
  })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
  const timer = setTimeout(() => child.kill('SIGKILL'), options.timeoutMs)
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  clearTimeout(timer)
  // A world that never stands still is a violation of liveness that nobody is left to report.
  if (code === null) return { caught: true, by: 'the simulator did not come to an end' }
  let report: { readonly violations: number; readonly failing: readonly { readonly violations: readonly string[] }[] }
  try {
    report = JSON.parse(out) as typeof report
  } catch {
    throw new Error(`the planted copy does not run:\n${err.slice(0, 2000)}`)
  }
  return { caught: report.violations > 0, by: report.failing[0]?.violations[0] ?? 'nothing was noticed' }
}

/** At most `width` at once; the answers in the order of the list. */
export async function huntAll(
  mutants: readonly (Mutant | undefined)[],
  options: Hunt,
  width: number,
): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = []
  let next = 0
  const work = async (): Promise<void> => {
    for (let index = next++; index < mutants.length; index = next++)
      verdicts[index] = await hunt(mutants[index], options)
  }
  await Promise.all(Array.from({ length: width }, work))
  return verdicts
}
