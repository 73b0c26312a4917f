/** What people do with triggers: make, change, look at, try, remove. Everything within their tenant; a secret is shown once, when it is made. */
import type { Json } from '../../core/plan/plan.ts'
import { fail } from '../../core/problems/problem.ts'
import { unwrap } from '../../core/result.ts'
import type { RunStore } from '../../ports/run-store.ts'
import type { SigningKeys } from '../../ports/signing-keys.ts'
import { mappingNeeds } from '../expressions/map-input.ts'
import { storedTrigger, triggerOf, type Trigger, type TriggerDefinition, type TriggerRecord } from './record.ts'
import { sealSecret } from './sealed-secret.ts'

export interface TriggerManaging {
  readonly store: RunStore
  readonly keys: SigningKeys
  readonly bytes: (count: number) => Uint8Array
  readonly tenantId: string
  readonly actorId: string
  /** Epoch milliseconds. */
  readonly now: number
}

export interface TriggerAsked extends TriggerDefinition {
  /** The sender's; it is kept sealed. */
  readonly secret?: string | undefined
  /** `secret://…`: it is looked up for each delivery. */
  readonly secretRef?: string | undefined
}

/** How often a change is made anew when others were faster. */
const TRIES = 100
const ADDRESS_BYTES = 24
const SECRET_BYTES = 32
const REF = /^secret:\/\/[^\s]{1,500}$/

/** With the secret where the server made one: it is never shown again. */
export async function createTrigger(
  managing: TriggerManaging,
  name: string,
  asked: TriggerAsked,
): Promise<{ readonly trigger: Trigger; readonly secret?: string }> {
  const { store, tenantId, actorId, now, bytes } = managing
  const { secret, secretRef, ...definition } = asked
  await needSense(managing, asked)
  const made = secret === undefined && secretRef === undefined ? newSecret(bytes) : undefined
  const record: TriggerRecord = {
    definition,
    secret: await kept(managing, name, secretRef, secret ?? made ?? ''),
    createdAt: now,
    createdBy: actorId,
    updatedAt: now,
    updatedBy: actorId,
  }
  const address = `tr_${Buffer.from(bytes(ADDRESS_BYTES)).toString('base64url')}`
  const stored = storedTrigger({ tenantId, name, address, revision: 0, record }, record)
  if (!(await store.putTrigger(stored))) fail('TRIGGER_EXISTS', `there is a trigger ${name} already`)
  return { trigger: triggerOf(stored), ...(made === undefined ? {} : { secret: made }) }
}

/** In the form of Standard Webhooks, which every sender takes. */
function newSecret(bytes: TriggerManaging['bytes']): string {
  return `whsec_${Buffer.from(bytes(SECRET_BYTES)).toString('base64')}`
}

async function kept(
  { keys, tenantId, bytes }: TriggerManaging,
  name: string,
  ref: string | undefined,
  secret: string,
): Promise<TriggerRecord['secret']> {
  return ref === undefined ? sealSecret(keys, secret, aboutSecret(tenantId, name), bytes) : { ref }
}

export function aboutSecret(tenantId: string, name: string): string {
  return JSON.stringify([tenantId, name])
}

async function needSense({ store, tenantId }: TriggerManaging, asked: TriggerAsked): Promise<void> {
  const { planId, planVersion, secret, secretRef, input } = asked
  if (secret !== undefined && secretRef !== undefined)
    fail('TRIGGER_INVALID', 'give either `secret` or `secretRef`', { pointer: '/secretRef' })
  if (secretRef !== undefined && !REF.test(secretRef))
    fail('TRIGGER_INVALID', 'secretRef is a reference such as secret://webhooks/github', { pointer: '/secretRef' })
  if (input !== undefined) unwrap(mappingNeeds(input as Json))
  if ((await store.findPlan(tenantId, planId, planVersion)) === undefined)
    fail('PLAN_NOT_FOUND', `no plan ${planId} is published here`)
}

export async function findTrigger({ store, tenantId }: TriggerManaging, name: string): Promise<Trigger> {
  const stored = await store.findTrigger(tenantId, name)
  return stored === undefined ? fail('TRIGGER_NOT_FOUND', 'there is no such trigger') : triggerOf(stored)
}

/** Its address stays, and its secret unless a new one is given. The change is made anew on what others wrote meanwhile. */
export async function updateTrigger(managing: TriggerManaging, name: string, asked: TriggerAsked): Promise<Trigger> {
  const { store, actorId, now } = managing
  const { secret, secretRef, ...definition } = asked
  const isSame = secret === undefined && secretRef === undefined
  for (let tries = 0; tries < TRIES; tries += 1) {
    const trigger = await findTrigger(managing, name)
    await needSense(managing, asked)
    const record: TriggerRecord = {
      ...trigger.record,
      definition,
      secret: isSame ? trigger.record.secret : await kept(managing, name, secretRef, secret ?? ''),
      updatedAt: now,
      updatedBy: actorId,
    }
    const stored = storedTrigger(trigger, record)
    if (await store.putTrigger(stored)) return triggerOf(stored)
  }
  return fail('STORE_UNAVAILABLE', 'the trigger is changed by others all the time')
}

export async function deleteTrigger(managing: TriggerManaging, name: string): Promise<void> {
  const { store, tenantId } = managing
  if (!(await store.deleteTrigger(tenantId, name))) fail('TRIGGER_NOT_FOUND', 'there is no such trigger')
}
