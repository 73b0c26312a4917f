/**
 * What `keelson doctor` checks where runs are stored on a PostgreSQL server: does it answer, does it keep what it
 * acknowledges, do we have more rights than we need, do the clocks agree, and is there a run without a driver.
 */
import { LOCAL_PRINCIPAL } from '../../../app/principal.ts'
import { KeelsonError } from '../../../core/problems/problem.ts'
import { REGISTRY } from '../../../core/problems/registry.ts'
import { openServerStore } from '../../../compose/open-store.ts'
import { guardFinding, type Finding } from './finding.ts'
import { runFindings } from './checkup-runs.ts'
import { duration, plural } from '../terminal/format.ts'
import { placeName, storeUrl, type Place } from '../files/place.ts'

type ServerStore = Awaited<ReturnType<typeof openServerStore>>

/** Two synchronised machines differ by less than this. */
const SKEW_MS = 2_000
const LOOKED_AT = 500

export async function serverFindings(place: Place): Promise<readonly Finding[]> {
  let store: ServerStore
  try {
    store = await openServerStore(storeUrl(place) ?? '', { mustExist: true })
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError)) throw thrown
    const { message } = thrown
    const says = `${thrown.code}  ${message}`
    return [{ name: 'database', health: 'bad', says, todo: REGISTRY[thrown.code].todo }]
  }
  try {
    const faults = (await store.faults()).filter(({ kind }) => kind === 'schema')
    return [
      await databaseFinding(store, place),
      guardFinding(faults.map(({ where, what }) => `${where} ${what}`)),
      await roleFinding(store),
      await clockFinding(store),
      ...(await storedRuns(store)),
    ]
  } finally {
    await store.close()
  }
}

async function databaseFinding(store: ServerStore, place: Place): Promise<Finding> {
  const counts = await store.countRuns(LOCAL_PRINCIPAL.tenantId)
  const runs = [...counts.values()].reduce((sum, count) => sum + count, 0)
  // Opening refuses a server that may lose what it acknowledged.
  return { name: 'database', health: 'well', says: `${placeName(place)}, durable, ${plural(runs, 'run')}` }
}

/** The owner of the tables can disable everything that protects the log. */
async function roleFinding(store: ServerStore): Promise<Finding> {
  const { login, isOwner, tenants } = await store.standing()
  const name = 'role'
  if (!isOwner) {
    const serves = tenants === undefined ? 'all tenants' : `the tenant ${tenants.join(', ')}`
    return { name, health: 'well', says: `${login} may not change the log; it serves ${serves}` }
  }
  const says = `${login} owns the tables, or is a superuser: it could change the log and switch off its guards`
  const todo = 'Make roles with `keelson store init --roles --runner <login>`, and connect as that login.'
  return { name, health: 'warning', says, todo }
}

async function clockFinding(store: ServerStore): Promise<Finding> {
  const asked = Date.now()
  const there = await store.now()
  const here = (asked + Date.now()) / 2
  const apart = Math.round(Math.abs(there - here))
  const says = `${duration(apart)} from the server's`
  if (apart <= SKEW_MS) return { name: 'clock', health: 'well', says }
  return {
    name: 'clock',
    health: 'warning',
    says,
    todo: "Set both clocks by NTP. The server's is the one that counts, but times shown here are ours.",
  }
}

async function storedRuns(store: ServerStore): Promise<readonly Finding[]> {
  const { tenantId } = LOCAL_PRINCIPAL
  const due = await store.dueRuns(Date.now(), 'doctor', LOOKED_AT)
  const live = await store.listRuns(tenantId, { status: ['RUNNING', 'PAUSED'] }, { limit: LOOKED_AT })
  const quarantined = live.runs.flatMap(({ runId, quarantine }) =>
    quarantine === undefined ? [] : [{ runId, code: quarantine }],
  )
  return runFindings({ undriven: due.filter(({ owed }) => owed === true).map(({ runId }) => runId), quarantined })
}
