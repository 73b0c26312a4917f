/**
 * The pictures of the guides, and more of the same, taken from a real server and a real browser: in both themes, wide and narrow. They
 * go to the folder that KEELSON_PICTURES names, from where those of `docs/images` are copied; without it nowhere: then this only
 * shows that every one can be taken.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Served } from '../server/served.ts'
import { extent } from '../setup/extent.ts'
import { ended, LOCAL, servedPage, start, testBrowser, type Tab } from './browser.ts'
import { pictureSteps, PICTURED } from './pictured-plans.ts'

const browser = testBrowser()
const FOLDER = process.env['KEELSON_PICTURES'] ?? ''
/** A page that shows nothing is smaller. */
const LEAST_BYTES = 8_000

interface Picture {
  readonly name: string
  readonly path: string
  readonly isThere: string
  /** On a narrow screen: the part of a run that is shown. */
  readonly pane?: string
}

const ALL_SIZES = [
  { colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
  { colorScheme: 'light', viewport: { width: 360, height: 740 } },
  { colorScheme: 'dark', viewport: { width: 360, height: 740 } },
] as const
/** Where nobody wants the pictures, each theme and each width once. */
const SIZES = extent<readonly (typeof ALL_SIZES)[number][]>(
  FOLDER === '' ? [ALL_SIZES[0], ALL_SIZES[3]] : ALL_SIZES,
  ALL_SIZES,
)

async function take({ page }: Tab, url: string, picture: Picture, suffix: string): Promise<number> {
  await page.goto(`${url}${picture.path}`)
  await page.getByText(picture.isThere).first().waitFor({ state: 'attached' })
  // A picture of a run is taken when the browser has verified all of its log.
  if (picture.path.startsWith('/runs/'))
    await page
      .locator('.chain-note')
      .getByText(/^verified here/)
      .waitFor({ state: 'attached' })
  const pane = picture.pane === undefined ? undefined : page.getByRole('button', { name: picture.pane, exact: true })
  if (await pane?.isVisible()) await pane?.click()
  const taken = await page.screenshot({ animations: 'disabled' })
  if (FOLDER !== '') writeFileSync(join(FOLDER, `${picture.name}${suffix}.png`), taken)
  return taken.length
}

async function pictured(server: Served): Promise<readonly Picture[]> {
  for (const plan of PICTURED) await server.publish(plan, LOCAL)
  const order = await start(server, 'order-fulfilment', { items: Array.from({ length: 200 }, (_, at) => at) })
  const saga = await start(server, 'trip')
  const large = await start(server, 'nightly-load', {})
  for (const id of [order, saga, large]) await ended(server, id)
  const waits = await start(server, 'release')
  const running = await start(server, 'import')
  return [
    { name: 'page-runs', path: '/', isThere: 'import' },
    { name: 'run-page', path: `/runs/${order}?at=300&step=pack&tab=items`, isThere: 'pack[0]', pane: 'graph' },
    { name: 'page-run', path: `/runs/${order}?step=pack&tab=items`, isThere: 'pack[0]', pane: 'timeline' },
    { name: 'page-saga', path: `/runs/${saga}?step=pay`, isThere: 'CARD_DECLINED', pane: 'graph' },
    { name: 'page-waits', path: `/runs/${waits}?step=sign`, isThere: 'it waits for a person', pane: 'inspector' },
    { name: 'page-running', path: `/runs/${running}?step=check`, isThere: 'load is running', pane: 'graph' },
    {
      name: 'page-large',
      path: `/runs/${large}?step=extract-eu-0007&open=1.extract-eu,1.extract-eu~0&zoom=1`,
      isThere: 'the end',
      pane: 'graph',
    },
    { name: 'page-tasks', path: `/tasks?run=${waits}&task=sign`, isThere: 'what approving releases' },
    { name: 'page-plans', path: '/plans', isThere: 'order-fulfilment' },
  ]
}

it('every page that the guides show can be shown as they show it, in both themes, wide and narrow', async () => {
  if (FOLDER !== '') mkdirSync(FOLDER, { recursive: true })
  const { steps, release } = pictureSteps()
  await using server = await servedPage({ steps })
  const pictures = await pictured(server)
  const sizes: number[] = []
  for (const { colorScheme, viewport } of SIZES) {
    await using tab = await browser.open(server.url, { colorScheme, viewport })
    const narrow = viewport.width < 800 ? '-narrow' : ''
    const suffix = `${narrow}${colorScheme === 'dark' ? '-dark' : ''}`
    for (const picture of pictures) sizes.push(await take(tab, server.url, picture, suffix))
    expect(tab.troubles).toEqual([])
  }
  release()
  expect(Math.min(...sizes)).toBeGreaterThan(LEAST_BYTES)
})
