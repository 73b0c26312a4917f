/** Plans in a real browser: versions, graph, steps and problems of one; what changed between two, and the runs that each change touches. */
import { expect, it } from 'vitest'
import { seriousIn } from './axe.ts'
import { ended, LOCAL, servedPage, start, testBrowser } from './browser.ts'
import { THEMES, widthsIn } from './looks.ts'
import { testSteps } from './plans.ts'
import { XSS } from './xss-corpus.ts'

const browser = testBrowser()

const ORDER = `
plan: order
version: 1.0.0
metadata: { name: Order fulfilment, description: Ships one order. }
inputs:
  type: object
  required: [orderId, amount]
  properties:
    orderId: { type: string, minLength: 3, description: As the shop names it }
    amount: { type: integer, minimum: 1 }
    kind: { enum: [parcel, letter], default: parcel }
    lines: { type: array, items: { type: integer } }
steps:
  - { id: reserve, run: gated, retry: { maxAttempts: 2 } }
  - { id: charge, run: echo, dependsOn: [reserve], with: { amount: '\${input.amount}' }, compensate: { run: echo } }
  - { id: print, run: echo, dependsOn: [reserve] }
  - { id: ship, run: echo, dependsOn: [charge, print] }
`

/** `print` is gone, `notify` is new, `charge` waits longer. */
const CHANGED = ORDER.replace('version: 1.0.0', 'version: 2.0.0')
  .replace('  - { id: print, run: echo, dependsOn: [reserve] }\n', '')
  .replace('dependsOn: [charge, print] }', 'dependsOn: [charge] }\n  - { id: notify, run: echo, dependsOn: [ship] }')
  .replace('compensate: { run: echo } }', 'timeout: 10s, compensate: { run: echo } }')

const GIVEN = { orderId: 'A-1', amount: 3 }

it('shows the versions of a plan, and of each its graph, steps, inputs and text, by an address', async () => {
  const { steps } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(ORDER, LOCAL)
  await server.publish(CHANGED, LOCAL)
  await using tab = await browser.open(`${server.url}/plans`)
  tab.expects(404)
  const { page } = tab
  await page.getByRole('link', { name: 'order', exact: true }).click()
  await page.getByRole('heading', { name: 'order 2.0.0' }).waitFor()
  await page.getByText('Ships one order.').waitFor()
  await page.getByText('It has not run yet.').waitFor()
  const versions = page.getByRole('region', { name: 'Versions' })
  await versions.getByText('2 versions').waitFor()
  expect(await versions.getByRole('link', { name: '2.0.0', exact: true }).getAttribute('aria-current')).toBe('true')
  await page.getByRole('button', { name: /^notify / }).click()
  await page.getByRole('list', { name: 'Steps' }).getByText('ship').waitFor()
  await versions.getByRole('link', { name: '1.0.0', exact: true }).click()
  await page.getByRole('heading', { name: 'order 1.0.0' }).waitFor()
  await page.getByRole('button', { name: /^print / }).waitFor()
  expect(await page.getByRole('button', { name: /^notify / }).count()).toBe(0)
  await page.getByRole('tab', { name: 'steps (4)' }).click()
  const told = page.getByRole('listitem').filter({ hasText: 'charge' }).first()
  await page.getByText('up to 2 times').waitFor()
  await told.waitFor()
  await page.getByRole('tab', { name: 'inputs' }).click()
  await page.getByRole('row').filter({ hasText: 'orderId required' }).getByText('As the shop names it').waitFor()
  await page.getByRole('tab', { name: 'problems (0)' }).click()
  await page.getByText('None: it was published').waitFor()
  const { pathname, searchParams } = new URL(page.url())
  expect([pathname, searchParams.get('version'), searchParams.get('tab')]).toEqual([
    '/plans/order',
    '1.0.0',
    'problems',
  ])
  await page.reload()
  await page.getByText('None: it was published').waitFor()
  await page.goto(`${server.url}/plans/order?version=9`)
  await page.getByRole('alert').getByText('PLAN_NOT_FOUND').waitFor()
})

it('tells what an engine of the server does otherwise than the plan asks', async () => {
  await using server = await servedPage()
  const needs = 'requires: [workflow.continue_as_new]\nmetadata: { fallbackBehavior: degrade }\n'
  await server.publish(`plan: needs\nversion: 1.0.0\n${needs}steps: [{ id: a, run: a }]\n`, LOCAL)
  await using tab = await browser.open(`${server.url}/plans/needs?tab=problems`)
  await tab.page
    .getByRole('list', { name: 'Problems' })
    .getByText(/CAPABILITY_/)
    .first()
    .waitFor()
  await tab.page.getByRole('tab', { name: /^problems \([1-9]/ }).waitFor()
})

it('compares two versions as graph and text, and names the runs in flight that each change touches', async () => {
  const { steps, gate } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(ORDER, LOCAL)
  const id = await start(server, 'order', GIVEN)
  await gate.begun
  await server.publish(CHANGED, LOCAL)
  await using tab = await browser.open(`${server.url}/plans/order`)
  const { page, troubles } = tab
  await page.getByRole('link', { name: 'Compare versions' }).click()
  await page.getByText('1 run in flight of 1.0.0').first().waitFor()
  const graph = page.getByRole('region', { name: 'Changes as a graph' })
  await graph.getByRole('button', { name: 'notify added, added' }).waitFor()
  await graph.getByRole('button', { name: 'print removed, removed' }).waitFor()
  await graph.getByRole('button', { name: 'charge changed, changed' }).waitFor()
  await graph.getByRole('button', { name: 'reserve unchanged, unchanged' }).waitFor()
  const charge = page.getByRole('listitem', { name: 'charge, changed' })
  await charge.getByRole('row').filter({ hasText: 'timeoutMs' }).getByText('10000').waitFor()
  const touched = charge.getByRole('list', { name: 'Runs with charge as it was' })
  await touched.getByText('pending').waitFor()
  await page
    .getByRole('listitem', { name: 'notify, added' })
    .getByText('1 run in flight of 1.0.0 will not have it.')
    .waitFor()
  await page.getByRole('list', { name: 'Runs that keep the older version' }).getByText('at reserve').waitFor()
  // One step alone, by its address.
  await graph.getByRole('button', { name: 'print removed, removed' }).press('Enter')
  await page.getByText('Only print is told below.').waitFor()
  expect(await page.getByRole('listitem', { name: 'charge, changed' }).count()).toBe(0)
  await expect.poll(() => new URL(page.url()).searchParams.get('step')).toBe('print')
  // The page goes on with the run.
  gate.open()
  await ended(server, id)
  await page.getByText('None: nothing that runs goes on without these changes.').waitFor()
  await page.getByRole('button', { name: 'Swap' }).click()
  await page.getByRole('button', { name: 'notify removed, removed' }).waitFor()
  expect(troubles).toEqual([])
})

it('a touched run is a link to its step', async () => {
  const { steps, gate } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(ORDER, LOCAL)
  const id = await start(server, 'order', GIVEN)
  await gate.begun
  await server.publish(CHANGED, LOCAL)
  await using tab = await browser.open(`${server.url}/plans/order/diff?from=1.0.0&to=2.0.0&step=charge`)
  const { page } = tab
  await page.getByRole('list', { name: 'Runs with charge as it was' }).getByRole('link').click()
  await page.getByRole('listbox', { name: 'Events' }).waitFor()
  const { pathname, searchParams } = new URL(page.url())
  expect([pathname, searchParams.get('step')]).toEqual([`/runs/${id}`, 'charge'])
  gate.open()
})

it('executes nothing of what plans and their steps say, on the pages of plans', async () => {
  await using server = await servedPage()
  const text = (at: number): string =>
    JSON.stringify(
      XSS.slice(at, at + 6)
        .join(' ')
        .slice(0, 250),
    )
  // Where they would be read as expressions.
  const plain = (at: number): string => text(at).replaceAll('${', '$ {')
  const hostile = (version: string, at: number): string => `
plan: hostile
version: ${version}
metadata: { name: ${text(at)}, description: ${text(at + 3)}, labels: { a: ${text(at + 8)} } }
inputs: { type: object, properties: { text: { type: string, description: ${text(9)}, default: ${text(12)} }, '<b>': { enum: [${text(15)}, b] } } }
steps:
  - { id: one, name: ${text(at + 18)}, description: ${text(at + 21)}, manual: { title: ${plain(at + 24)}, instructions: ${plain(at + 27)} } }
  - { id: two, command: { argv: [${plain(at + 30)}] }, with: { a: ${plain(at + 35)} } }
`
  await server.publish(hostile('1.0.0', 0), LOCAL)
  await server.publish(hostile('2.0.0', 40), LOCAL)
  await using tab = await browser.open(server.url)
  const { page, troubles } = tab
  const seen: readonly (readonly [string, string])[] = [
    ['/plans/hostile?step=one', 'asks a person:'],
    ['/plans/hostile?tab=steps', 'asks a person:'],
    ['/plans/hostile?tab=inputs', 'As JSON Schema'],
    ['/plans/hostile?tab=text', 'copy'],
    ['/plans/hostile/start', 'Start'],
    ['/plans/hostile/diff?from=1.0.0&to=2.0.0', 'Outside the steps'],
    ['/editor?plan=hostile', 'Run this'],
  ]
  for (const [path, isThere] of seen) {
    await page.goto(`${server.url}${path}`)
    await page.getByText(isThere).first().waitFor()
  }
  expect(await page.evaluate('window.executed')).toBeUndefined()
  expect(troubles).toEqual([])
})

it('has nothing that axe calls serious on the pages of plans, in both themes, wide and narrow', async () => {
  const { steps, gate } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(ORDER, LOCAL)
  await start(server, 'order', GIVEN)
  await gate.begun
  await server.publish(CHANGED, LOCAL)
  const pages: readonly (readonly [path: string, isThere: string])[] = [
    ['/plans', 'order'],
    ['/plans/order?step=charge', 'undone by'],
    ['/plans/order?tab=steps', 'undone by'],
    ['/plans/order?tab=inputs', 'As JSON Schema'],
    ['/plans/order/diff?from=1.0.0&to=2.0.0', 'Runs in flight of 1.0.0'],
    ['/plans/order/start', 'Begin with the input of'],
    ['/editor?plan=order', 'Run this'],
  ]
  const found: object[] = []
  for (const colorScheme of THEMES)
    for (const width of widthsIn(colorScheme)) {
      await using tab = await browser.open(server.url, { colorScheme, viewport: { width, height: 800 } })
      const { page, troubles } = tab
      for (const [path, isThere] of pages) {
        await page.goto(`${server.url}${path}`)
        await page.getByText(isThere).first().waitFor({ state: 'attached' })
        if (path.endsWith('/start')) {
          await page.getByRole('button', { name: 'Start', exact: true }).click()
          await page.getByText('✕ is needed').first().waitFor()
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
