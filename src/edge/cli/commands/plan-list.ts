/** `keelson plan list`: published plans with their newest version, or all versions of one, in the store or by asking its server. */
import { LOCAL_PRINCIPAL } from '../../../app/principal.ts'
import { appendAll } from '../../../core/collections/append-all.ts'
import { fail } from '../../../core/problems/problem.ts'
import { serverUrl } from '../files/place.ts'
import { openToLook } from '../open/look.ts'
import { needServer } from '../remote/server-client.ts'
import type { Call, Options } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { printTable } from '../terminal/table.ts'

interface Listed {
  readonly planId: string
  readonly planVersion: string
  readonly sha256: string
}

export async function planList({ args: [planId], options, terminal }: Call): Promise<number> {
  const found = serverUrl(options) === undefined ? await plansHere(options, planId) : await plansAfar(options, planId)
  if (options.json) for (const plan of found) terminal.json(plan)
  else if (found.length === 0) terminal.line('no plan is published here')
  else
    printTable(
      terminal,
      ['PLAN', 'VERSION', 'HASH'],
      found.map((one) => [one.planId, one.planVersion, one.sha256]),
    )
  return EXIT.completed
}

const PAGE = 1_000

async function plansHere(options: Options, planId: string | undefined): Promise<readonly Listed[]> {
  const store = await openToLook(options)
  const { tenantId } = LOCAL_PRINCIPAL
  try {
    if (planId !== undefined) {
      const versions = await store.listPlanVersions(tenantId, planId, PAGE)
      return versions.length > 0 ? versions : fail('PLAN_NOT_FOUND', `no plan ${planId} is published here`)
    }
    const found: Listed[] = []
    for (let page = await store.listPlans(tenantId, '', PAGE); ;) {
      appendAll(found, page)
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE) return found
      page = await store.listPlans(tenantId, last.planId, PAGE)
    }
  } finally {
    await store.close()
  }
}

async function plansAfar(options: Options, planId: string | undefined): Promise<readonly Listed[]> {
  const client = await needServer(options)
  if (planId !== undefined) return (await client.call('listPlanVersions', { params: { planId } })).versions
  const found: Listed[] = []
  for await (const one of client.plans()) found.push(one)
  return found
}
