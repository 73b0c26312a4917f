/**
 * The workflow code as Temporal's workers load it. A build of the package carries it ready-made, because bundling takes every process
 * that starts a worker two seconds. It is used only with the version of the SDK it was made with: half of it is the SDK's own code, which
 * must fit the SDK's worker. With another version, or from source, it is bundled here.
 */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { WorkflowBundleOption } from '@temporalio/worker'
import type { TemporalSdk } from '../client/driver.ts'

const SUFFIX = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
const inSandbox = (name: string): string => fileURLToPath(new URL(`../sandbox/${name}`, import.meta.url))

interface Manifest {
  readonly version: string
}

let bundle: Promise<WorkflowBundleOption> | undefined

/** Once per process: every worker runs the same few lines. */
export function workflowBundle({ worker }: Pick<TemporalSdk, 'worker'>): Promise<WorkflowBundleOption> {
  bundle ??= findOrBundle(worker)
  return bundle
}

async function findOrBundle({
  bundleWorkflowCode,
  DefaultLogger,
}: TemporalSdk['worker']): Promise<WorkflowBundleOption> {
  const codePath = inSandbox(readyMadeName())
  if (existsSync(codePath)) return { codePath }
  return bundleWorkflowCode({
    workflowsPath: inSandbox(`generic-workflow.${SUFFIX}`),
    preloadModules: [inSandbox(`no-stack-traces.${SUFFIX}`)],
    logger: new DefaultLogger('ERROR', () => undefined),
  })
}

/** Named after the packages that the code is made of and made for, as they are installed here. */
export function readyMadeName(): string {
  const require = createRequire(import.meta.url)
  const worker = require('@temporalio/worker/package.json') as Manifest
  const workflow = require('@temporalio/workflow/package.json') as Manifest
  return `workflow-bundle-${worker.version}-${workflow.version}.js`
}
