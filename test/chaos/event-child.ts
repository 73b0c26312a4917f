/** Another process that sends events one after another: `<store> <path or url> <prefix> <count>`. */
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import { openSqliteStore } from '../../src/adapters/stores/sqlite/store.ts'

const [kind = '', place = '', prefix = '', count = '0'] = process.argv.slice(2)
const store =
  kind === 'sqlite'
    ? await openSqliteStore({ path: place, clock: { now: () => Date.now() }, lockMs: 30_000 })
    : await openPostgresStore({ connectionString: place })
const runOf = (at: number) => ({ tenantId: 'tenant-a', runId: `r${at}` })
process.stdout.write('ready\n')
for (let at = 0; at < Number(count); at += 1) {
  const event = { eventId: `${prefix}${at}`, name: 'e', key: `${prefix}${at}`, data: String(at), ttlMs: 60_000 }
  // As soon as the round before is open: then this one is opened at the same moment.
  for (let isOpen = at === 0; !isOpen;) isOpen = (await store.findRun(runOf(at - 1))) !== undefined
  await store.sendEvent({ tenantId: 'tenant-a', ...event })
}
await store.close()
