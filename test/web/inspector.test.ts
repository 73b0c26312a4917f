/** The inspector in a real browser: the input with what made it, attempts with their verdicts, artifacts that are looked at safely; and axe. */
import { readFile } from 'node:fs/promises'
import axe from 'axe-core'
import { expect, it } from 'vitest'
import type { StepContext } from '../../src/main.ts'
import { testFolder } from '../fixtures/folder.ts'
import { ended, LOCAL, servedPage, start, testBrowser } from './browser.ts'
import { THEMES, widthsIn } from './looks.ts'
import { BUSY, testSteps } from './plans.ts'
import { XSS } from './xss-corpus.ts'

const browser = testBrowser()

const MADE = `
plan: made
version: 1.0.0
steps:
  - id: make
    run: make
    with: { text: 'from \${input.city} to \${input.to}', plain: 3, whole: '\${input.city}' }
    secrets: { API_KEY: 'secret://shop/key' }
    retry: { maxAttempts: 2, initialBackoff: 1ms }
`

const SECRET = 'not-to-be-seen-anywhere'

/** One point, red and half transparent. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)
const RED = [255, 0, 0, 127]
const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" onload="window.executed=1"><script>window.executed=1</script></svg>'

const make = async (_input: unknown, { artifacts }: StepContext): Promise<string> => {
  await artifacts.put(PNG, { kind: 'picture', name: 'red.png' })
  await artifacts.put(SVG, { kind: 'picture', name: 'drawn.svg' })
  await artifacts.put(TEXTS, { kind: 'text', name: 'notes.html' })
  await artifacts.put(new Uint8Array([0, 255, 1, 254]), { kind: 'bytes', name: 'four.bin' })
  return 'made'
}

/** As many as a preview shows. */
const TEXTS = XSS.slice(0, 250).join('\n')

it('shows the input beside the expressions that made it, and a secret by its reference alone', async () => {
  const secrets = { resolve: async (refs: readonly string[]) => new Map(refs.map((ref) => [ref, { value: SECRET }])) }
  await using server = await servedPage({ steps: { make: () => 'made' }, secrets })
  await server.publish(MADE, LOCAL)
  const id = await start(server, 'made', { city: 'Köln', to: '<b>Bonn</b>' })
  await ended(server, id)
  await using tab = await browser.open(`${server.url}/runs/${id}?step=make&tab=input`)
  const { page, troubles } = tab
  const table = page.getByRole('table', { name: 'Input of make, and what made it' })
  const row = table.getByRole('row', { name: /^text/ })
  await row.getByText('from ${input.city} to ${input.to}').waitFor()
  await row.getByText('"from Köln to <b>Bonn</b>"').waitFor()
  await table.getByRole('row', { name: 'plain as it is 3' }).waitFor()
  await page.getByRole('list', { name: 'Secrets, by their references' }).getByText('secret://shop/key').waitFor()
  expect(await page.content()).not.toContain(SECRET)
  await row.getByRole('button', { name: 'try input.to' }).click()
  await page.getByRole('button', { name: 'Evaluate' }).click()
  const value = page.getByRole('region', { name: 'value of the expression' })
  await expect.poll(() => value.textContent()).toBe('"<b>Bonn</b>"')
  expect(troubles).toEqual([])
})

it('tells of each attempt who did it, what the error is, and why it was tried again or not [ATT-07]', async () => {
  await using server = await servedPage({ steps: testSteps().steps })
  await server.publish(BUSY, LOCAL)
  const id = await start(server, 'busy', { items: [1] })
  await ended(server, id)
  await using tab = await browser.open(`${server.url}/runs/${id}?step=open&tab=attempts`)
  const { page, troubles } = tab
  const attempts = page.getByRole('tabpanel').getByRole('listitem')
  await attempts.first().getByText('tried again: an error of class 5xx may pass (attempt 1 of 3)').waitFor()
  await attempts
    .first()
    .getByText(/class 5xx, infrastructure, HTTP 503/)
    .waitFor()
  await attempts
    .nth(1)
    .getByText(/Retry #1 · Platform attempt 1/)
    .waitFor()
  await attempts
    .first()
    .getByRole('button', { name: /^event \d+$/ })
    .click()
  await page.getByText(/^as of event/).waitFor()
  await page.goto(`${server.url}/runs/${id}?step=saved&tab=attempts`)
  await page.getByText(/not tried again .*: its fallback runs next/).waitFor()
  await page.getByText('fallback 1').waitFor()
  await page.goto(`${server.url}/runs/${id}?step=ignored&tab=attempts`)
  await page.getByText('not tried again: it was attempt 1 of 1; the run goes on without it').waitFor()
  expect(troubles).toEqual([])
})

it('shows artifacts as texts and painted pictures and nothing else, and gives their bytes as a file', async () => {
  await using server = await servedPage({ steps: { make }, directory: testFolder() })
  await server.publish(MADE.replace(/\n {4}secrets:.*/, ''), LOCAL)
  const id = await start(server, 'made', { city: 'a', to: 'b' })
  await ended(server, id)
  await using tab = await browser.open(`${server.url}/runs/${id}?step=make&tab=artifacts`)
  const { page, troubles } = tab
  const one = (name: string) =>
    page.getByRole('list', { name: 'Artifacts' }).getByRole('listitem').filter({ hasText: name })
  await one('four.bin').getByText('4 bytes').waitFor()
  await page.getByRole('button', { name: 'Show red.png' }).click()
  await one('red.png').getByText('image/png, 1 × 1').waitFor()
  const red = await page.evaluate(
    `[...document.querySelector('canvas[aria-label="Picture red.png"]').getContext('2d').getImageData(0, 0, 1, 1).data]`,
  )
  expect(red).toEqual(RED)
  await page.getByRole('button', { name: 'Show drawn.svg' }).click()
  expect(await page.getByRole('region', { name: 'Text of drawn.svg' }).textContent()).toBe(SVG)
  await page.getByRole('button', { name: 'Show notes.html' }).click()
  expect(await page.getByRole('region', { name: 'Text of notes.html' }).textContent()).toBe(TEXTS)
  await page.getByRole('button', { name: 'Show four.bin' }).click()
  await one('four.bin').getByText('neither a text nor a picture').waitFor()
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download four.bin' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('four.bin')
  expect([...(await readFile(await download.path()))]).toEqual([0, 255, 1, 254])
  expect(await page.evaluate('window.executed')).toBeUndefined()
  expect(troubles).toEqual([])
})

interface Found {
  readonly id: string
  readonly impact: string
  readonly targets: readonly string[]
}

it('has nothing that axe calls serious in forks, comparisons and the inspector, in both themes, wide and narrow', async () => {
  await using server = await servedPage({ steps: { ...testSteps().steps, make } })
  await server.publish(BUSY, LOCAL)
  await server.publish(MADE, LOCAL)
  const runs = [await start(server, 'busy', { items: [1, 2] }), await start(server, 'busy', { items: [1, 2, 3] })]
  for (const id of runs) await ended(server, id)
  const [one = '', other = ''] = runs
  const pages: readonly (readonly [path: string, isThere: string])[] = [
    [`/runs/${one}/fork?from=open`, 'asked for'],
    [`/runs/${one}/compare`, 'Runs of the same plan'],
    [`/runs/${one}/compare?with=${other}`, 'First difference'],
    [`/runs/${one}?at=8&step=open&tab=event`, 'verified in this browser'],
    [`/runs/${one}?step=each[0]&tab=input`, 'in the plan'],
    [`/runs/${one}?step=open&tab=attempts`, 'tried again'],
    [`/runs/${one}?step=each[0]&tab=try&expr=item`, 'Evaluate'],
    [`/?pick=${one},${other}`, 'Compare run'],
  ]
  const found: object[] = []
  for (const colorScheme of THEMES)
    for (const width of widthsIn(colorScheme)) {
      await using tab = await browser.open(server.url, { colorScheme, viewport: { width, height: 800 } })
      const { page, troubles } = tab
      for (const [path, isThere] of pages) {
        await page.goto(`${server.url}${path}`)
        if (width === 360 && /^\/runs\/[^/]*$/.test(path)) await page.getByRole('button', { name: 'inspector' }).click()
        await page.getByText(isThere).locator('visible=true').first().waitFor()
        const wide = await page.evaluate('document.documentElement.scrollWidth')
        expect([path, width, Number(wide) <= width]).toEqual([path, width, true])
        await page.evaluate(axe.source)
        const violations =
          (await page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
          violations.map(({ id, impact, nodes }) => ({ id, impact, targets: nodes.map(({ target }) => target.join(' ')) })))`)) as Found[]
        for (const { impact, ...rest } of violations)
          if (impact === 'serious' || impact === 'critical') found.push({ path, colorScheme, width, ...rest })
      }
      expect(troubles).toEqual([])
    }
  expect(found).toEqual([])
})
