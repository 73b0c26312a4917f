/**
 * Each payload of the corpus comes raw through each door by which texts of strangers reach the page, one by one, and is seen on the page as
 * the text that it is: nothing runs, and no policy is broken.
 */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Served } from '../server/served.ts'
import { extent } from '../setup/extent.ts'
import { ended, LOCAL, servedPage, start, testBrowser, type Tab } from './browser.ts'
import { XSS } from './xss-corpus.ts'

const browser = testBrowser()
const MOST_LABELS = 16
/** Where it would be read as an expression, its dollar stands alone. */
const PLAIN = XSS.map((text) => text.replaceAll('${', '$ {'))

/** In the browser, before anything else: which payloads were on the screen, as text, in a field, or as JSON. */
async function watch(page: Page, payloads: readonly string[]): Promise<void> {
  await page.evaluate(`(() => {
    const wanted = new Map(${JSON.stringify(payloads)}.map((text) => [text, [text, JSON.stringify(text).slice(1, -1)]]))
    window.look = () => {
      const fields = [...document.querySelectorAll('input, textarea')].map(({ value }) => value)
      const shown = document.body.textContent + fields.join(' ')
      for (const [text, forms] of wanted) if (forms.some((form) => shown.includes(form))) wanted.delete(text)
      return [...wanted.keys()]
    }
    window.drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  })()`)
}

/** What of the payloads has not been seen when one has looked at everything. */
async function unseen(page: Page, walk = ''): Promise<readonly string[]> {
  const left = await page.evaluate(`(async () => { ${walk}; await window.drawn(); return window.look() })()`)
  expect(await page.evaluate('window.executed')).toBeUndefined()
  return left as readonly string[]
}

/** The whole list of events goes over the screen; the next part follows when the rows of this one are there. */
const ALL_EVENTS = `
  const list = document.querySelector('[role=listbox][aria-label=Events]')
  const isDrawn = () => {
    const places = [...list.querySelectorAll('.event')].map(({ offsetTop }) => offsetTop)
    const end = Math.min(list.scrollTop + list.clientHeight, list.scrollHeight) - 60
    return Math.min(...places) <= list.scrollTop && Math.max(...places) >= end
  }
  for (let top = 0; top < list.scrollHeight; top += list.clientHeight / 2) {
    list.scrollTop = top
    await window.drawn()
    for (let tries = 0; tries < 600 && !isDrawn(); tries += 1) await window.drawn()
    window.look()
  }`

/** Every address, as a link of the page opens it, until it shows its payload: some ask the server for it. */
const allOf = (paths: readonly (readonly [path: string, text: string])[]): string => `
  for (const [path, text] of ${JSON.stringify(paths)}) {
    history.pushState(null, '', path)
    dispatchEvent(new PopStateEvent('popstate'))
    for (let tries = 0; tries < 600 && window.look().includes(text); tries += 1) await window.drawn()
  }`

async function opened(tab: Tab, url: string, payloads: readonly string[]): Promise<void> {
  await tab.page.goto(url)
  await tab.page.getByText(/the end$|live$/).waitFor()
  await watch(tab.page, payloads)
}

const ITEMS = `
plan: items
version: 1.0.0
policy: { concurrency: 50, onFailure: continue, retry: { maxAttempts: 1 } }
inputs: { type: object, properties: { texts: { type: array, items: { type: string } }, fail: { type: boolean } } }
steps:
  - { id: each, forEach: input.texts, run: say, with: { text: '\${item}', fail: '\${input.fail}' } }
`
const say = ({ text, fail }: { readonly text: string; readonly fail: boolean }): string => {
  if (fail) throw Object.assign(new Error(text), { code: 'PAYLOAD' })
  return text
}

async function runOf(server: Served, planId: string, input: unknown): Promise<string> {
  const id = await start(server, planId, input)
  await ended(server, id)
  return id
}

it('shows each payload as a text that was an input, a result or an error of a step', async () => {
  expect(XSS.length).toBeGreaterThanOrEqual(300)

  await using server = await servedPage({ steps: { say } })
  await server.publish(ITEMS, LOCAL)
  await using tab = await browser.open(server.url)
  for (const fail of [false, true]) {
    const id = await runOf(server, 'items', { texts: XSS, fail })
    await opened(tab, `${server.url}/runs/${id}`, XSS)
    expect(await unseen(tab.page, ALL_EVENTS)).toEqual([])
    // In its tabs, each takes a request: every way of running once, each way out of the text some time.
    const some = [...XSS.entries()].filter(([at]) => at % extent(9, 1) === 0)
    await watch(
      tab.page,
      some.map(([, text]) => text),
    )
    const tabOf = fail ? 'attempts' : 'output'
    const slots = some.map(
      ([at, text]) => [`/runs/${id}?step=${encodeURIComponent(`each[${at}]`)}&tab=${tabOf}`, text] as const,
    )
    expect(await unseen(tab.page, allOf(slots))).toEqual([])
  }
})

it('shows each payload as a text that was the name of a person or a reason', async () => {
  const gate = Promise.withResolvers<void>()
  await using server = await servedPage({ steps: { held: () => gate.promise } })
  await server.publish('plan: held\nversion: 1.0.0\nsteps: [{ id: held, run: held }]\n', LOCAL)
  const id = await start(server, 'held')
  const run = await server.keelson.run(id)
  for (const [at, text] of XSS.entries())
    await run.signal(at % 2 === 0 ? 'PAUSE' : 'RESUME', { reason: `why: ${text}` }, { actorId: `who: ${text}` })
  await using tab = await browser.open(server.url)
  await opened(tab, `${server.url}/runs/${id}`, [
    ...XSS.map((text) => `who: ${text}`),
    ...XSS.map((text) => `"why: ${text}`),
  ])
  expect(await unseen(tab.page, ALL_EVENTS)).toEqual([])
  gate.resolve()
})

it('shows each payload as a text that was the name or the label of a step, a plan or a run', async () => {
  await using server = await servedPage({ steps: { say } })
  const quoted = (text: string | undefined): string => JSON.stringify(text)
  const steps = PLAIN.map(
    (text, at) =>
      `  - { id: s${at}, name: ${quoted(text)}, description: ${quoted(text)}, labels: { a: ${quoted(text)} }, run: say, with: { text: ${quoted(text)} } }`,
  )
  await server.publish(`plan: named\nversion: 1.0.0\nsteps:\n${steps.join('\n')}\n`, LOCAL)
  await using tab = await browser.open(`${server.url}/plans/named?tab=steps`)
  const { page } = tab
  await page.getByText('s0').first().waitFor()
  await watch(page, PLAIN)
  expect(await unseen(page)).toEqual([])
  for (let at = 0; at < PLAIN.length; at += MOST_LABELS) {
    const some = PLAIN.slice(at, at + MOST_LABELS)
    const labels = some.map((text, place) => `l${place}: ${quoted(text)}`).join(', ')
    const metadata = `name: ${quoted(some[0])}, description: ${quoted(some.join(' '))}, labels: { ${labels} }`
    await server.publish(
      `plan: labelled\nversion: 1.0.${at}\nmetadata: { ${metadata} }\nlabels: { ${labels} }\nsteps: [{ id: one, run: say }]\n`,
      LOCAL,
    )
    await page.goto(`${server.url}/plans/labelled?version=1.0.${at}&tab=text`)
    await page.getByText('"l0"').first().waitFor()
    await watch(page, some)
    expect(await unseen(page)).toEqual([])
  }
})

it('shows each payload as a text that was in the mapping of a trigger or in what came to it', async () => {
  await using server = await servedPage({ steps: { say } })
  await server.publish('plan: named\nversion: 1.0.0\nsteps: [{ id: one, run: say }]\n', LOCAL)
  for (const half of [0, 1]) {
    const texts = PLAIN.filter((_, at) => at % 2 === half)
    const body = {
      trigger: `t${half}`,
      planId: 'named',
      scheme: 'github',
      secret: 'a secret of sixteen',
      input: { texts },
    }
    expect((await server.call('POST /v1/triggers', { as: '', body })).status).toBe(201)
    await using tab = await browser.open(server.url)
    const { page } = tab
    for (const [path, isThere] of [
      [`/triggers/t${half}`, 'Body of a delivery'],
      [`/triggers/t${half}?edit=1`, 'Change it'],
    ] as const) {
      await page.goto(`${server.url}${path}`)
      await page.getByText(isThere).first().waitFor()
      await watch(page, texts)
      expect(await unseen(page)).toEqual([])
    }
    await page.goto(`${server.url}/triggers/t${half}`)
    await page.getByLabel('Body of a delivery').fill(JSON.stringify({ texts }))
    await page.getByRole('button', { name: 'Show its input' }).click()
    await page.getByRole('region', { name: 'the input that it would give' }).waitFor()
    expect(await page.evaluate('window.executed')).toBeUndefined()
  }
})
