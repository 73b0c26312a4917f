/** Texts of strangers stay texts, and everybody can use the page: no script runs, no policy is broken, axe finds nothing serious. */
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Served } from '../server/served.ts'
import { ended, LOCAL, servedPage, start, testBrowser, type Tab } from './browser.ts'
import { BUSY, GATED, SAGA, testSteps } from './plans.ts'
import { XSS } from './xss-corpus.ts'

const browser = testBrowser()

interface Found {
  readonly id: string
  readonly impact: string
  readonly targets: readonly string[]
}

/** What axe calls serious or critical. It runs beside the page's own policy, which forbids scripts of others. */
async function seriousIn(page: Page): Promise<readonly Found[]> {
  await page.evaluate(axe.source)
  const found = await page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.map(({ id, impact, nodes }) => ({ id, impact, targets: nodes.map(({ target }) => target.join(' ')) })))`)
  return (found as Found[]).filter(({ impact }) => impact === 'serious' || impact === 'critical')
}

const signal = (server: Served, id: string, signalType: string, reason: string, as: string): Promise<unknown> =>
  server.call(`POST /v1/executions/${id}/signals`, {
    as: '',
    headers: { 'x-keelson-act-as': as },
    body: { signalId: crypto.randomUUID(), signalType, payload: { reason } },
  })

/** Everything that the page can show of a run is on the screen once. */
async function lookAtAll({ page }: Tab, url: string, steps: readonly string[]): Promise<void> {
  await page.goto(url)
  await page.getByRole('listbox', { name: 'Events' }).waitFor()
  for (const step of steps)
    for (const tab of ['why', 'input', 'output', 'attempts', 'event', 'raw']) {
      await page.goto(`${url}?step=${step}&tab=${tab}`)
      await page.getByRole('tabpanel').waitFor()
    }
}

it('executes nothing of what plans, steps, people and errors say, and breaks no policy', async () => {
  expect(XSS.length).toBeGreaterThanOrEqual(300)
  const gate = Promise.withResolvers<void>()
  await using server = await servedPage({
    steps: {
      all: () => ({ texts: XSS, [XSS[0] ?? '']: XSS[1] }),
      held: () => gate.promise,
      fails: () => {
        throw Object.assign(new Error(XSS.join('\n')), { code: 'PAYLOAD' })
      },
    },
  })
  const named = JSON.stringify(XSS.slice(0, 4).join(' '))
  const plan = `
plan: hostile
version: 1.0.0
labels: { team: ${JSON.stringify(XSS[3])} }
inputs: { type: object, properties: { text: { type: string, description: ${named}, default: ${JSON.stringify(XSS[5])} } } }
steps:
  - { id: all, run: all, name: ${named}, with: { text: '\${input.text}' } }
  - { id: held, run: held, dependsOn: [all] }
  - { id: sign, dependsOn: [all], manual: { title: ${named}, instructions: ${named} } }
  - { id: fails, run: fails, dependsOn: [held], retry: { maxAttempts: 1 } }
`
  await server.publish(plan, LOCAL)
  const id = await start(server, 'hostile', { text: XSS.join(' ') })
  await using tab = await browser.open(`${server.url}/runs/${id}?step=all`)
  const { page, troubles } = tab
  await page
    .getByRole('button', { name: /^held .*, running$/ })
    .first()
    .waitFor()
  for (const [at, reason] of XSS.slice(0, 6).entries()) {
    await signal(server, id, at % 2 === 0 ? 'PAUSE' : 'RESUME', reason.slice(0, 400), `eve-${at}`)
    await page
      .getByRole('status', { name: 'Status of the run' })
      .getByText(at % 2 === 0 ? 'paused' : 'running')
      .waitFor()
  }
  const sign = `?run=${id}&task=sign`
  await page.goto(`${server.url}/tasks${sign}`)
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByText('Recorded: Succeeded.').waitFor()
  await page.goto(`${server.url}/runs/${id}?step=all`)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog').getByText('is asked to stop: held').waitFor()
  await page.keyboard.press('Escape')
  gate.resolve()
  await page.getByRole('status', { name: 'Status of the run' }).getByText('failed').waitFor()
  await lookAtAll(tab, `${server.url}/runs/${id}`, ['all', 'held', 'fails'])
  for (const path of ['/', '/plans', '/plans/hostile', '/runs/%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E'])
    await page.goto(`${server.url}${path}`)
  await page.goto(`${server.url}/?q=${encodeURIComponent(XSS.slice(0, 30).join(' '))}`)
  await page.getByText('Not understood').first().waitFor()
  expect(await page.evaluate('window.executed')).toBeUndefined()
  // A run that does not exist is answered 404, and the browser says so.
  expect(troubles.filter((text) => !text.includes('404'))).toEqual([])
})

const SIGNED = `
plan: signed
version: 1.0.0
steps:
  - id: sign
    manual: { title: Sign, instructions: Look at it first, evidenceSchema: { type: object, properties: { amount: { type: number } } } }
  - { id: pay, run: echo, dependsOn: [sign] }
`

const THEMES = ['light', 'dark'] as const
const WIDTHS = [1440, 360] as const

it('has nothing that axe calls serious, on every page, in both themes, wide and narrow', async () => {
  const { steps, gate } = testSteps()
  await using server = await servedPage({ steps })
  for (const plan of [BUSY, SAGA, GATED, SIGNED]) await server.publish(plan, LOCAL)
  const busy = await start(server, 'busy', { items: [1, 2, 3, 4] })
  const saga = await start(server, 'saga')
  for (const id of [busy, saga]) await ended(server, id)
  const gated = await start(server, 'gated')
  const signed = await start(server, 'signed')
  const pages: readonly (readonly [path: string, isThere: string])[] = [
    ['/', 'gated'],
    ['/?q=plan%3Asaga+statu%3Ax', 'did you mean'],
    [`/runs/${busy}?step=each&tab=items`, 'each[0]'],
    [`/runs/${saga}?at=9&step=ship&tab=attempts`, 'WAREHOUSE_FULL'],
    [`/runs/${gated}?step=second`, 'first is running'],
    [`/tasks?run=${signed}&task=sign`, 'what approving releases'],
    ['/?q=plan%3Asaga&act=PAUSE', 'would refuse: RUN_TERMINAL'],
    ['/operations', 'Nobody has acted'],
    ['/plans', 'saga'],
    ['/plans/busy', 'Start busy'],
    ['/keys?new=1', 'Make the key'],
  ]
  const found: object[] = []
  for (const colorScheme of THEMES)
    for (const width of WIDTHS) {
      await using tab = await browser.open(server.url, { colorScheme, viewport: { width, height: 800 } })
      const { page, troubles } = tab
      for (const [path, isThere] of pages) {
        await page.goto(`${server.url}${path}`)
        const shown = page.getByText(isThere).first()
        await shown.waitFor({ state: 'attached' })
        if (width === 360 && path.startsWith('/runs/')) await page.getByRole('button', { name: 'inspector' }).click()
        if (path.includes('step=second')) {
          if (width === 360) await page.getByRole('button', { name: 'inspector' }).click()
          await page.getByRole('button', { name: 'Cancel' }).first().click()
          await page.getByRole('region', { name: 'what will happen' }).waitFor()
        }
        const wide = await page.evaluate('document.documentElement.scrollWidth')
        expect([path, width, Number(wide) <= width]).toEqual([path, width, true])
        for (const one of await seriousIn(page)) found.push({ path, colorScheme, width, ...one })
      }
      expect(troubles).toEqual([])
    }
  gate.open()
  expect(found).toEqual([])
})
