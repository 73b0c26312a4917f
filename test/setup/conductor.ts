/**
 * A real Conductor server for benches, on a free port of loopback, with SQLite in a folder of its own. Its jar is looked for in
 * KEELSON_CONDUCTOR_JAR and in the cache, then obtained by Maven; Java 21 or newer in KEELSON_JAVA, JAVA_HOME and where Debian puts it.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ownPort } from './own-port.ts'

export interface ConductorServer {
  readonly url: string
  stop(): Promise<void>
}

const VERSION = '3.32.3'
const CACHE = join(import.meta.dirname, '..', '..', '.cache', 'conductor')
const JAR = join(CACHE, `conductor-server-${VERSION}-boot.jar`)
const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy'
const JAVA_LEAST = 21
const MACHINES = '/usr/lib/jvm'
const READY_MS = 180_000
const READY_STEP_MS = 500
const SETTINGS = [
  '--conductor.db.type=sqlite',
  '--conductor.queue.type=sqlite',
  '--conductor.indexing.type=sqlite',
  '--conductor.indexing.enabled=true',
  '--conductor.workflow-execution-lock.type=local_only',
  '--conductor.app.ownerEmailMandatory=false',
  '--conductor.integrations.ai.enabled=false',
  '--conductor.scheduler.enabled=false',
  '--conductor.app.systemTaskWorkerPollInterval=10ms',
  '--conductor.app.systemTaskQueuePopTimeout=0ms',
  '--conductor.app.systemTaskPostponeThreshold=100000',
  '--conductor.app.sweeperThreadCount=1',
  '--conductor.app.sweeper.queuePopTimeout=100',
  '--logging.level.root=WARN',
]

/** Throws with the reason where it cannot be had. */
export async function startConductor(): Promise<ConductorServer> {
  const java = javaProgram()
  const jar = conductorJar()
  const folder = mkdtempSync(join(tmpdir(), 'keelson-conductor-'))
  const port = await ownPort()
  const database = `jdbc:sqlite:${join(folder, 'c.db')}?busy_timeout=15000&journal_mode=WAL&synchronous=NORMAL`
  const own = [
    `--server.port=${port}`,
    '--server.address=127.0.0.1',
    ...SETTINGS,
    `--spring.datasource.url=${database}`,
  ]
  const options = ['--enable-native-access=ALL-UNNAMED', '-XX:+UseSerialGC', '-Xms512m', '-Xmx2g', '-jar', jar]
  const server = spawn(java, [...options, ...own], { cwd: folder, stdio: 'ignore' })
  const orphaned = (): void => void server.kill('SIGKILL')
  process.once('exit', orphaned)
  server.once('exit', () => process.removeListener('exit', orphaned))
  const url = `http://127.0.0.1:${port}`
  await ready(server, url)
  return {
    url,
    stop: async () => {
      const gone = once(server, 'exit')
      server.kill('SIGTERM')
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function ready(server: ChildProcess, url: string): Promise<void> {
  for (const deadline = Date.now() + READY_MS; ;) {
    if (server.exitCode !== null) throw new Error(`Conductor ended with code ${server.exitCode} before it was ready`)
    const health = await fetch(`${url}/health`).then(
      (answer) => answer.text(),
      () => '',
    )
    if (health.includes('"healthy":true')) return
    if (Date.now() > deadline) {
      server.kill('SIGKILL')
      throw new Error(`Conductor was not healthy within ${READY_MS} ms`)
    }
    await pause(READY_STEP_MS)
  }
}

function conductorJar(): string {
  const given = process.env['KEELSON_CONDUCTOR_JAR'] ?? ''
  if (given !== '' && !existsSync(given)) throw new Error(`KEELSON_CONDUCTOR_JAR names ${given}, which is not there`)
  if (given !== '') return given
  if (existsSync(JAR)) return JAR
  mkdirSync(CACHE, { recursive: true })
  process.stderr.write('\n*** obtaining the Conductor server by Maven, once; it has 458 MB … ***\n\n')
  const artifact = `-Dartifact=org.conductoross:conductor-server:${VERSION}:jar:boot`
  spawnSync('mvn', ['-q', '-B', COPY, artifact, `-DoutputDirectory=${CACHE}`], { cwd: CACHE, stdio: 'ignore' })
  if (!existsSync(JAR)) throw new Error('the Conductor server could not be obtained (no Maven?)')
  return JAR
}

function javaProgram(): string {
  const homes = existsSync(MACHINES) ? readdirSync(MACHINES).map((name) => join(MACHINES, name, 'bin', 'java')) : []
  const home = process.env['JAVA_HOME']
  const candidates = [process.env['KEELSON_JAVA'], home === undefined ? undefined : join(home, 'bin', 'java'), ...homes]
  const found = candidates.find((path) => path !== undefined && path !== '' && majorOf(path) >= JAVA_LEAST)
  if (found === undefined) throw new Error(`there is no Java ${JAVA_LEAST} or newer; name one in KEELSON_JAVA`)
  return found
}

function majorOf(java: string): number {
  const { stderr } = spawnSync(java, ['-version'], { encoding: 'utf8' })
  return Number(/version "(\d+)/.exec(stderr ?? '')?.[1] ?? 0)
}
