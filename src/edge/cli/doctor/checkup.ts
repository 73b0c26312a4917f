/**
 * What `keelson doctor` checks, one finding each: the fact, whether it is good, and what to do if not. The checks
 * change, create and repair nothing.
 */
import { accessSync, constants, existsSync, readdirSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { STORE_FILE } from '../../../core/state-folder.ts'
import { shownSubscriber } from '../../../core/feed/subscriber.ts'
import { DEFAULT_FOLDER } from '../../../core/state-folder.ts'
import { KeelsonError } from '../../../core/problems/problem.ts'
import { REGISTRY } from '../../../core/problems/registry.ts'
import { examineFolder, type DatabaseReport } from '../../../compose/open-store.ts'
import { fileFindings } from './checkup-files.ts'
import { guardFinding, type Finding } from './finding.ts'
import { projectFindings } from './checkup-project.ts'
import { runFindings } from './checkup-runs.ts'
import { duration, plural } from '../terminal/format.ts'
import type { Place } from '../files/place.ts'

const LOST_TODO = 'Check whether it was moved, or restore a backup: `keelson restore <file>`.'
const FLOOR = [22, 19] as const
const MB = 1024 * 1024
const DISK_BAD = 50 * MB
const DISK_LOW = 500 * MB
const WAL_LONG = 64 * MB
/** Clocks of two processes may differ slightly; more means that a clock was set. */
const SKEW_MS = 5_000

export async function checkup(place: Place, now: number): Promise<readonly Finding[]> {
  const { dir: directory, store } = place
  const here = existsSync(directory)
  return [
    nodeFinding(),
    folderFinding(directory, here),
    diskFinding(nearest(directory)),
    ...fileFindings(directory),
    ...(store === undefined ? folderDatabase(directory, now) : await serverDatabase(place)),
    ...keyFindings(place),
    ...(await projectFindings(directory)),
    driverFinding(),
    ...(await outsideEngine()),
  ]
}

/** A user who names a Temporal server wants to know whether it answers. */
async function outsideEngine(): Promise<readonly Finding[]> {
  if ((process.env['TEMPORAL_ADDRESS'] ?? '') === '') return []
  const { temporalFinding } = await import('./checkup-temporal.ts')
  return [await temporalFinding()]
}

/** Loaded only here: a folder has no server. */
async function serverDatabase(place: Place): Promise<readonly Finding[]> {
  const { serverFindings } = await import('./checkup-server.ts')
  return serverFindings(place)
}

function folderDatabase(directory: string, now: number): readonly Finding[] {
  const database = join(directory, STORE_FILE)
  if (existsSync(database)) return databaseFindings(directory, now)
  // Where it has been, its absence is no beginning.
  const left = ['receipts', 'sources', 'keys'].filter((name) => existsSync(join(directory, name)))
  if (left.length > 0) {
    const says = `STORE_NOT_FOUND  there is no ${database}, and ${left.join(', ')} beside it show that there was one`
    return [{ name: 'database', health: 'bad', says, todo: LOST_TODO }]
  }
  const says = `none yet; \`keelson run\` makes ${database}`
  if (directory === DEFAULT_FOLDER) return [{ name: 'database', health: 'well', says }]
  return [{ name: 'database', health: 'warning', says, todo: 'Check whether --dir names the right folder.' }]
}

function nodeFinding(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const old = major < FLOOR[0] || (major === FLOOR[0] && minor < FLOOR[1])
  return {
    name: 'node',
    health: old ? 'bad' : 'well',
    says: `Node ${process.versions.node}${old ? `, older than ${FLOOR.join('.')}` : ''}`,
    ...(old ? { todo: REGISTRY.NODE_TOO_OLD.todo } : {}),
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** The folder, or the nearest existing folder above it. */
function nearest(directory: string): string {
  let place = resolve(directory)
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place)
  return place
}

function folderFinding(directory: string, here: boolean): Finding {
  const place = nearest(directory)
  const says = here ? directory : `${directory} does not exist yet`
  if (isWritable(place)) return { name: 'state folder', health: 'well', says }
  const todo = 'Give the user that runs Keelson the right to write there, or name another folder with --dir.'
  return { name: 'state folder', health: 'bad', says: `${here ? directory : place} cannot be written`, todo }
}

function diskFinding(place: string): Finding {
  const { bavail, bsize } = statfsSync(place)
  const free = bavail * bsize
  const health = free < DISK_BAD ? 'bad' : free < DISK_LOW ? 'warning' : 'well'
  const todo = 'Free some space, or `keelson archive` old runs to another disk with --to.'
  return { name: 'disk', health, says: `${bytesText(free)} free`, ...(health === 'well' ? {} : { todo }) }
}

function bytesText(bytes: number): string {
  if (bytes < MB) return `${Math.ceil(bytes / 1024)} KB`
  return bytes < 1024 * MB ? `${Math.round(bytes / MB)} MB` : `${(bytes / 1024 / MB).toFixed(1)} GB`
}

function databaseFindings(directory: string, now: number): readonly Finding[] {
  let report: DatabaseReport
  try {
    report = examineFolder(directory)
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError)) throw thrown
    const [problem] = thrown.problems
    const todo = REGISTRY[problem?.code ?? 'STORE_UNAVAILABLE'].todo
    return [{ name: 'database', health: 'bad', says: `${problem?.code ?? ''}  ${problem?.message ?? ''}`, todo }]
  }
  return [
    integrityFinding(report),
    schemaFinding(report),
    guardFinding(report.schemaFaults),
    durabilityFinding(report),
    clockFinding(report, now),
    ...runFindings(report),
    ...report.subscribers.map(feedFinding),
  ]
}

function integrityFinding({ damage, fileBytes, runs }: DatabaseReport): Finding {
  const [first] = damage
  if (first === undefined)
    return { name: 'database', health: 'well', says: `whole, ${plural(runs, 'run')}, ${bytesText(fileBytes)}` }
  return { name: 'database', health: 'bad', says: `damaged: ${first}`, todo: REGISTRY.STORE_CORRUPT.todo }
}

function schemaFinding({ schemaVersion, knownSchema }: DatabaseReport): Finding {
  if (schemaVersion === knownSchema) return { name: 'schema', health: 'well', says: `version ${schemaVersion}` }
  const todo = 'Nothing: the next command that writes brings it up to date. Back it up before, if you like.'
  return { name: 'schema', health: 'warning', says: `version ${schemaVersion}, older than ${knownSchema}`, todo }
}

function durabilityFinding({ journalMode, walBytes }: DatabaseReport): Finding {
  if (journalMode !== 'wal')
    return {
      name: 'durability',
      health: 'bad',
      says: `journal_mode is ${journalMode}, not wal`,
      todo: REGISTRY.STORE_DURABILITY.todo,
    }
  const says = `write-ahead log, ${bytesText(walBytes)}`
  if (walBytes <= WAL_LONG) return { name: 'durability', health: 'well', says }
  const todo = 'A reader that never ends keeps it from being emptied: look for one, such as an open database browser.'
  return { name: 'durability', health: 'warning', says: `${says}: longer than it should be`, todo }
}

function clockFinding({ lastWriteAt }: DatabaseReport, now: number): Finding {
  if (lastWriteAt === undefined) return { name: 'clock', health: 'well', says: 'nothing was written yet' }
  if (lastWriteAt <= now + SKEW_MS)
    return { name: 'clock', health: 'well', says: `last write ${duration(Math.max(0, now - lastWriteAt))} ago` }
  const says = `the last write lies ${duration(lastWriteAt - now)} in the future`
  const todo =
    'The clock was set back, or another machine wrote with a wrong one. Correct the clock; until then, waits last longer.'
  return { name: 'clock', health: 'warning', says, todo }
}

function feedFinding({ subscriber, blocked, dead }: DatabaseReport['subscribers'][number]): Finding {
  const name = `feed ${shownSubscriber(subscriber)}`
  if (blocked === 0 && dead === 0) return { name, health: 'well', says: 'every delivery succeeded' }
  const says = `${plural(blocked, 'run')} wait because a delivery failed, ${plural(dead, 'dead letter')}`
  return {
    name,
    health: 'warning',
    says,
    todo: 'Look at what the subscriber answers; then deliver the dead letters again.',
  }
}

const SECRET_MODE = 0o077

/** Keys sign tasks and receipts: anybody who can read them can sign as Keelson, and nobody can without them. */
function keyFindings(place: Place): readonly Finding[] {
  const { dir, store, keys } = place
  if (store !== undefined && keys === undefined) {
    const says = 'no folder with keys is named: plans with manual steps are refused, and no receipts are signed'
    const todo = 'Name one folder that every machine has: --keys-dir or KEELSON_KEYS_DIR.'
    return [{ name: 'keys', health: 'warning', says, todo }]
  }
  const folder = keys ?? join(dir, 'keys')
  if (!existsSync(folder)) return missingKeys(folder, keys !== undefined || existsSync(join(dir, STORE_FILE)))
  const wrong: string[] = []
  let count = 0
  try {
    for (const name of readdirSync(folder)) {
      const file = join(folder, name)
      count += 1
      readFileSync(file)
      if (process.platform !== 'win32' && (statSync(file).mode & SECRET_MODE) !== 0) wrong.push(file)
    }
  } catch (thrown) {
    const says = `a key cannot be read (${(thrown as NodeJS.ErrnoException).code ?? 'unknown'})`
    return [{ name: 'keys', health: 'bad', says, todo: `Let the user that runs Keelson read ${folder}.` }]
  }
  if (wrong.length === 0)
    return [{ name: 'keys', health: 'well', says: `${plural(count, 'key')}, readable by you alone` }]
  return [
    { name: 'keys', health: 'bad', says: `others can read ${wrong.join(', ')}`, todo: `chmod 600 ${wrong.join(' ')}` },
  ]
}

function missingKeys(folder: string, areExpected: boolean): readonly Finding[] {
  if (!areExpected) return []
  const says = `there is no ${folder}: tasks and receipts that were signed before cannot be checked`
  const todo = 'Put the folder back from a backup. Where there never was one, the next run makes new keys.'
  return [{ name: 'keys', health: 'warning', says, todo }]
}

function driverFinding(): Finding {
  const says = (what: string): Finding => ({ name: 'postgres', health: 'well', says: what })
  try {
    import.meta.resolve('pg')
    return says('the driver (pg) is installed')
  } catch {
    return says('the driver (pg) is not installed; only a PostgreSQL store needs it')
  }
}
