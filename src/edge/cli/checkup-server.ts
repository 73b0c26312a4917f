/**
 * What `keelson doctor` looks at where runs are kept on a PostgreSQL server: does it answer, does it keep what it
 * acknowledges, do its clock and ours agree, and is there a run that nobody drives.
 */
import { LOCAL_PRINCIPAL } from '../../app/principal.ts'
import { KeelsonError } from '../../core/problems/problem.ts'
import { REGISTRY } from '../../core/problems/registry.ts'
import { openServerStore } from '../../open-store.ts'
import type { Finding } from './finding.ts'
import { runFindings } from './checkup-runs.ts'
import { duration, plural } from './output/format.ts'
import { placeName, storeUrl, type Place } from './place.ts'

type ServerStore = Awaited<ReturnType<typeof openServerStore>>

/** Two machines that keep time are closer than this. */
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
    return [await databaseFinding(store, place), await clockFinding(store), ...(await storedRuns(store))]
  } finally {
    await store.close()
  }
}

async function databaseFinding(store: ServerStore, place: Place): Promise<Finding> {
  const counts = await store.countRuns(LOCAL_PRINCIPAL.tenantId)
  const runs = [...counts.values()].reduce((sum, count) => sum + count, 0)
  // A server that may lose what it acknowledged is refused when it is opened.
  return { name: 'database', health: 'well', says: `${placeName(place)}, durable, ${plural(runs, 'run')}` }
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
