/**
 * `npm run bench:before-after -- <checkout>`: this checkout beside another one of Keelson (say, a worktree of an earlier
 * commit, installed and built), lap by lap in turn on SQLite and PostgreSQL, so that a noisy machine hurts both alike.
 * What counts is the median of the ratios of the rounds: 1.00 is as before, more is better. `--rounds n`, `--for ms`.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { ROOT } from '../../../scripts/terminal.ts'
import { startPostgres, type PostgresServer } from '../../setup/postgres.ts'
import { FIGURES } from './figures.ts'
import type { ContenderName, Lap, LapOptions } from './lap.ts'

const CONTENDERS: readonly ContenderName[] = ['keelson-sqlite', 'keelson-postgres']
const OUTPUT_MAX = 64 * 1024 * 1024

interface Pair {
  readonly before: Lap
  readonly after: Lap
}

async function lapOf(checkout: string, options: Omit<LapOptions, 'place'>, server: PostgresServer): Promise<Lap> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-before-after-'))
  const place = options.contender.endsWith('postgres') ? await server.createDatabase(nextDatabase()) : folder
  const lap = join(checkout, 'test', 'bench', 'race', 'lap.ts')
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [lap, JSON.stringify({ ...options, place })], {
      cwd: folder,
      maxBuffer: OUTPUT_MAX,
    })
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Lap
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

let databases = 0
const nextDatabase = (): string => `before_after_${(databases += 1)}`

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function linesOf(contender: ContenderName, pairs: readonly Pair[]): string {
  const lines = FIGURES.map(({ name, unit, better, of }) => {
    const ratios = pairs.map(({ before, after }) =>
      better === 'more' ? of(after) / of(before) : of(before) / of(after),
    )
    const [before, after] = [median(pairs.map((one) => of(one.before))), median(pairs.map((one) => of(one.after)))]
    const told = `${before.toFixed(2)} → ${after.toFixed(2)} ${unit}`
    return `  ${name.padEnd(36)} ${told.padEnd(34)} ratio ${median(ratios).toFixed(3)}`
  })
  return `${contender}\n${lines.join('\n')}\n`
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { rounds: { type: 'string', default: '5' }, for: { type: 'string', default: '2000' } },
  })
  const [other] = positionals
  if (other === undefined) throw new Error('name the checkout to compare with')
  const server = await startPostgres()
  try {
    for (const contender of CONTENDERS) {
      const pairs: Pair[] = []
      for (let round = 0; round < Number(values.rounds); round += 1) {
        process.stderr.write(`${contender}: round ${round + 1} of ${values.rounds}\n`)
        const options = { contender, forMs: Number(values.for) }
        const own = () => lapOf(ROOT, options, server)
        const others = () => lapOf(resolve(other), options, server)
        // Whoever comes second may find the disk busy because of the first.
        if (round % 2 === 0) pairs.push({ before: await others(), after: await own() })
        else {
          const after = await own()
          pairs.push({ before: await others(), after })
        }
      }
      process.stdout.write(linesOf(contender, pairs))
    }
  } finally {
    await server.stop()
  }
}

await main()
