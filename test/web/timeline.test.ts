/** The timeline of a run: a part of it is brushed, by mouse, buttons and keys; the scale folds what is idle; the legend tells what is drawn. */
import { expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { timeScale } from '../../web/src/timeline/time-scale.ts'
import { meaningOf } from '../../web/src/shown/substatus-words.ts'
import { randomSource } from '../fuzz/random-source.ts'
import { SEED } from '../setup/seed.ts'
import { ended, LOCAL, servedPage, start, testBrowser } from './browser.ts'
import { BUSY, GATED, testSteps } from './plans.ts'

const browser = testBrowser()
const query = (page: Page, name: string) => expect.poll(() => new URL(page.url()).searchParams.get(name))

it('gives a place for each instant and the instant of each place, with idle stretches folded or not', () => {
  const die = randomSource(SEED).below
  console.log(`seed ${SEED}`)
  for (let times = 0; times < 200; times += 1) {
    let ms = 1_000_000
    const instants = Array.from({ length: 2 + die(20) }, () => (ms += 1 + die(die(4) === 0 ? 600_000 : 900)))
    const [first, last] = [instants[0] ?? 0, instants.at(-1) ?? 0]
    const range = die(2) === 0 ? undefined : { from: first + (last - first) * 0.2, to: first + (last - first) * 0.7 }
    const scale = timeScale(instants, range)
    expect([scale.place(scale.from), scale.place(scale.to)]).toEqual([0, 1])
    for (let part = 1; part < 20; part += 1) {
      expect(scale.place(scale.instantAt(part / 20))).toBeCloseTo(part / 20, 3)
      expect(scale.instantAt(part / 20)).toBeGreaterThanOrEqual(scale.instantAt((part - 1) / 20))
    }
    for (const { ms: distance, at } of scale.ticks) expect(scale.place(first + distance)).toBeCloseTo(at, 6)
  }
})

it('shows a part of the time that is dragged over, keeps it in the address, and gives all of it back', async () => {
  const { steps } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(BUSY, LOCAL)
  const id = await start(server, 'busy', { items: Array.from({ length: 30 }, (_, at) => at) })
  await ended(server, id)
  await using tab = await browser.open(`${server.url}/runs/${id}`)
  const { page, troubles } = tab
  const lane = page.getByRole('button', { name: /^each: / })
  const box = await lane.boundingBox()
  if (box === null) throw new Error('there is no row')
  const y = box.y + box.height / 2
  await page.mouse.move(box.x + box.width * 0.4, y)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.5, y, { steps: 4 })
  await page.mouse.move(box.x + box.width * 0.7, y, { steps: 4 })
  await page.mouse.up()
  await expect.poll(() => new URL(page.url()).searchParams.get('range')).toMatch(/^\d+-\d+$/)
  // The click that ended the drag has chosen no step.
  expect(new URL(page.url()).searchParams.get('step')).toBeNull()
  const address = page.url()
  await page.goto(address)
  await page.getByRole('button', { name: 'Whole run' }).waitFor()
  await page.getByRole('button', { name: /^each: / }).dblclick()
  await query(page, 'range').toBeNull()
  await page.keyboard.press('Escape')
  await page.keyboard.press('+')
  await expect.poll(() => new URL(page.url()).searchParams.get('range')).not.toBeNull()
  await page.getByRole('button', { name: 'Earlier' }).click()
  await page.keyboard.press('0')
  await query(page, 'range').toBeNull()
  await page.getByRole('button', { name: 'Show less time around the cursor' }).click()
  await page.getByRole('button', { name: 'Whole run' }).click()
  await query(page, 'range').toBeNull()
  const legend = await page.getByRole('list', { name: 'What the bars mean' }).getByRole('listitem').allTextContents()
  expect(legend.map((text) => text.trim())).toEqual(
    expect.arrayContaining(['work', 'failed attempt', 'wait before a retry', 'items at work']),
  )
  expect(troubles).toEqual([])
})

it('plays a run back at the speed that the address says, to its end', async () => {
  const { steps } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(BUSY, LOCAL)
  const id = await start(server, 'busy', { items: [1, 2, 3, 4] })
  await ended(server, id)
  await using tab = await browser.open(`${server.url}/runs/${id}?speed=100`)
  const { page } = tab
  expect(await page.getByLabel('Speed of the playback').inputValue()).toBe('100')
  await page.getByLabel('Speed of the playback').selectOption('50')
  await query(page, 'speed').toBe('50')
  await page.keyboard.press('p')
  await page.getByText(/^event (\d+) of \1 .* the end$/).waitFor()
  await page.getByRole('button', { name: 'Play the run back' }).waitFor()
})

it('shows DRAINING with how many tasks are in flight, what it means when asked, and no longer when they have ended [UIC-05]', async () => {
  const { steps, gate } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(GATED, LOCAL)
  const id = await start(server, 'gated')
  await gate.begun
  await using tab = await browser.open(`${server.url}/runs/${id}`)
  const { page } = tab
  const body = { signalId: crypto.randomUUID(), signalType: 'PAUSE', payload: { reason: 'stock count' } }
  await server.call(`POST /v1/executions/${id}/signals`, { as: '', body })
  const word = page.getByRole('button', { name: 'DRAINING 1 in-flight task' })
  await word.click()
  await page.getByText('What is at work goes on to its end').waitFor()
  gate.open()
  await word.waitFor({ state: 'detached' })
})

it('explains the words of a state that it knows, and says of others whose they are', () => {
  expect(meaningOf('temporal/WORKFLOW_TASK_BACKLOG')).toBe('A word of the engine temporal, as it wrote it.')
  expect(meaningOf('SOMETHING_NEW')).toContain('no explanation')
  expect(meaningOf('temporal/CANCELLING')).toContain('cancelled')
})
