/**
 * Writes schemas/events and docs/reference/events.md. With `--check` it writes nothing and fails when one is stale.
 */
import { EVENT_SCHEMAS, eventFiles } from './event-pages.ts'
import { staleFiles, writeFiles } from './generated-file.ts'

const isCheck = process.argv.includes('--check')
const touched = (isCheck ? staleFiles : writeFiles)(eventFiles(), EVENT_SCHEMAS)
if (isCheck && touched.length > 0) {
  process.stderr.write(`stale, run \`npm run docs\`:\n${touched.map((path) => `  ${path}`).join('\n')}\n`)
  process.exitCode = 1
}
