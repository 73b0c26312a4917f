/** Reading a run in a real browser: its events by keyboard, its failed items first, a reason that stays true, and all of it in the address. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { onceGated } from '../server/gated-step.ts'
import { ended, LOCAL, servedPage, start, testBrowser } from './browser.ts'
import { BUSY, SAGA, testSteps } from './plans.ts'

const browser = testBrowser()

const query = (page: Page, name: string) => expect.poll(() => new URL(page.url()).searchParams.get(name))

it('walks through the events by keyboard, names the chosen one to screen readers and keeps it in view', async () => {
  const { steps } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(BUSY, LOCAL)
  const id = await start(server, 'busy', { items: Array.from({ length: 30 }, (_, at) => at) })
  await ended(server, id)
  await using tab = await browser.open(`${server.url}/runs/${id}`)
  const { page, troubles } = tab
  const list = page.getByRole('listbox', { name: 'Events' })
  const chosen = list.getByRole('option', { selected: true })
  const isNamed = async (text: string): Promise<void> => {
    await expect.poll(async () => chosen.getAttribute('id')).toBe(await list.getAttribute('aria-activedescendant'))
    await chosen.filter({ hasText: text }).waitFor()
    const [row, box] = [await chosen.boundingBox(), await list.boundingBox()]
    const isSeen = row !== null && box !== null && row.y >= box.y - 1 && row.y + row.height <= box.y + box.height + 1
    expect(isSeen, `${text} is in view`).toBe(true)
  }
  await list.focus()
  await page.keyboard.press('Home')
  await query(page, 'at').toBe('1')
  await isNamed('Run')
  await page.keyboard.press('ArrowDown')
  await query(page, 'at').toBe('2')
  await page.keyboard.press('End')
  await isNamed('RunCompleted')
  await page.keyboard.press('PageUp')
  await page.keyboard.press('PageUp')
  await page.keyboard.press('ArrowUp')
  await isNamed('')
  await page.getByLabel('Filter events').fill('StepCompleted saved')
  await list.focus()
  await page.keyboard.press('Home')
  await isNamed('StepCompleted')
  await page.keyboard.press('Enter')
  await query(page, 'step').toBe('saved')
  await chosen.click()
  await page.keyboard.press('ArrowUp')
  await isNamed('StepCompleted')
  expect(troubles).toEqual([])
})

it('has the filter of the events and the part of a narrow screen in its address, and goes back to the part before', async () => {
  const { steps } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(SAGA, LOCAL)
  const id = await start(server, 'saga')
  await ended(server, id)
  await using tab = await browser.open(`${server.url}/runs/${id}?part=events&events=charge`, {
    viewport: { width: 360, height: 780 },
  })
  const { page, troubles } = tab
  const part = (name: string) => page.getByRole('button', { name, exact: true })
  const list = page.getByRole('listbox', { name: 'Events' })
  await list.getByRole('option').filter({ hasText: 'charge' }).first().waitFor()
  expect(await list.getByRole('option').filter({ hasText: 'reserve' }).count()).toBe(0)
  expect(await part('events').getAttribute('aria-pressed')).toBe('true')
  await page.getByLabel('Filter events').fill('ship failed')
  await query(page, 'events').toBe('ship failed')
  await part('timeline').click()
  await query(page, 'part').toBe('timeline')
  await list.waitFor({ state: 'hidden' })
  await page.goBack()
  await list.waitFor()
  expect(await page.getByLabel('Filter events').inputValue()).toBe('ship failed')
  await page.reload()
  await list.getByRole('option').filter({ hasText: 'StepFailed' }).waitFor()
  expect(troubles).toEqual([])
})

it('lists the failed items of a fan-out first, with their number', async () => {
  const { steps } = testSteps()
  const odd = ({ n }: { readonly n: number }): number => {
    if (n === 150) throw Object.assign(new Error('odd'), { code: 'ODD' })
    return n
  }
  await using server = await servedPage({ steps: { ...steps, odd } })
  await server.publish(
    `plan: wide
version: 1.0.0
inputs: { type: object, properties: { items: { type: array, items: { type: integer } } } }
steps:
  - { id: each, forEach: input.items, run: odd, with: { n: '\${item}' }, onFailure: continue, retry: { maxAttempts: 1 } }
`,
    LOCAL,
  )
  const id = await start(server, 'wide', { items: Array.from({ length: 180 }, (_, at) => at) })
  await ended(server, id)
  await using tab = await browser.open(`${server.url}/runs/${id}?step=each&tab=items`)
  const { page, troubles } = tab
  await page.getByText('1 of 180 items failed; listed first.').waitFor()
  const items = page.getByRole('tabpanel').getByRole('listitem').getByRole('button')
  expect((await items.allTextContents()).slice(0, 3).map((text) => text.split(' ')[0])).toEqual([
    'each[150]',
    'each[0]',
    'each[1]',
  ])
  await page.getByRole('button', { name: '80 more' }).click()
  expect(await items.count()).toBe(180)
  await items.first().click()
  await page.getByText('ODD').first().waitFor()
  expect(troubles).toEqual([])
})

it('asks again why a step waits, so that who came into the line after it is told', async () => {
  const gate = onceGated()
  await using server = await servedPage({ steps: { gated: gate.step }, resources: { gpu: 1 } })
  await server.publish('plan: shared\nversion: 1.0.0\nsteps: [{ id: one, run: gated, resources: { gpu: 1 } }]\n', LOCAL)
  await start(server, 'shared')
  await gate.begun
  const waiting = await start(server, 'shared')
  await using tab = await browser.open(`${server.url}/runs/${waiting}?step=one`)
  const { page, troubles } = tab
  await page.getByText('1 of 1 are in use, and 1 step in line').waitFor()
  await start(server, 'shared')
  await page.getByText('1 of 1 are in use, and 2 steps in line').waitFor()
  expect(troubles).toEqual([])
})
