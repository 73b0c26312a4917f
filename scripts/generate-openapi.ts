/**
 * Writes schemas/openapi.json and docs/reference/api.md, both made of the table of routes. With `--check` it writes nothing and fails
 * when one is stale.
 */
import { openApi } from '../src/core/api/openapi.ts'
import { apiPage } from './api-page.ts'
import { staleFiles, writeFiles } from './generated-file.ts'

const FILES = [{ path: 'schemas/openapi.json', text: `${JSON.stringify(openApi(), undefined, 2)}\n` }, apiPage()]

const isCheck = process.argv.includes('--check')
const touched = (isCheck ? staleFiles : writeFiles)(FILES)
if (isCheck && touched.length > 0) {
  process.stderr.write(`stale, run \`npm run docs\`:\n${touched.map((path) => `  ${path}`).join('\n')}\n`)
  process.exitCode = 1
}
