/**
 * The processes under test and the way each has to the database: started, killed, stopped, continued and started again by
 * their ids. Where there is toxiproxy, each has a proxy of its own, so that one can be cut off while the others go on.
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startChild } from '../../fixtures/child.ts'
import type { Proxy, Toxiproxy } from '../../setup/toxiproxy.ts'
import type { DriverOptions } from './driver.ts'
import { readJournal, type LifeLine } from './journal.ts'
import type { WorkerOptions } from './worker.ts'

const NODE_OPTIONS = ['--disable-warning=ExperimentalWarning']
const UP_MS = 120_000
const STEP_MS = 20

/** What a member's standard error told last; without a reason a process that died tells nothing. */
interface Living {
  readonly process: ChildProcess
  readonly told: () => string
}

export class Member {
  readonly name: string
  readonly proxy: Proxy | undefined
  readonly #script: string
  readonly #options: unknown
  #living: Living | undefined

  constructor(name: string, script: string, options: unknown, proxy: Proxy | undefined) {
    this.name = name
    this.proxy = proxy
    this.#script = script
    this.#options = options
  }

  get pid(): number {
    return this.#living?.process.pid ?? 0
  }

  /** As it signs in leases. */
  get owner(): string {
    return `${this.name}/${this.pid}`
  }

  start(): void {
    const script = join(import.meta.dirname, this.#script)
    const args = [...NODE_OPTIONS, script, JSON.stringify(this.#options)]
    // A test process that dies must not leave its fleet behind, stopped or not.
    const child = startChild(process.execPath, args)
    let told = ''
    child.stderr.on('data', (chunk: Buffer) => (told = (told + chunk.toString()).slice(-4000)))
    this.#living = { process: child, told: () => told }
  }

  send(signal: NodeJS.Signals): void {
    this.#living?.process.kill(signal)
  }

  get isAlive(): boolean {
    const child = this.#living?.process
    return child !== undefined && child.exitCode === null && child.signalCode === null
  }

  /** Ends it and waits until it is gone. */
  async end(signal: 'SIGTERM' | 'SIGKILL', withinMs = UP_MS): Promise<void> {
    const child = this.#living?.process
    if (child === undefined || !this.isAlive) return
    const gone = once(child, 'exit')
    child.kill(signal)
    const late = setTimeout(() => child.kill('SIGKILL'), withinMs)
    await gone
    clearTimeout(late)
    if (signal === 'SIGTERM' && child.exitCode !== 0)
      throw new Error(`${this.name} did not end well (${child.signalCode ?? child.exitCode}):\n${this.told}`)
  }

  get told(): string {
    return this.#living?.told() ?? ''
  }
}

export interface FleetOptions {
  readonly url: string
  readonly toxiproxy: Toxiproxy | undefined
  readonly leaseMs: number
  readonly pollMs: number
  readonly listen?: boolean
}

export class Fleet {
  readonly folder = mkdtempSync(join(tmpdir(), 'keelson-fleet-'))
  readonly members: Member[] = []
  readonly #options: FleetOptions

  constructor(options: FleetOptions) {
    this.#options = options
  }

  async addWorker(name: string): Promise<Member> {
    const { leaseMs, pollMs, listen = true } = this.#options
    const { url, proxy } = await this.#way(name)
    const options: WorkerOptions = { name, url, folder: this.folder, leaseMs, pollMs, listen }
    return this.#add(new Member(name, 'worker.ts', options, proxy))
  }

  async addDriver(rest: Omit<DriverOptions, 'url' | 'folder'>): Promise<Member> {
    const { url, proxy } = await this.#way('driver')
    const options: DriverOptions = { url, folder: this.folder, ...rest }
    return this.#add(new Member('driver', 'driver.ts', options, proxy))
  }

  #add(member: Member): Member {
    this.members.push(member)
    member.start()
    return member
  }

  async #way(name: string): Promise<{ readonly url: string; readonly proxy: Proxy | undefined }> {
    const { url, toxiproxy } = this.#options
    const direct = new URL(url)
    const proxy = await toxiproxy?.proxy(`${name}-${direct.pathname.slice(1)}`, Number(direct.port))
    if (proxy === undefined) return { url, proxy }
    direct.port = String(proxy.port)
    return { url: direct.href, proxy }
  }

  /** Until each of these has its store open. */
  async areUp(...members: readonly Member[]): Promise<void> {
    for (const deadline = Date.now() + UP_MS; ;) {
      const up = new Set(readJournal<LifeLine>(this.folder, 'lives').map(({ kind, detail }) => `${kind} ${detail}`))
      const missing = members.filter(({ owner }) => !up.has(`up ${owner}`))
      if (missing.length === 0) return
      const dead = missing.find(({ isAlive }) => !isAlive)
      if (dead !== undefined) throw new Error(`${dead.name} ended before it was up:\n${dead.told}`)
      if (Date.now() > deadline) throw new Error(`not up within ${UP_MS} ms: ${missing.map(({ name }) => name).join()}`)
      await pause(STEP_MS)
    }
  }

  /** Ends what still lives, whatever state it is in. */
  async scrap(): Promise<void> {
    await Promise.all(this.members.map((member) => member.end('SIGKILL')))
    rmSync(this.folder, { recursive: true, force: true })
  }
}
