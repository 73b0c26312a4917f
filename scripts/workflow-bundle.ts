/**
 * Makes the workflow code for Temporal's workers ready in a build, from the files that the build has just written. It names no place of
 * this machine, and two builds of one source are equal.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'
import { readyMadeName } from '../src/adapters/engines/temporal/worker/workflow-bundle.ts'

/** Workers refuse code without a source map. A real one is half a megabyte of what nobody reads: the sandbox takes no stack traces. */
const MAP = { version: 3, file: 'workflow-bundle.js', sources: [], names: [], mappings: '' }

export async function bundleWorkflow(dist: string): Promise<void> {
  const sandbox = join(dist, 'adapters', 'engines', 'temporal', 'sandbox')
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(sandbox, 'generic-workflow.js'),
    preloadModules: [join(sandbox, 'no-stack-traces.js')],
    logger: new DefaultLogger('ERROR', () => undefined),
    webpackConfigHook: (config) => ({ ...config, context: dist, devtool: false }),
  })
  const map = Buffer.from(JSON.stringify(MAP)).toString('base64')
  writeFileSync(
    join(sandbox, readyMadeName()),
    `${code}\n//# sourceMappingURL=data:application/json;charset=utf-8;base64,${map}`,
  )
}
