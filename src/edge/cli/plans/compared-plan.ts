/** What `keelson plan diff` compares: plan files, and published plans by their names, of this store or of a server. */
import { existsSync } from 'node:fs'
import type { Plan } from '../../../core/plan/plan.ts'
import { isPlanName, readPlanFile } from '../files/plan-file.ts'
import { databaseFile, serverUrl, storeUrl } from '../files/place.ts'
import { openExisting } from '../open/session.ts'
import { needServer } from '../remote/server-client.ts'
import type { Options } from '../terminal/command.ts'
import { parseName } from './plan-to-run.ts'

export interface ComparedPlan {
  readonly plan: Plan
  readonly sha256: string
  /** Plans within it, by their hashes. */
  readonly blocks: ReadonlyMap<string, Plan>
}

/** A file goes before a name: it is what the command was given. */
export async function comparedPlan(given: string, options: Options): Promise<ComparedPlan> {
  const isFile = existsSync(given) || !isPlanName(given)
  if (!isFile && serverUrl(options) !== undefined) return publishedAfar(given, options)
  const hasStore = storeUrl(options) !== undefined || existsSync(databaseFile(options))
  if (!isFile && hasStore) return publishedHere(given, options)
  const { plan, sha256, blocks = [] } = readPlanFile(given).compiled
  return { plan, sha256, blocks: new Map(blocks.map((one) => [one.sha256, one.plan])) }
}

async function publishedHere(given: string, options: Options): Promise<ComparedPlan> {
  const keelson = await openExisting(options, { readOnly: 'if-needed' })
  try {
    const { plan, sha256 } = await keelson.plans.get(parseName(given))
    return { plan, sha256, blocks: await blocksOf(plan, async (hash) => (await keelson.plans.byHash(hash)).plan) }
  } finally {
    await keelson.close()
  }
}

async function publishedAfar(given: string, options: Options): Promise<ComparedPlan> {
  const client = await needServer(options)
  const { planId, planVersion: version, sha256: pinned } = parseName(given)
  const query = {
    ...(version === undefined ? {} : { version }),
    ...(pinned === undefined ? {} : { sha256: pinned }),
  }
  const { plan, sha256 } = await client.call('getPlan', { params: { planId }, query })
  const blockOf = async (hash: string): Promise<Plan> =>
    (await client.call('getPlanByHash', { params: { sha256: hash } })).plan as unknown as Plan
  return { plan: plan as unknown as Plan, sha256, blocks: await blocksOf(plan as unknown as Plan, blockOf) }
}

async function blocksOf(plan: Plan, find: (sha256: string) => Promise<Plan>): Promise<ReadonlyMap<string, Plan>> {
  const found = new Map<string, Plan>()
  const open = [plan]
  for (let one = open.pop(); one !== undefined; one = open.pop())
    for (const step of one.steps) {
      const sha256 = 'plan' in step ? step.plan.sha256 : undefined
      if (sha256 === undefined || found.has(sha256)) continue
      const block = await find(sha256)
      found.set(sha256, block)
      open.push(block)
    }
  return found
}
