/**
 * Writes schemas/plan.schema.json and docs/reference/plan.md. With `--check` it writes nothing and fails when one is
 * stale.
 */
import { staleFiles, writeFiles } from './generated-file.ts'
import { planFiles } from './plan-reference.ts'

const isCheck = process.argv.includes('--check')
const touched = (isCheck ? staleFiles : writeFiles)(planFiles())
if (isCheck && touched.length > 0) {
  process.stderr.write(`stale, run \`npm run docs\`:\n${touched.map((path) => `  ${path}`).join('\n')}\n`)
  process.exitCode = 1
}
