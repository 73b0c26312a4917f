/**
 * `npm run check` is what CI is: format, lint, types, the page's and the core's own types, dead code, generated files, tests.
 * Every stage runs even when one before it failed, so that one run tells everything.
 */
import { join } from 'node:path'
import { binaryOf, requireNode, ROOT, runNode, seconds } from './terminal.ts'

interface Stage {
  readonly name: string
  readonly script: string
  readonly args: readonly string[]
  /** Shows its output as it runs instead of only on failure. */
  readonly live?: true
}

const STAGES: readonly Stage[] = [
  { name: 'format', script: binaryOf('prettier'), args: ['--check', '--log-level', 'warn', '.'] },
  { name: 'lint', script: binaryOf('oxlint'), args: [] },
  { name: 'types', script: binaryOf('typescript', 'tsc'), args: ['--noEmit', '-p', '.'] },
  { name: 'types of the page', script: binaryOf('typescript', 'tsc'), args: ['--noEmit', '-p', 'web'] },
  { name: 'types of the core alone', script: binaryOf('typescript', 'tsc'), args: ['--noEmit', '-p', 'src/core'] },
  { name: 'dead code', script: binaryOf('knip'), args: ['--no-progress', '--no-config-hints'] },
  { name: 'generated files', script: join(ROOT, 'scripts', 'docs.ts'), args: ['--check'] },
  { name: 'tests', script: join(ROOT, 'scripts', 'test.ts'), args: [], live: true },
]

async function runStage(stage: Stage): Promise<boolean> {
  const began = performance.now()
  if (stage.live) process.stdout.write(`… ${stage.name}\n`)
  const { code, output } = await runNode(stage.script, stage.args, stage.live === true)
  if (code !== 0 && output !== '') process.stdout.write(`${output.trimEnd()}\n`)
  process.stdout.write(`${code === 0 ? '✔' : '✖'} ${stage.name}  ${seconds(began)}\n`)
  return code === 0
}

async function check(only: readonly string[]): Promise<number> {
  const failed: string[] = []
  for (const stage of STAGES) {
    if (only.length > 0 && !only.includes(stage.name)) continue
    if (!(await runStage(stage))) failed.push(stage.name)
  }
  process.stdout.write(failed.length === 0 ? 'all checks passed\n' : `failed: ${failed.join(', ')}\n`)
  return failed.length === 0 ? 0 : 1
}

requireNode()
process.exitCode = await check(process.argv.slice(2))
