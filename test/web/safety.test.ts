/** Texts of strangers stay texts, and everybody can use the page: no script runs, no policy is broken, axe finds nothing serious. */
import { expect, it } from 'vitest'
import { pageFiles } from '../../src/edge/http/page/page-files.ts'
import { served, type Served } from '../server/served.ts'
import { seriousIn } from './axe.ts'
import { ended, LOCAL, servedPage, start, testBrowser, type Tab } from './browser.ts'
import { fineEverywhere } from './everywhere.ts'
import { THEMES, widthsIn } from './looks.ts'
import { BUSY, GATED, SAGA, testSteps } from './plans.ts'
import { XSS } from './xss-corpus.ts'

const browser = testBrowser()

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
  // A run that does not exist.
  tab.expects(404)
  const { page } = tab
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
  for (const path of ['/', '/plans', '/runs/%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E'])
    await page.goto(`${server.url}${path}`)
  await page.goto(`${server.url}/?q=${encodeURIComponent(XSS.slice(0, 30).join(' '))}`)
  await page.getByText('Not understood').first().waitFor()
  expect(await page.evaluate('window.executed')).toBeUndefined()
})

const SIGNED = `
plan: signed
version: 1.0.0
steps:
  - id: sign
    manual: { title: Sign, instructions: Look at it first, evidenceSchema: { type: object, properties: { amount: { type: number } } } }
  - { id: pay, run: echo, dependsOn: [sign] }
`

/** What the pages of operators have to show: who waits for what, a limit, a pause, a pool, and a worker. */
async function fillOperating(server: Served): Promise<void> {
  const ask = async (line: string, body: object): Promise<void> => {
    expect((await server.call(line, { as: '', body })).status).toBeLessThan(300)
  }
  await server.publish(GATED.replace('plan: gated', 'plan: heavy'), LOCAL)
  await ask('PUT /v1/limits/plan:heavy', { maxRunning: 1 })
  await ask('PUT /v1/pauses/plan:none', { reason: 'stock count' })
  await start(server, 'heavy')
  await start(server, 'heavy')
  await ask('POST /v1/executions', { planId: 'heavy', queue: true, needsApproval: true })
  await ask('POST /v1/work/claim', { queues: ['gpu'], handlers: ['train'], waitMs: 0 })
}

it('has nothing that axe calls serious, on every page, in both themes, wide and narrow', async () => {
  const { steps, gate } = testSteps()
  await using server = await servedPage({ steps })
  for (const plan of [BUSY, SAGA, GATED, SIGNED]) await server.publish(plan, LOCAL)
  const busy = await start(server, 'busy', { items: [1, 2, 3, 4] })
  const saga = await start(server, 'saga')
  for (const id of [busy, saga]) await ended(server, id)
  const gated = await start(server, 'gated')
  const signed = await start(server, 'signed')
  await fillOperating(server)
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
    ['/plans/busy?step=each', 'for each of'],
    ['/plans/busy/start', 'Start busy'],
    ['/keys?new=1', 'Make the key'],
    ['/queue', 'Wait for approval'],
    ['/pools?limit=plan%3Aheavy&pause=new', 'Change the limit …'],
    ['/engines', 'last asked'],
  ]
  const found: object[] = []
  for (const colorScheme of THEMES)
    for (const width of widthsIn(colorScheme)) {
      await using tab = await browser.open(server.url, { colorScheme, viewport: { width, height: 800 } })
      const { page, troubles } = tab
      for (const [path, isThere] of pages) {
        await page.goto(`${server.url}${path}`)
        const shown = page.getByText(isThere).first()
        await shown.waitFor({ state: 'attached' })
        if (width === 360 && path.startsWith('/runs/')) {
          for (const pane of ['timeline', 'events', 'graph', 'inspector']) {
            await page.getByRole('button', { name: pane, exact: true }).click()
            for (const one of await seriousIn(page)) found.push({ path, pane, colorScheme, width, ...one })
          }
        }
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

it('has nothing that axe calls serious where it asks for a key, in both themes, wide and narrow', async () => {
  await using server = await served({}, { page: pageFiles() })
  await fineEverywhere(browser, { url: server.url, pages: [['/', 'API key']] })
})
