/**
 * A delivery at the address of a trigger. An address that nobody has, a signature that does not fit and a secret that is not here are
 * answered alike; why a delivery was refused is told to the owner of the trigger alone. The same delivery starts one run.
 */
import { LIMITS } from '../../core/limits.ts'
import { toldOutside } from '../../core/problems/outside.ts'
import { fail, KeelsonError } from '../../core/problems/problem.ts'
import type { RunStore } from '../../ports/run-store.ts'
import type { SecretsProvider } from '../../ports/secrets.ts'
import type { SigningKeys } from '../../ports/signing-keys.ts'
import { sha256Hex } from '../log/sha256.ts'
import { LOCAL_PRINCIPAL } from '../principal.ts'
import type { RunStarter } from '../schedules/start-occurrence.ts'
import { aboutSecret } from './manage-triggers.ts'
import { mappedInput, triggerOf, type DeliveryNote, type Trigger } from './record.ts'
import { openDecoy, openSecret } from './sealed-secret.ts'
import { judge, type Delivery, type Judged } from './signature.ts'

export interface Receiving {
  readonly store: RunStore
  readonly keys: SigningKeys
  readonly secrets?: SecretsProvider | undefined
  readonly runs: RunStarter
  readonly bytes: (count: number) => Uint8Array
  /** Epoch milliseconds. */
  readonly now: number
  /** Refuses a trigger that comes too often. */
  readonly take: (tenantId: string, actorId: string) => void
  /** Of what the sender must not learn, for the log of the process. */
  readonly tell: (thrown: unknown) => void
  /** Does the work once the sender has its answer. */
  readonly later: (work: () => Promise<void>) => void
}

export interface Received {
  readonly runId: string
  /** The delivery had come before. */
  readonly existed: boolean
  readonly tenantId: string
  /** In whose name the run was started. */
  readonly actorId: string
}

export async function receiveDelivery(receiving: Receiving, address: string, delivery: Delivery): Promise<Received> {
  const { store, now } = receiving
  const stored = await store.findTriggerAt(address)
  if (stored === undefined) {
    await asWithTrigger(receiving, address, delivery)
    return unknown()
  }
  const trigger = triggerOf(stored)
  const { tenantId, name } = trigger
  const note = (one: DeliveryNote): Promise<void> =>
    store.noteDelivery(tenantId, name, { at: now, body: JSON.stringify(one) }, LIMITS.deliveriesKept)
  const isGone = (await store.findTenant(tenantId))?.deletedAt !== undefined
  const judged = isGone ? REFUSED_GONE : await judgedBy(receiving, trigger, delivery)
  if (judged.kind === 'refused') {
    const { kind: _kind, ...why } = judged
    // A sender that waited for this would know by the time it took that there is a trigger.
    receiving.later(() => note({ outcome: 'refused', code: 'NOT_AUTHENTICATED', ...noted(why) }))
    return unknown()
  }
  const { deliveryId } = judged
  try {
    receiving.take(tenantId, actorOf(name))
    const received = await start(receiving, trigger, delivery, deliveryId)
    await note({ outcome: received.existed ? 'repeated' : 'started', deliveryId, runId: received.runId })
    return { ...received, tenantId, actorId: actorOf(name) }
  } catch (thrown) {
    if (thrown instanceof KeelsonError && !thrown.problems[0].retryable)
      await note({ outcome: 'refused', deliveryId, code: thrown.code, reason: toldOutside(thrown.problems)[0].message })
    throw thrown
  }
}

const REFUSED_GONE: Judged = { kind: 'refused', why: 'the tenant was deleted' }

/** What a trigger would take, so that nobody learns by the time whether there is one: its tenant, its secret, its signature. */
async function asWithTrigger(
  { store, keys, bytes, now }: Receiving,
  address: string,
  delivery: Delivery,
): Promise<void> {
  await store.findTenant(address)
  const secret = await openDecoy(keys, bytes).catch(() => address)
  judge('github', secret, delivery, now)
}

async function judgedBy(receiving: Receiving, trigger: Trigger, delivery: Delivery): Promise<Judged> {
  let secret: string
  try {
    secret = await secretOf(receiving, trigger)
  } catch (thrown) {
    // Whoever has only the address must not learn from it that there is a trigger: senders send again after a 401 as after a 503.
    receiving.tell(thrown)
    const why = thrown instanceof KeelsonError ? toldOutside(thrown.problems)[0].message : 'its secret cannot be opened'
    return { kind: 'refused', why }
  }
  return judge(trigger.record.definition.scheme, secret, delivery, receiving.now)
}

function noted({ why, deliveryId }: { readonly why: string; readonly deliveryId?: string }): Partial<DeliveryNote> {
  return { reason: why, ...(deliveryId === undefined ? {} : { deliveryId }) }
}

function unknown(): never {
  return fail('NOT_AUTHENTICATED', 'the request is not signed as a trigger of this address expects')
}

function actorOf(name: string): string {
  return `trigger:${name}`
}

async function secretOf({ keys, secrets }: Receiving, { tenantId, name, record }: Trigger): Promise<string> {
  const { secret } = record
  if (!('ref' in secret)) return openSecret(keys, secret, aboutSecret(tenantId, name))
  const { environmentId } = LOCAL_PRINCIPAL
  const found = await secrets?.resolve([secret.ref], { tenantId, environmentId })
  return found?.get(secret.ref)?.value ?? fail('SECRET_NOT_FOUND', 'the secret of the trigger is not here')
}

async function start(
  { store, runs }: Receiving,
  { tenantId, name, record }: Trigger,
  { body, header }: Delivery,
  deliveryId: string,
): Promise<Pick<Received, 'runId' | 'existed'>> {
  const { definition } = record
  // Of the delivery alone: a new version of the plan makes no second run of it.
  const runId = `${name}-${sha256Hex(deliveryId).slice(0, 32)}`
  const existing = await store.findRun({ tenantId, runId })
  if (existing !== undefined) return { runId, existed: true }
  const input = mappedInput(definition, { body: body(), event: header('x-github-event'), deliveryId })
  await runs.start({
    tenantId,
    actorId: actorOf(name),
    // Whoever made it knows its secret, and can sign deliveries.
    setUpBy: [...new Set([record.createdBy, record.updatedBy])],
    source: 'webhook',
    planId: definition.planId,
    ...(definition.planVersion === undefined ? {} : { planVersion: definition.planVersion }),
    ...(input === undefined ? {} : { input }),
    requestId: `trigger:${name}:${deliveryId}`,
    runId,
  })
  return { runId, existed: false }
}
