/**
 * The past that the page computes is the past that the server tells: for random moments of runs that went through everything a run can go
 * through, the fold in the browser equals `?at=` of the interface, and why equals that of the interface and of `keelson why --at`.
 */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Cause } from '../../src/core/run/explain/explain.ts'
import type { LogRecord } from '../../src/core/events/event.ts'
import type { Plan } from '../../src/core/plan/plan.ts'
import type { RunSnapshot } from '../../src/core/view/fold/run-snapshot.ts'
import type { StepContext } from '../../src/main.ts'
import { tellCause } from '../../web/src/inspector/tell-cause.ts'
import { RunHistory } from '../../web/src/history/run-history.ts'
import { runLook, stepLook } from '../../web/src/shown/states.ts'
import { waitKind } from '../../web/src/shown/wait-kind.ts'
import { keelsonHere } from '../e2e/in-process.ts'
import { testFolder } from '../fixtures/folder.ts'
import { randomSource } from '../fuzz/random-source.ts'
import type { Served } from '../server/served.ts'
import { extent } from '../setup/extent.ts'
import { SEED } from '../setup/seed.ts'
import { ended, LOCAL, servedPage, start, testBrowser } from './browser.ts'
import { playedAndServed, somePlayable } from './corpus-runs.ts'
import { BUSY, SAGA, testSteps } from './plans.ts'

const browser = testBrowser()

interface Told {
  readonly snapshot: RunSnapshot
  readonly why: (step: string) => Promise<readonly Cause[]>
}

async function toldAt(server: Served, id: string, at: number): Promise<Told> {
  const base = `GET /v1/executions/${id}`
  return {
    snapshot: (await server.call(`${base}/snapshot?at=${at}`, { as: '' })).body.snapshot,
    why: async (step) =>
      (await server.call(`${base}/why/${encodeURIComponent(step)}?at=${at}`, { as: '' })).body.causes,
  }
}

/** What `keelson why --at` prints, as JSON. */
async function commandAt(server: Served, folder: string, id: string, step: string, at: number): Promise<unknown> {
  const args = ['why', id, step, '--at', String(at), '--json', '--server', server.url]
  const { code, stdout, stderr } = await keelsonHere(args, folder)
  if (code !== 0) throw new Error(`keelson ${args.join(' ')}: ${stderr}${stdout}`)
  return (JSON.parse(stdout) as { readonly causes: unknown }).causes
}

async function playedRuns(server: Served): Promise<readonly string[]> {
  for (const plan of [BUSY, SAGA]) await server.publish(plan, LOCAL)
  const ids = [
    await start(server, 'busy', { items: [1, 2, 3, 4, 5, 6, 7] }),
    await start(server, 'busy', { items: [] }),
    await start(server, 'saga'),
  ]
  for (const id of ids) await ended(server, id)
  return ids
}

async function historyOf(server: Served, id: string): Promise<RunHistory> {
  const { planSha256, engine } = (await server.call(`GET /v1/executions/${id}`, { as: '' })).body
  const { plan } = (await server.call(`GET /v1/plans/by-hash/${planSha256}`, { as: '' })).body
  const { events } = (await server.call(`GET /v1/executions/${id}/events?limit=1000`, { as: '' })).body
  const history = new RunHistory(id, plan as Plan, engine)
  history.add(events as readonly LogRecord[])
  return history
}

it('folds every moment of a run to what the server tells of it, in whatever order they are asked for', async () => {
  const { steps } = testSteps()
  await using server = await servedPage({ steps })
  const die = randomSource(SEED).below
  console.log(`seed ${SEED}`)
  const histories = await Promise.all((await playedRuns(server)).map((id) => historyOf(server, id)))
  const folder = testFolder()
  for (let times = 0; times < extent(200, 400); times += 1) {
    const history = histories[die(histories.length)] as RunHistory
    const at = die(history.lastSeq + 1)
    const told = await toldAt(server, history.runId, at)
    expect(history.snapshotAt(at)).toEqual(told.snapshot)
    if (at === 0) continue
    const step = told.snapshot.steps[die(told.snapshot.steps.length)]?.stepId ?? ''
    const own = [at, step, history.whyAt(step, at)]
    expect(own).toEqual([at, step, await told.why(step)])
    expect(own).toEqual([at, step, await commandAt(server, folder, history.runId, step, at)])
  }
}, 900_000)

interface Seen {
  readonly status: string
  readonly nodes: readonly string[]
  readonly raw: string
  readonly causes: readonly string[]
}

/** In the browser, as a person does it: the cursor is moved, a step is chosen, and what it says is read from two of its tabs. */
async function seenAt(page: Page, at: number, step: string): Promise<Seen> {
  return (await page.evaluate(
    `(async (at, step) => {
      const until = async (what, find) => {
        for (const late = performance.now() + 60_000; performance.now() < late; ) {
          const found = find()
          if (found) return found
          await new Promise(requestAnimationFrame)
        }
        throw new Error('event ' + at + ', step ' + step + ': there is no ' + what)
      }
      const range = document.querySelector('input[aria-label="Event"]')
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(range, String(at))
      range.dispatchEvent(new Event('input', { bubbles: true }))
      await until('such moment', () => document.querySelector('.when').textContent.startsWith('as of event ' + at + ' of'))
      const click = (one) => one.dispatchEvent(new MouseEvent('click', { bubbles: true }))
      const node = await until('such node', () =>
        [...document.querySelectorAll('.node')].find((one) => one.ariaLabel.startsWith(step + ' ')))
      if (node.ariaPressed !== 'true') click(node)
      const tab = async (name) => {
        click(await until('tab ' + name, () =>
          [...document.querySelectorAll('[role=tab]')].find((one) => one.textContent === name)))
        await until('panel ' + name, () => document.querySelector('[role=tabpanel]')?.ariaLabel === name)
      }
      await tab('raw')
      const raw = await until('state', () => document.querySelector('[aria-label="state of ' + step + '"]'))
      const seen = { raw: raw.textContent }
      await tab('why')
      const causes = [...document.querySelectorAll('.causes li')].map((one) => one.textContent)
      const status = document.querySelector('[role=status][aria-label="Status of the run"]').textContent
      return { ...seen, causes, status, nodes: [...document.querySelectorAll('.node')].map((one) => one.ariaLabel) }
    })(${at}, ${JSON.stringify(step)})`,
  )) as Seen
}

const PAIRS = extent(200, 2_000)

it('shows, wherever the cursor is, the run, each step and why as the interface and the command tell them', async () => {
  const die = randomSource(SEED + 1).below
  const entries = somePlayable(die, extent(2, 6))
  console.log(`seed ${SEED}: ${PAIRS} moments of ${entries.map(({ name }) => name).join(', ')}`)
  const folder = testFolder()
  let left = PAIRS
  for (const [index, entry] of entries.entries()) {
    await using played = await playedAndServed(entry)
    const { server, ids } = played
    const share = Math.ceil(left / (entries.length - index))
    left -= share
    const id = ids[die(ids.length)] ?? ''
    const history = await historyOf(server, id)
    await using tab = await browser.open(`${server.url}/runs/${id}`)
    await tab.page.getByText(/the end$/).waitFor()
    for (let times = 0; times < share; times += 1) {
      const at = 1 + die(history.lastSeq - 1)
      const { snapshot, why } = await toldAt(server, id, at)
      const step = snapshot.steps[die(snapshot.steps.length)]
      const stepId = step?.stepId ?? ''
      const causes = await why(stepId)
      expect(causes).toEqual(await commandAt(server, folder, id, stepId, at))
      const asked = {
        now: history.msAt(at),
        slot: stepId,
        recordAt: (seq: number) => history.recordAt(seq),
        findLast: (type: string, fits: (record: LogRecord) => boolean = () => true) =>
          history.records.findLast((one) => one.runSeq <= at && one.eventType === type && fits(one)),
      }
      const seen = await seenAt(tab.page, at, stepId)
      const where = [entry.name, at, stepId]
      expect([...where, JSON.parse(seen.raw)]).toEqual([...where, step])
      expect([...where, seen.status]).toEqual([...where, runLook(snapshot.status).word])
      expect([...where, ...seen.nodes.map((label) => label.replace(/^(\S+) .*, (.*?)$/, '$1: $2')).sort()]).toEqual([
        ...where,
        ...snapshot.steps
          .map((one) => `${one.stepId}: ${stepLook(one, waitKind(history.graph, one.stepId)).word.split(', ').at(-1)}`)
          .sort(),
      ])
      const sentences = causes.map((cause) => tellCause(cause, asked).sentence)
      expect([...where, ...seen.causes.map((text, place) => text.slice(0, sentences[place]?.length))]).toEqual([
        ...where,
        ...sentences,
      ])
    }
  }
  expect(left).toBe(0)
}, 900_000)

it('shows what a step was given and gave back as it was at the cursor, as the server tells it', async () => {
  const { steps, gate } = testSteps()
  const fails = async (input: unknown, { attempt }: StepContext): Promise<unknown> => {
    if (attempt > 1) return input
    await gate.step()
    throw Object.assign(new Error('busy'), { code: 'HTTP_503', status: 503 })
  }
  await using server = await servedPage({ steps: { ...steps, fails } })
  const retry = 'retry: { maxAttempts: 2, initialBackoff: 1ms }'
  await server.publish(
    `plan: changed\nversion: 1.0.0\nsteps: [{ id: count, run: fails, with: { n: 1 }, ${retry} }, { id: last, run: echo }]\n`,
    LOCAL,
  )
  const id = await start(server, 'changed')
  const body = {
    signalId: '1f0a3a4e-0000-4000-8000-000000000001',
    signalType: 'INJECT_OVERRIDE',
    payload: { stepId: 'count', override: { n: 2 }, reason: 'one was missing' },
  }
  const { text } = await server.call(`POST /v1/executions/${id}/signals`, { as: '', body })
  expect(text).toContain('ACCEPTED')
  gate.open()
  await ended(server, id)
  const { records } = await historyOf(server, id)
  const seqOf = (type: string): number =>
    records.find((one) => one.eventType === type && one.stepId === 'count')?.runSeq ?? 0
  const detailAt = async (at: number): Promise<unknown> => {
    const { input, output } = (await server.call(`GET /v1/executions/${id}/steps/count/output?at=${at}`, { as: '' }))
      .body
    return { input, output }
  }
  const first = seqOf('StepStarted')
  const done = seqOf('StepCompleted')
  expect(await detailAt(first - 1)).toEqual({})
  expect(await detailAt(first)).toEqual({ input: { n: 1 } })
  expect(await detailAt(done - 1)).toEqual({ input: { n: 2 } })
  expect(await detailAt(done)).toEqual({ input: { n: 2 }, output: { n: 2 } })
  await using tab = await browser.open(`${server.url}/runs/${id}?step=count&tab=input&at=${first}`)
  const { page, troubles } = tab
  const shown = page.getByRole('region', { name: 'input of count' })
  const given = (n: number) => expect.poll(async () => JSON.parse((await shown.textContent()) ?? 'null')).toEqual({ n })
  await given(1)
  await page.keyboard.press('n')
  await given(2)
  await page.goto(`${server.url}/runs/${id}?step=count&tab=input&at=${first - 1}`)
  await page.getByText(`It had not begun at event ${first - 1}.`).waitFor()
  expect(troubles).toEqual([])
})
