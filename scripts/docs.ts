/**
 * `npm run docs`: writes everything that is generated (error pages, the spec page, the limits, schemas and their pages). With
 * `--check` it writes nothing and fails when something is stale.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ERROR_PAGES, errorPages } from './error-pages.ts'
import { staleFiles, writeFiles } from './generated-file.ts'
import { limitsPage } from './limits-page.ts'
import { specPage } from './spec-page.ts'
import { requireNode, ROOT, runNode } from './terminal.ts'

/** Generators that stand on their own; each takes `--check`. */
const OTHERS = [
  'generate-plan-schema.ts',
  'generate-event-schemas.ts',
  'generate-conformance-schema.ts',
  'generate-openapi.ts',
  'generate-config-schema.ts',
]

async function runOthers(args: readonly string[]): Promise<boolean> {
  let fine = true
  for (const name of OTHERS) {
    const script = join(ROOT, 'scripts', name)
    if (!existsSync(script)) continue
    const { code, output } = await runNode(script, args, false)
    if (code === 0) continue
    fine = false
    process.stderr.write(`${name}:\n${output.trimEnd()}\n`)
  }
  return fine
}

async function docs(check: boolean): Promise<number> {
  const act = check ? staleFiles : writeFiles
  const touched = [...act(errorPages(), ERROR_PAGES), ...act([specPage(), limitsPage()])]
  const fine = await runOthers(check ? ['--check'] : [])
  if (check && touched.length > 0) {
    process.stderr.write(`stale, run \`npm run docs\`:\n${touched.map((path) => `  ${path}`).join('\n')}\n`)
  }
  if (!check) process.stdout.write(`${touched.length} generated file${touched.length === 1 ? '' : 's'} changed\n`)
  return fine && (!check || touched.length === 0) ? 0 : 1
}

requireNode()
process.exitCode = await docs(process.argv.includes('--check'))
