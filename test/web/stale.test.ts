/** The page of a run over a network that loses an event: it says that it is behind until it has read what was missing. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { LOCAL, servedPage, start, testBrowser } from './browser.ts'
import { GATED, testSteps } from './plans.ts'

const browser = testBrowser()

/** In the tab: once `isLosing` is set, the next event of the stream of events never arrives. */
function losesAnEvent(): void {
  const tab = globalThis as unknown as { isLosing?: boolean }
  const { fetch } = globalThis
  const lossy = (): TransformStream<Uint8Array, Uint8Array> =>
    new TransformStream({
      transform(part, out) {
        const messages = new TextDecoder().decode(part).split(/(?<=\n\n)/)
        const lost = tab.isLosing === true ? messages.findIndex((message) => /^id: /m.test(message)) : -1
        if (lost >= 0) tab.isLosing = false
        out.enqueue(new TextEncoder().encode(messages.filter((_, index) => index !== lost).join('')))
      },
    })
  globalThis.fetch = async (to, init) => {
    const answer = await fetch(to, init)
    const isStream = /\/executions\/[^/]+\/stream/.test(answer.url) && answer.body !== null
    return isStream ? new Response(answer.body?.pipeThrough(lossy()), answer) : answer
  }
}

/** What is asked of the log waits at the network until the test lets it through. */
async function held(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(/\/executions\/[^/]+\/events/, async (route) => {
    await promise
    await route.continue()
  })
  return resolve
}

it('is marked as stale from a jump until what was missing has arrived, and its status stays one of the log [UIC-02, UIC-03, X-103]', async () => {
  const { steps, gate } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(GATED, LOCAL)
  const id = await start(server, 'gated')
  await using tab = await browser.open('about:blank')
  const { page, troubles } = tab
  await page.addInitScript(losesAnEvent)
  await page.goto(`${server.url}/runs/${id}`)
  await page.getByRole('button', { name: /^first .*, running$/ }).waitFor()
  const letThrough = await held(page)
  await page.evaluate(() => void ((globalThis as unknown as { isLosing: boolean }).isLosing = true))
  gate.open()
  const stale = page.getByText('STALE', { exact: true })
  await stale.waitFor()
  const status = page.getByRole('status', { name: 'Status of the run' })
  expect(await status.textContent()).toMatch(/running/)
  letThrough()
  await status.getByText('completed').waitFor()
  await stale.waitFor({ state: 'detached' })
  expect(troubles).toEqual([])
})
