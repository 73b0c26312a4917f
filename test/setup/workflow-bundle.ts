/**
 * The workflow code that Temporal's workers run is bundled once for all test files, not once in each of their processes: webpack takes
 * seconds for it. It is kept by what it is made of. The command, and `test/golden/temporal-replay.test.ts`, bundle by themselves.
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { WorkflowBundleWithSourceMap } from '@temporalio/worker'

interface Bundler {
  readonly workflowsPath: string
  createBundle(): Promise<WorkflowBundleWithSourceMap>
}

const ROOT = join(import.meta.dirname, '..', '..')
const CACHE = join(ROOT, '.cache', 'temporal')
const SANDBOX = 'src/adapters/engines/temporal/sandbox'
/** All that the bundle is made of. */
const SOURCES = [
  `${SANDBOX}/*.ts`,
  'src/core/limits.ts',
  'node_modules/@temporalio/*/package.json',
  'node_modules/{webpack,@swc/core}/package.json',
]

let isKept = false

/** From now on in this process. */
export function keepWorkflowBundle(): void {
  if (isKept) return
  isKept = true
  const { WorkflowCodeBundler } = createRequire(import.meta.url)('@temporalio/worker/lib/workflow/bundler.js') as {
    readonly WorkflowCodeBundler: { readonly prototype: Bundler }
  }
  const bundler = WorkflowCodeBundler.prototype
  const bundled = bundler.createBundle
  bundler.createBundle = async function (this: Bundler) {
    if (this.workflowsPath !== join(ROOT, SANDBOX, 'generic-workflow.ts')) return bundled.call(this)
    const path = join(CACHE, `bundle-${sourcesHash()}.json`)
    if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as WorkflowBundleWithSourceMap
    const made = await bundled.call(this)
    mkdirSync(CACHE, { recursive: true })
    writeFileSync(`${path}.${process.pid}`, JSON.stringify(made))
    renameSync(`${path}.${process.pid}`, path)
    return made
  }
}

function sourcesHash(): string {
  const hash = createHash('sha256')
  for (const path of globSync(SOURCES, { cwd: ROOT }).sort())
    hash
      .update(path)
      .update('\0')
      .update(readFileSync(join(ROOT, path)))
      .update('\0')
  return hash.digest('hex').slice(0, 16)
}
