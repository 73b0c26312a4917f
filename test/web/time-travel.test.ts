/**
 * The past that the page computes is the past that the server tells: for random events of several runs, the fold in the browser
 * equals `?at=` of the interface, and why equals that of the interface and of `keelson why --at`.
 */
import { expect, it } from 'vitest'
import type { Cause } from '../../src/core/run/explain/explain.ts'
import type { LogRecord } from '../../src/core/events/event.ts'
import type { Plan } from '../../src/core/plan/plan.ts'
import type { RunSnapshot } from '../../src/core/view/fold/run-snapshot.ts'
import { tellCause } from '../../web/src/inspector/tell-cause.ts'
import { RunHistory } from '../../web/src/history/run-history.ts'
import { runLook, stepLook } from '../../web/src/shown/states.ts'
import { randomSource } from '../fuzz/random-source.ts'
import type { Served } from '../server/served.ts'
import { extent } from '../setup/extent.ts'
import { keelsonHere } from '../e2e/in-process.ts'
import { testFolder } from '../fixtures/folder.ts'
import { SEED } from '../setup/seed.ts'
import { ended, LOCAL, servedPage, start, testBrowser } from './browser.ts'
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
})

it('shows, wherever the cursor is, the run, each step and why as the server tells them', async () => {
  const { steps } = testSteps()
  await using server = await servedPage({ steps })
  const die = randomSource(SEED + 1).below
  for (const id of await playedRuns(server)) {
    const history = await historyOf(server, id)
    await using tab = await browser.open(`${server.url}/runs/${id}`)
    const { page, troubles } = tab
    for (let times = 0; times < extent(6, 60); times += 1) {
      const at = 1 + die(history.lastSeq - 1)
      const { snapshot, why } = await toldAt(server, id, at)
      await page.getByLabel('Event', { exact: true }).fill(String(at))
      await page.getByText(`as of event ${at} of ${history.lastSeq}`).waitFor()
      const header = page.getByRole('status', { name: 'Status of the run' })
      expect(await header.textContent()).toBe(runLook(snapshot.status).word)
      const nodes = await page.locator('.node').evaluateAll((all) => all.map((one) => one.ariaLabel))
      expect(nodes.map((label) => label?.replace(/^(\S+) .*, (.*?)$/, '$1: $2'))).toEqual(
        snapshot.steps.map((step) => `${step.stepId}: ${stepLook(step).word.split(', ').at(-1)}`),
      )
      const step = snapshot.steps[die(snapshot.steps.length)]
      await page
        .locator('.node')
        .nth(snapshot.steps.indexOf(step as never))
        .click()
      await page.getByRole('tab', { name: 'raw' }).click()
      const raw = await page.getByRole('region', { name: `state of ${step?.stepId}` }).textContent()
      expect(JSON.parse(raw ?? '')).toEqual(step)
      await page.getByRole('tab', { name: 'why' }).click()
      const told = await page.locator('.causes li').allTextContents()
      const asked = {
        now: history.msAt(at),
        recordAt: (seq: number) => history.recordAt(seq),
        findLast: () => undefined,
      }
      const sentences = (await why(step?.stepId ?? '')).map((cause) => tellCause(cause, asked).sentence)
      expect(told.map((text, index) => text.startsWith(sentences[index] ?? 'none'))).toEqual(sentences.map(() => true))
    }
    expect(troubles).toEqual([])
  }
})
