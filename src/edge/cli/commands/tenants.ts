/** `keelson tenants`: whose keys a server takes. A deleted tenant keeps its runs, and nobody can ask in its name any more. */
import { fail } from '../../../core/problems/problem.ts'
import { isoFromMs } from '../../../core/time.ts'
import { servicesOf } from '../../../library/services-of.ts'
import type { Tenant } from '../../../ports/api-keys.ts'
import { openToLook } from '../open/look.ts'
import { openExisting } from '../open/session.ts'
import { configOf } from '../serve/config.ts'
import type { Call } from '../terminal/command.ts'
import { confirm } from '../terminal/confirm.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { printTable } from '../terminal/table.ts'

export async function listTenants({ options, terminal }: Call): Promise<number> {
  const store = await openToLook(configOf(options).place)
  try {
    const tenants = await store.listTenants()
    if (options.json) for (const tenant of tenants) terminal.json(shownTenant(tenant))
    else if (tenants.length === 0) terminal.line('no key was made for a tenant yet')
    else
      printTable(
        terminal,
        ['TENANT', 'SINCE', ''],
        tenants.map(({ tenantId, createdAt, deletedAt }) => [
          tenantId,
          isoFromMs(createdAt),
          deletedAt === undefined ? '' : `deleted ${isoFromMs(deletedAt)}`,
        ]),
      )
    return EXIT.completed
  } finally {
    await store.close()
  }
}

function shownTenant({ tenantId, createdAt, deletedAt }: Tenant): object {
  return {
    tenantId,
    createdAt: isoFromMs(createdAt),
    ...(deletedAt === undefined ? {} : { deletedAt: isoFromMs(deletedAt) }),
  }
}

export async function deleteTenant({ args, options, terminal }: Call): Promise<number> {
  const [tenantId = ''] = args
  const keelson = await openExisting(configOf(options).place)
  try {
    const { store } = servicesOf(keelson)
    const known = await store.findTenant(tenantId)
    if (known === undefined || known.deletedAt !== undefined)
      fail('TENANT_NOT_FOUND', `there is no tenant '${tenantId}' here`)
    if (!(await confirm(`Refuse everybody of ${tenantId} from now on?`, options, terminal))) {
      terminal.line('nothing was deleted')
      return EXIT.completed
    }
    const deletedAt = Date.now()
    await store.deleteTenant(tenantId, deletedAt)
    if (options.json) terminal.json({ tenantId, deletedAt: isoFromMs(deletedAt) })
    else terminal.line(`${tenantId} is deleted: its keys are refused, its runs stay`)
    return EXIT.completed
  } finally {
    await keelson.close()
  }
}
