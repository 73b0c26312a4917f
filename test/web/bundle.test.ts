/** A run from a file: it is proved in the browser, shown as any other run, and nobody is asked for it. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { testFolder } from '../fixtures/folder.ts'
import { relinked } from '../fixtures/relinked-bundle.ts'
import type { OpenOptions } from '../../src/main.ts'
import { pageFiles } from '../../src/edge/http/page/page-files.ts'
import { served, type Served } from '../server/served.ts'
import { seriousIn } from './axe.ts'
import { ended, LOCAL, servedPage, start, testBrowser, type Tab } from './browser.ts'
import { THEMES, widthsIn } from './looks.ts'
import { BUSY, GATED, testSteps } from './plans.ts'
import { XSS } from './xss-corpus.ts'

const browser = testBrowser()

/** With a folder: a store in memory has no bundles. */
const keptPage = (opening: OpenOptions): Promise<Served> => servedPage({ directory: testFolder(), ...opening })

async function bundleOf(server: Served, executionId: string): Promise<string> {
  const { status, text } = await server.call(`GET /v1/executions/${executionId}/bundle`, { as: '' })
  expect(status).toBe(200)
  return text
}

async function busyBundle(server: Served): Promise<string> {
  await server.publish(BUSY, LOCAL)
  const id = await start(server, 'busy', { items: [1, 2, 3, 4] })
  await ended(server, id)
  return bundleOf(server, id)
}

const choose = (page: Page, text: string, name = 'run.jsonl'): Promise<void> =>
  page
    .getByLabel('Bundle', { exact: true })
    .setInputFiles({ name, mimeType: 'application/x-ndjson', buffer: Buffer.from(text) })

/** As the browser tells it when somebody lets go of a file over the page. */
async function drop(page: Page, text: string): Promise<void> {
  const data = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer()
    transfer.items.add(new File([${JSON.stringify(text)}], 'dropped.jsonl'))
    return transfer
  })()`)
  await page.dispatchEvent('body', 'dragover', { dataTransfer: data })
  await page.getByText('Drop a bundle to open it here.').waitFor()
  await page.dispatchEvent('body', 'drop', { dataTransfer: data })
}

const linesOf = (text: string): readonly string[] => text.trimEnd().split('\n')
const proofOf = ({ page }: Tab) => page.getByRole('status', { name: 'Proof of the file' })

it('shows a dropped file as a run, verified to its last event, after the server has gone', async () => {
  const { steps } = testSteps()
  await using server = await keptPage({ steps })
  const text = await busyBundle(server)
  const events = linesOf(text).filter((line) => line.includes('"part":"event"')).length
  await using tab = await browser.open('about:blank')
  tab.expects(/net::ERR_(CONNECTION|SOCKET_NOT_CONNECTED)/)
  const { page } = tab
  const ahead = page.waitForResponse(/bundle-page.*\.js/)
  await page.goto(server.url)
  await (await ahead).finished()
  await page.getByRole('row').filter({ hasText: 'busy' }).first().waitFor()
  await server.close()
  await page.getByText('the server does not answer').waitFor()
  const asked: string[] = []
  page.on('request', (request) => {
    if (!/\/healthz$|\/v1\/stream$|\/mark-[^/]*\.svg$/.test(request.url())) asked.push(request.url())
  })
  await drop(page, text)
  await proofOf(tab).getByText(`from file, verified to event ${events}`).waitFor()
  expect(new URL(page.url()).pathname).toBe('/bundle')
  await page.getByRole('status', { name: 'Status of the run' }).getByText('completed').waitFor()
  for (const part of ['Graph', 'Timeline', 'Events']) await page.getByRole('region', { name: part }).waitFor()
  // The cursor, why, output and attempts work as they do on a server's run.
  await page.getByRole('slider', { name: 'Event' }).press('ArrowLeft')
  await page.getByText(`as of event ${events - 1} of ${events}`).waitFor()
  await page.keyboard.press('n')
  await page
    .getByRole('button', { name: /^each .*succeeded/ })
    .first()
    .click()
  await page.getByRole('tab', { name: 'items' }).click()
  await page.getByRole('button', { name: /^each\[3\]/ }).click()
  await page.getByRole('tab', { name: 'output' }).click()
  await page.getByRole('region', { name: 'output of each[3]' }).getByText('16').waitFor()
  await page.getByRole('tab', { name: 'input' }).click()
  await page.getByText('A server maps the input from the log').waitFor()
  await page.getByRole('tab', { name: /^attempts/ }).click()
  await page.getByText('attempt 2').waitFor()
  expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0)
  expect(asked).toEqual([])
})

it('says what was proved of a file and what was not, by keyboard, and lets go of it', async () => {
  const { steps } = testSteps()
  await using server = await keptPage({ steps })
  const text = await busyBundle(server)
  await using tab = await browser.open(`${server.url}/bundle`)
  const { page, troubles } = tab
  await page.getByText('keelson export last --out run.jsonl').waitFor()
  await choose(page, text)
  await page.getByRole('button', { name: 'what was proved' }).press('Enter')
  const note = page.getByRole('region', { name: 'The file' })
  await note.getByText('The plan is the one whose hash is in the log.').waitFor()
  await note.getByText('Somebody who writes the whole file again can make all hashes anew').waitFor()
  await note.getByText(/their signatures were not checked|has no signed receipts/).waitFor()
  const head = JSON.parse(linesOf(text)[0] ?? '') as { readonly body: { readonly headHash: string } }
  await note.getByTitle(head.body.headHash).waitFor()
  await note.getByRole('button', { name: 'another file' }).press('Enter')
  await page.getByRole('heading', { name: 'A run from a file' }).waitFor()
  expect(troubles).toEqual([])
})

interface Change {
  readonly name: string
  readonly text: (lines: readonly string[]) => string
  readonly says: RegExp
  /** The last event that is shown; undefined: nothing is. */
  readonly shown?: number
}

/** Changes the record of one event and makes every link fit again. */
const forged = (runSeq: number, change: (body: Record<string, unknown>) => unknown) => (lines: readonly string[]) =>
  `${relinked(lines, (part, body) => (part === 'event' && body['runSeq'] === runSeq ? change(body) : body))}\n`

const CHANGES: readonly Change[] = [
  {
    name: 'a word in event 7, links left as they were',
    text: (lines) =>
      lines.map((line) => (line.includes('"runSeq":7,') ? line.replace('emittedBy', 'emittedBi') : line)).join('\n'),
    says: /Event 7 does not fit: line \d+: the line was altered/,
    shown: 6,
  },
  {
    name: 'the bytes of event 7, with links that fit again',
    text: forged(7, (body) => ({
      ...body,
      record: String(body['record']).replace(/"emittedAt":"2/, '"emittedAt":"3'),
    })),
    says: /Event 7 does not fit: line \d+: event 7: its chainHash does not follow/,
    shown: 6,
  },
  {
    name: 'event 7 left out',
    text: forged(7, () => undefined),
    says: /Event 8 does not fit: line \d+: event 8: its/,
    shown: 6,
  },
  {
    name: 'torn in the middle',
    text: (lines) => lines.slice(0, 12).join('\n').slice(0, -20),
    says: /After event \d+ the file does not fit: line 12: the line is torn/,
    shown: 9,
  },
  {
    name: 'its end cut off between two events',
    text: (lines) => `${lines.slice(0, 12).join('\n')}\n`,
    says: /After event 10 the file does not fit: line 13: the file ends too early/,
    shown: 10,
  },
  {
    name: 'another plan',
    text: (lines) => `${relinked(lines, (part, body) => (part === 'plan' ? { ...body, text: '{}' } : body))}\n`,
    says: /the plan does not have its hash/,
  },
  { name: 'no bundle at all', text: () => 'hello\n', says: /line 1: the line is torn/ },
  { name: 'an empty file', text: () => '', says: /line 1: the file ends too early/ },
]

it('marks the exact event at which a file was changed or torn, and shows nothing from there on', async () => {
  const { steps } = testSteps()
  await using server = await keptPage({ steps })
  const lines = linesOf(await busyBundle(server))
  await using tab = await browser.open(`${server.url}/bundle`)
  const { page, troubles } = tab
  for (const { name, text, says, shown } of CHANGES) {
    await page.goto(`${server.url}/bundle`)
    await choose(page, text(lines))
    const told = page.getByRole('alert')
    await told.waitFor()
    expect([name, await told.textContent()]).toEqual([name, expect.stringMatching(says)])
    if (shown === undefined) {
      expect([name, await page.getByRole('region', { name: 'Graph' }).count()]).toEqual([name, 0])
      continue
    }
    expect([name, await proofOf(tab).textContent()]).toEqual([
      name,
      expect.stringContaining(`verified to event ${shown}`),
    ])
    const cursor = page.getByRole('slider', { name: 'Event' })
    expect([name, await cursor.getAttribute('max')]).toEqual([name, String(shown)])
  }
  expect(troubles).toEqual([])
})

it('opens a file for somebody who has no key of the server', async () => {
  const { steps } = testSteps()
  await using server = await keptPage({ steps })
  const text = await busyBundle(server)
  await using strict = await served({}, { page: pageFiles() })
  await using tab = await browser.open(`${strict.url}/bundle`)
  tab.expects(401, 404)
  await choose(tab.page, text)
  await proofOf(tab).waitFor()
  await tab.page.getByRole('link', { name: 'Runs', exact: true }).click()
  await tab.page.getByLabel('API key').waitFor()
})

it('executes nothing that a file says, and axe finds nothing serious, in both themes, wide and narrow', async () => {
  const { steps, gate } = testSteps()
  await using server = await keptPage({ steps: { ...steps, all: () => ({ texts: XSS, [XSS[0] ?? '']: XSS[1] }) } })
  const named = JSON.stringify(XSS.slice(0, 4).join(' '))
  await server.publish(`${GATED}  - { id: all, run: all, name: ${named}, with: { text: ${named} } }\n`, LOCAL)
  const id = await start(server, 'gated')
  gate.open()
  await ended(server, id)
  const lines = linesOf(await bundleOf(server, id))
  const whole = `${lines.join('\n')}\n`
  // Names in the row of the run are not the log's; and a line that is not of this bundle may say anything.
  const hostile = `${relinked(lines, (part, body) => (part === 'run' ? { ...body, triggeredBy: XSS[0], engineType: XSS[1] } : body))}\n`
  const torn = `${lines.slice(0, 6).join('\n')}\n${XSS.join(' ').replaceAll('\n', ' ')}\n`
  const found: object[] = []
  for (const colorScheme of THEMES)
    for (const width of widthsIn(colorScheme)) {
      await using tab = await browser.open(`${server.url}/bundle`, { colorScheme, viewport: { width, height: 800 } })
      const { page, troubles } = tab
      const look = async (name: string): Promise<void> => {
        const wide = await page.evaluate('document.documentElement.scrollWidth')
        expect([name, width, Number(wide) <= width]).toEqual([name, width, true])
        for (const one of await seriousIn(page)) found.push({ name, colorScheme, width, ...one })
      }
      await look('nothing chosen')
      for (const [name, text] of Object.entries({ whole, hostile, torn, refused: XSS.join('\n') })) {
        await page.goto(`${server.url}/bundle`)
        await choose(page, text, `${XSS[2]?.replaceAll(/[/\\]/g, '') ?? ''}.jsonl`)
        if (name === 'refused') await page.getByRole('alert').waitFor()
        else await page.getByRole('button', { name: 'what was proved' }).click()
        await look(name)
      }
      expect(await page.evaluate('window.executed')).toBeUndefined()
      expect(troubles).toEqual([])
    }
  expect(found).toEqual([])
})
