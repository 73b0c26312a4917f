/**
 * The faults: which, when and to whom follows from the seed; what they meet is up to the machine. At most two workers are
 * away at a time, so that somebody is there to take over, and each member suffers one fault at a time.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Toxic } from '../../setup/toxiproxy.ts'
import { Rng } from '../../sim/random.ts'
import type { Fleet, Member } from './fleet.ts'
import type { Look } from './look.ts'

/** `cut`: for a moment, in the middle of answers. `partition`: nothing goes either way until the lease is over. */
export type FaultKind = 'kill' | 'stop' | 'cut' | 'partition' | 'terminate'

export interface Fault {
  readonly kind: FaultKind
  readonly target: string
  readonly from: number
  readonly to: number
}

/** Work that lost its driver, as the store told it at that moment. */
export interface Orphan {
  readonly runKey: number
  readonly epoch: number
  readonly since: number
}

export interface StormOptions {
  readonly fleet: Fleet
  readonly look: Look
  readonly seed: number
  readonly faults: number
  readonly leaseMs: number
  /** How many of each kind come before any comes again beyond that. */
  readonly kinds: Readonly<Partial<Record<FaultKind, number>>>
}

const AWAY_MOST = 2
const AWAY: ReadonlySet<FaultKind> = new Set(['kill', 'stop', 'partition'])
const PAST_LEASE_MS = [400, 1200] as const
const GAP_MS = [300, 900] as const
const CUT_MS = [120, 350] as const
const SLOW_MS = 40
const OWED = `SELECT run_key, epoch FROM keelson.runs
  WHERE lease_owner = $1 AND owed AND status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED')`
const TERMINATE = `SELECT pg_terminate_backend(pid) FROM (
  SELECT pid FROM pg_stat_activity WHERE application_name = 'keelson' AND datname = current_database()
  ORDER BY md5(pid::text || $2) LIMIT $1) AS chosen`

export class Storm {
  readonly faults: Fault[] = []
  readonly orphans: Orphan[] = []
  readonly #options: StormOptions
  readonly #rng: Rng
  readonly #deck: FaultKind[] = []
  readonly #suffering = new Set<Member>()
  readonly #away = new Set<Member>()

  constructor(options: StormOptions) {
    this.#options = options
    this.#rng = new Rng(`storm-${options.seed}`)
  }

  /** All faults; when it resolves everybody is up and every way is whole. */
  async rage(): Promise<void> {
    const going: Promise<void>[] = []
    for (let number = 0; number < this.#options.faults; number++) {
      const kind = this.#nextKind()
      going.push(this.#suffer(kind, await this.#target(kind)))
      await pause(this.#rng.int(...GAP_MS))
    }
    await Promise.all(going)
    await this.#options.fleet.areUp(...this.#options.fleet.members)
  }

  /** From a shuffled deck, so that no kind stays away for long. */
  #nextKind(): FaultKind {
    if (this.#deck.length === 0)
      for (const [kind, count] of Object.entries(this.#options.kinds))
        for (let card = 0; card < count; card++) this.#deck.push(kind as FaultKind)
    const [kind = 'kill'] = this.#deck.splice(this.#rng.int(0, this.#deck.length - 1), 1)
    return kind
  }

  async #target(kind: FaultKind): Promise<Member> {
    const takesAway = AWAY.has(kind)
    for (;;) {
      const all = this.#options.fleet.members.filter((member) => !this.#suffering.has(member))
      const able = takesAway ? all.filter(({ name }) => name !== 'driver') : all
      if (able.length > 0 && !(takesAway && this.#away.size >= AWAY_MOST)) return this.#rng.pick(able)
      await pause(GAP_MS[0])
    }
  }

  async #suffer(kind: FaultKind, member: Member): Promise<void> {
    const from = Date.now()
    this.#suffering.add(member)
    await this.#inflict(kind, member)
    this.#suffering.delete(member)
    this.#away.delete(member)
    this.faults.push({ kind, target: member.name, from, to: Date.now() })
  }

  async #inflict(kind: FaultKind, member: Member): Promise<void> {
    if (kind === 'kill') return this.#kill(member)
    if (kind === 'stop') return this.#stop(member)
    if (kind === 'cut') return this.#cut(member)
    if (kind === 'partition') return this.#partition(member)
    await this.#options.look.rows(TERMINATE, [this.#rng.int(1, 4), String(this.#rng.int(0, 1_000_000))])
  }

  async #kill(member: Member): Promise<void> {
    const { owner } = member
    this.#away.add(member)
    const since = Date.now()
    await member.end('SIGKILL')
    await this.#noteOrphans(owner, since)
    member.start()
    await this.#options.fleet.areUp(member)
  }

  async #stop(member: Member): Promise<void> {
    this.#away.add(member)
    const since = Date.now()
    member.send('SIGSTOP')
    await this.#noteOrphans(member.owner, since)
    await pause(this.#options.leaseMs + this.#rng.int(...PAST_LEASE_MS))
    member.send('SIGCONT')
  }

  async #partition(member: Member): Promise<void> {
    this.#away.add(member)
    const since = Date.now()
    for (const stream of ['upstream', 'downstream'] as const)
      await member.proxy?.spoil({ type: 'timeout', stream, attributes: { timeout: 0 } })
    await this.#noteOrphans(member.owner, since)
    await pause(this.#options.leaseMs + this.#rng.int(...PAST_LEASE_MS))
    await member.proxy?.heal()
  }

  async #noteOrphans(owner: string, since: number): Promise<void> {
    for (const row of await this.#options.look.rows(OWED, [owner]))
      this.orphans.push({ runKey: Number(row['run_key']), epoch: Number(row['epoch']), since })
  }

  /** Requests arrive, answers do not: silently, after some bytes, or with a reset. Then the connections are closed. */
  async #cut(member: Member): Promise<void> {
    const toxics: readonly Toxic[] = [
      { type: 'timeout', stream: 'downstream', attributes: { timeout: 0 } },
      { type: 'limit_data', stream: 'downstream', attributes: { bytes: this.#rng.int(1, 600) } },
      { type: 'reset_peer', stream: 'downstream', attributes: { timeout: this.#rng.int(0, 40) } },
    ]
    // Slow first: a commit is then more likely to be under way when its answer is cut off.
    await member.proxy?.spoil({ type: 'latency', stream: 'downstream', attributes: { latency: SLOW_MS } })
    await pause(this.#rng.int(...CUT_MS))
    await member.proxy?.spoil(this.#rng.pick(toxics))
    await pause(this.#rng.int(...CUT_MS))
    await member.proxy?.heal()
  }
}
