/**
 * A plan of thousands of steps in a real browser: it is folded, folds open by the mouse and by keys, a search goes to one step of it,
 * and of what is drawn only the part on the screen exists.
 */
import { expect, it } from 'vitest'
import { loadPlan } from '../../src/library/plans/load-plan.ts'
import { compileGraph, type PlanGraph } from '../../src/core/plan/compile/graph.ts'
import { cellsOf, DRAWN_WHOLE, foldsAround } from '../../web/src/graph/fold-steps.ts'
import { ended, LOCAL, servedPage, start, testBrowser } from './browser.ts'
import { scrolled } from './paces.ts'
import { loadPlanText } from './pictured-plans.ts'

const browser = testBrowser()
/** Four regions with an extract and a load for each: 5,006 steps. */
const PER_REGION = 625
const MOST_NODES = 250
/** A quiet machine shows 30 and more, even where each picture is of another part of the plan; a busy one a tenth of that. */
const LEAST_PICTURES = 2

const graphOf = (text: string): PlanGraph => compileGraph(loadPlan(text).plan)

const chain = (steps: number): string =>
  `plan: chain\nversion: 1.0.0\nsteps:\n${Array.from({ length: steps }, (_, at) => `  - { id: s${at}, run: echo }`).join('\n')}\n`

it('folds a large plan into few cells that hold every step once, and opens the way to any of them', () => {
  for (const graph of [graphOf(loadPlanText(PER_REGION)), graphOf(chain(2_000))]) {
    const cells = cellsOf(graph, new Set(), false)
    expect(cells.length).toBeLessThanOrEqual(DRAWN_WHOLE)
    expect(cells.flatMap(({ steps }) => steps).sort((a, b) => a - b)).toEqual(graph.steps.map((_, index) => index))
    for (const stepId of [graph.stepIds[0], graph.stepIds[777], graph.stepIds.at(-1)] as string[]) {
      const open = new Set(foldsAround(graph, stepId))
      const opened = cellsOf(graph, open, false)
      expect(opened.filter(({ key }) => key === stepId)).toHaveLength(1)
      expect(opened.flatMap(({ steps }) => steps).length).toBe(graph.steps.length)
    }
    expect(cellsOf(graph, new Set(), true)).toHaveLength(graph.steps.length)
  }
})

it('draws a plan of 300 steps as it is', () => {
  expect(cellsOf(graphOf(chain(DRAWN_WHOLE)), new Set(), false).map(({ key }) => key)).toContain('s299')
})

it('shows a plan of 5,000 steps folded, opens folds by mouse and keys, finds a step, and scrolls through all of them', async () => {
  await using server = await servedPage({ steps: { work: () => null } })
  await server.publish(loadPlanText(PER_REGION), LOCAL)
  const id = await start(server, 'nightly-load')
  await ended(server, id)
  await using tab = await browser.open(`${server.url}/runs/${id}`)
  const { page, troubles } = tab
  const fold = page.getByRole('button', {
    name: `extract-eu… ${PER_REGION} of ${PER_REGION}, ${PER_REGION} steps, succeeded`,
  })
  await fold.click()
  await expect.poll(() => new URL(page.url()).searchParams.get('open')).toBe('1.extract-eu')
  await fold.waitFor({ state: 'detached' })
  // Many steps open into smaller folds first.
  const part = page.getByRole('button', { name: /^extract-eu-0000… 11 of 11, 11 steps/ })
  await part.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^extract-eu-0003 .*, succeeded$/ }).waitFor()
  await page.goBack()
  await page.goBack()
  await fold.waitFor()
  await page.getByLabel('Find a step').fill('load-ap-0417')
  await page.keyboard.press('Enter')
  const found = page.getByRole('button', { name: /^load-ap-0417 .*, succeeded$/, pressed: true }).first()
  await found.waitFor()
  const isSeen = (): Promise<boolean> =>
    found.evaluate((node) => {
      const [own, pane] = [node.getBoundingClientRect(), node.closest('.graph')?.getBoundingClientRect()]
      return pane !== undefined && own.top >= pane.top && own.bottom <= pane.bottom && own.left >= pane.left
    })
  await expect.poll(isSeen).toBe(true)
  await page.getByRole('button', { name: 'Open all' }).click()
  await expect.poll(() => page.evaluate(`document.querySelector('.graph').scrollHeight`)).toBeGreaterThan(20_000)
  const shown = await scrolled(page, 60)
  expect(await page.locator('.node').count()).toBeLessThan(MOST_NODES)
  for (let times = 0; times < 8; times += 1) await page.getByRole('button', { name: 'Smaller' }).click()
  // From far away it is colours: no node has a name, however many are on the screen.
  await expect.poll(() => page.locator('.node').count()).toBe(0)
  const far = await scrolled(page, 60)
  console.log({ picturesASecond: shown, fromFarAway: far })
  expect(Math.min(shown, far)).toBeGreaterThan(LEAST_PICTURES)
  await page.getByRole('button', { name: 'Fold', exact: true }).click()
  expect(troubles).toEqual([])
})
