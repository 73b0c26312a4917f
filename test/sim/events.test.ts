/**
 * Histories with events from outside: sent before, while and after their waits are open, by processes that are killed at any
 * step, with repeats. In all of them no event is lost and none ends two waits of a run (P-54).
 */
import { expect, it } from 'vitest'
import { sendEvent } from '../../src/app/steer/send-event.ts'
import { LOCAL_PRINCIPAL } from '../../src/app/principal.ts'
import type { RunStore } from '../../src/ports/run-store.ts'
import { World, type Process } from '../fixtures/virtual-world.ts'
import { Rng } from './random.ts'

const HISTORIES = Number(process.env['KEELSON_EVENT_HISTORIES'] ?? 300)
const SEED = Number(process.env['KEELSON_SEED'] ?? 7)
const KEYS = ['A', 'B', ''] as const

/** Waits in a row and side by side; most share their keys. */
function planOf(rng: Rng): { readonly yaml: string; readonly needed: ReadonlyMap<string, number> } {
  const needed = new Map<string, number>()
  const steps: string[] = []
  const count = 1 + rng.int(0, 5 - 1)
  for (let at = 0; at < count; at += 1) {
    const key = rng.pick(KEYS)
    needed.set(key, (needed.get(key) ?? 0) + 1)
    const after = at > 0 && rng.chance(0.5) ? [`s${rng.int(0, at - 1)}`] : []
    const wait = `{ forEvent: e${key === '' ? '' : `, key: ${key}`}${rng.chance(0.3) ? ', match: event.data.fits' : ''} }`
    steps.push(`{ id: s${at}, dependsOn: [${after.join()}], wait: ${wait} }`)
    if (rng.chance(0.3)) steps.push(`{ id: f${at}, dependsOn: [s${at}], run: f }`)
  }
  return { yaml: `steps: [${steps.join(', ')}]`, needed }
}

/** A process whose store dies before or after some call: whoever called never learns what became of it. */
function mortal(world: World, rng: Rng, name: string): { readonly process: Process; readonly isDead: () => boolean } {
  let calls = rng.chance(0.7) ? 3 + rng.int(0, 60 - 1) : Infinity
  let dead = false
  const wrapStore = (inner: RunStore): RunStore =>
    new Proxy(inner, {
      get: (target, method: keyof RunStore) => {
        const value = target[method]
        if (typeof value !== 'function' || method === 'close') return value
        return async (...args: never[]) => {
          if (dead) return new Promise(() => undefined)
          calls -= 1
          if (calls > 0) return (value as (...given: never[]) => unknown).apply(target, args)
          dead = true
          if (rng.chance(0.5)) await (value as (...given: never[]) => unknown).apply(target, args)
          process.kill()
          return new Promise(() => undefined)
        }
      },
    })
  const process = world.process(name, { adoptOthers: true, script: { f: () => null }, wrapStore, leaseMs: 3000 })
  return { process, isDead: () => dead }
}

async function play(seed: number): Promise<void> {
  const rng = new Rng(seed)
  const world = new World({ seed: String(seed) })
  const starter = world.process('starter', { script: { f: () => null }, leaseMs: 3000 })
  const plans = Array.from({ length: 1 + rng.int(0, 3 - 1) }, () => planOf(rng))
  const most = (key: string): number => Math.max(0, ...plans.map(({ needed }) => needed.get(key) ?? 0))
  const toSend = KEYS.flatMap((key) => Array.from({ length: most(key) }, (_, at) => ({ key, id: `${key}${at}` })))
  const keys: number[] = []
  let made = 0
  let driver = mortal(world, rng, 'd0')
  const start = async (): Promise<void> => {
    const plan = plans[keys.length]
    if (plan === undefined) return
    const answer = await starter.create(plan.yaml)
    keys.push(answer.row.runKey)
    if (rng.chance(0.5) && answer.kind === 'started') starter.engine.drive(answer.row.runKey, answer.report)
  }
  const send = async (event: { key: string; id: string }, fits: boolean): Promise<void> => {
    const { key, id } = event
    const sent = { name: 'e', id: fits ? id : `no-${id}`, data: { fits }, ...(key === '' ? {} : { key }) }
    await sendEvent(starter, LOCAL_PRINCIPAL.tenantId, sent)
  }
  const left = [...toSend]
  for (let move = 0; move < 40 || left.length > 0 || keys.length < plans.length; move += 1) {
    const dice = rng.int(0, 6 - 1)
    const at = rng.int(0, Math.max(1, left.length) - 1)
    const event = left[at]
    if (dice === 0) await start()
    else if (dice === 1 && event !== undefined) {
      await send(event, true)
      if (rng.chance(0.8)) left.splice(at, 1)
    } else if (dice === 2 && event !== undefined && most(event.key) > 0) await send(event, false)
    else if (dice === 3) driver.process.kill()
    else await world.advanceBy(rng.int(0, 2500 - 1))
    if (driver.isDead() || dice === 3) driver = mortal(world, rng, `d${(made += 1)}`)
  }
  starter.kill()
  driver.process.kill()
  world.process('last', { adoptOthers: true, script: { f: () => null }, leaseMs: 3000 })
  await world.advanceBy(60_000)
  for (const key of keys) judge(world, key, seed)
}

function judge(world: World, key: number, seed: number): void {
  const about = `seed ${seed}, run ${key}`
  const taken = world.records(key).flatMap(({ eventType, payload, data, stepId }) => {
    const received = payload?.['receivedEvent'] as { readonly id: string } | undefined
    return eventType === 'StepCompleted' && received !== undefined ? [{ id: received.id, stepId, data }] : []
  })
  // Never lost: there were as many events as any run waits for.
  expect(world.row(key).status, about).toBe('COMPLETED')
  // Never twice: an event ends one wait of a run, and a wait is ended once.
  expect(new Set(taken.map(({ id }) => id)).size, about).toBe(taken.length)
  expect(new Set(taken.map(({ stepId }) => stepId)).size, about).toBe(taken.length)
}

it('no event is lost and none ends two waits of a run, whatever is killed [P-54]', { timeout: 300_000 }, async () => {
  for (let at = 0; at < HISTORIES; at += 1) await play(SEED * 100_000 + at)
})
