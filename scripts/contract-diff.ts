/**
 * `node scripts/contract-diff.ts`: what changed in the contracts since they were released, and whether their versions say so. With
 * `--release` the contracts of today become the released ones, under the versions of `compat-tests/versions.json`.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CONTRACTS, FOLDER, judge, releasedOf, versions } from './contracts/contracts.ts'
import { requireNode, ROOT } from './terminal.ts'

const tell = (line: string): void => void process.stdout.write(`${line}\n`)

function release(): void {
  for (const { name, current } of CONTRACTS) {
    const folder = join(ROOT, FOLDER, name)
    mkdirSync(folder, { recursive: true })
    const released = { version: versions()[name] ?? '1.0.0', contract: current() }
    writeFileSync(join(folder, 'released.json'), `${JSON.stringify(released, undefined, 1)}\n`)
    tell(`${name} ${released.version} is the released one`)
  }
}

function compare(): boolean {
  const verdicts = CONTRACTS.map((contract) =>
    judge(contract, releasedOf(contract), contract.current(), versions()[contract.name] ?? ''),
  )
  for (const { name, released, version, changes, problems } of verdicts) {
    tell(`${problems.length === 0 ? '✔' : '✖'} ${name} ${released} → ${version}`)
    for (const { level, at, what } of changes) tell(`  ${level.padEnd(5)} ${at}: ${what}`)
    for (const problem of problems) tell(`  ${problem}`)
  }
  return verdicts.every(({ problems }) => problems.length === 0)
}

requireNode()
if (process.argv.includes('--release')) release()
else process.exitCode = compare() ? 0 : 1
