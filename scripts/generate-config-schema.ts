/** Writes schemas/config.schema.json. With `--check` it writes nothing and fails when it is stale. */
import { configSchema } from '../src/core/config/config-schema.ts'
import { staleFiles, writeFiles } from './generated-file.ts'

const isCheck = process.argv.includes('--check')
const files = [{ path: 'schemas/config.schema.json', text: `${JSON.stringify(configSchema(), undefined, 2)}\n` }]
const touched = (isCheck ? staleFiles : writeFiles)(files)
if (isCheck && touched.length > 0) {
  process.stderr.write(`stale, run \`npm run docs\`:\n${touched.map((path) => `  ${path}`).join('\n')}\n`)
  process.exitCode = 1
}
