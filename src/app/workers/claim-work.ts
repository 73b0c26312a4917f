/**
 * Steps handed out to a remote worker, each under a claim of its own. The claim is in the store before the worker is told, and what is
 * irreversible has its begin-claim then (P-28). Secrets are in the answer and nowhere else.
 */
import { steadyNow } from '../../core/clock-jumps.ts'
import { LIMITS } from '../../core/limits.ts'
import { fail, KeelsonError } from '../../core/problems/problem.ts'
import type { StoredWork } from '../../ports/work.ts'
import { HeldSecrets } from '../execute/resolve-secrets.ts'
import { sha256Hex } from '../log/sha256.ts'
import { bodyOf, workerClaimant, type WorkBody } from '../work/record.ts'
import { changeWork, stillWanted, type WantedWork, type Working } from './working.ts'

export interface WorkAsked {
  readonly queues: readonly string[]
  readonly handlers: readonly string[]
  readonly worker: string
  readonly build?: string
  readonly max: number
  readonly waitMs: number
  readonly leaseMs: number
  /** 256 bits that nobody can guess, as text. */
  readonly token: () => string
  /** Nobody waits for the answer any more. */
  readonly gone: AbortSignal
  /** Whether who asked would be known now, too: while they waited, their key may have been revoked. */
  readonly isKnown: () => Promise<boolean>
}

export interface HandedWork extends WorkBody {
  readonly claim: string
  readonly slot: string
  readonly handler: string
  readonly queue: string
  readonly attempt: number
  readonly engineAttempt: number
  readonly deadline: number
  readonly leaseUntil: number
  readonly heartbeatMs: number
  readonly secrets?: Readonly<Record<string, string>>
}

/** What other workers may take between looking and claiming. */
const SPARE = 16

export async function claimWork(by: Working, asked: WorkAsked): Promise<readonly HandedWork[]> {
  const { clock } = by.services
  const until = steadyNow(clock) + asked.waitMs
  await noteWorker(by, asked)
  for (let hasWaited = false; ; hasWaited = true) {
    const handed = await claimNow(by, asked, hasWaited)
    const leftMs = until - steadyNow(clock)
    if (handed.length > 0 || leftMs <= 0 || asked.gone.aborted) return handed
    // Work that another process offers rings no bell here.
    await by.desk.untilOffered(by.tenantId, asked.queues, Math.min(leftMs, LIMITS.workLookMs), asked.gone)
  }
}

async function noteWorker({ services, tenantId, actorId }: Working, asked: WorkAsked): Promise<void> {
  const { worker, build, queues, handlers } = asked
  const body = JSON.stringify({ ...(build === undefined ? {} : { build }), queues, handlers })
  await services.store.noteWorker({ tenantId, worker, actorId, askedAt: services.clock.now(), body })
}

async function claimNow(by: Working, asked: WorkAsked, hasWaited: boolean): Promise<readonly HandedWork[]> {
  const { services, tenantId, maySecrets } = by
  const { queues, handlers, max } = asked
  const wanted = { queues, handlers, secrets: maySecrets, now: services.clock.now() }
  const handed: HandedWork[] = []
  let trouble: unknown
  let bytes = 0
  const open = await services.store.openWork(tenantId, wanted, max + SPARE)
  // Only where there is something to hand out: who waits in vain is looked up once.
  if (hasWaited && open.length > 0 && !(await asked.isKnown()))
    fail('NOT_AUTHENTICATED', 'who asked for work is not known any more')
  for (const row of open) {
    if (handed.length >= max || asked.gone.aborted) break
    if (handed.length > 0 && bytes + row.body.length > LIMITS.workAnswerBytes) break
    try {
      const one = await claimOne(by, asked, row)
      if (one === undefined) continue
      handed.push(one)
      bytes += row.body.length
    } catch (thrown) {
      // A run that cannot be read, or secrets that are not there: other steps can be done all the same.
      if (!(thrown instanceof KeelsonError)) throw thrown
      trouble ??= thrown
    }
  }
  if (handed.length === 0 && trouble !== undefined) throw trouble
  return handed
}

async function claimOne(by: Working, asked: WorkAsked, row: StoredWork): Promise<HandedWork | undefined> {
  const { store, clock } = by.services
  const wanted = await stillWanted(by, row)
  if (wanted === undefined) {
    await changeWork(by, { ...row, state: 'closed' })
    return undefined
  }
  if (wanted.isStopping) return undefined
  const secrets = row.secrets ? await secretsOf(by, wanted) : undefined
  const claim = asked.token()
  const at = clock.now()
  const { worker, leaseMs } = asked
  const held = { sha256: sha256Hex(claim), worker, at, until: at + leaseMs, leaseMs }
  const claims = row.claims + 1
  if (!(await changeWork(by, { ...row, state: 'claimed', claims, claim: held }))) return undefined
  const { runKey, slot, attempt, queue, handler } = row
  if (row.irreversible) await store.claimAttempt(runKey, { slot, attempt, claimant: workerClaimant(held.sha256) })
  const body = bodyOf(row)
  return {
    ...body,
    claim,
    slot,
    handler,
    queue,
    attempt,
    engineAttempt: row.engineAttempt + claims - 1,
    deadline: at + body.timeoutMs,
    leaseUntil: held.until,
    heartbeatMs: Math.min(LIMITS.workHeartbeatMs, Math.floor(leaseMs / 3)),
    ...(secrets === undefined ? {} : { secrets }),
  }
}

/** Asked for anew for each claim; the run's redactor knows them from here on. */
async function secretsOf(by: Working, { run, work }: WantedWork): Promise<Readonly<Record<string, string>>> {
  const held = new HeldSecrets(by.services, run)
  try {
    const found = await held.resolve(work.step)
    return Object.fromEntries(Object.keys(work.step.secrets ?? {}).map((name) => [name, found[name] ?? '']))
  } finally {
    held.release()
  }
}
