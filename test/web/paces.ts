/** How fast the page follows, measured inside the browser: pictures a second, and the time from an input to the picture that shows it. */
import type { CDPSession, Page } from 'playwright-core'

/** Waits until the next picture was drawn. */
const DRAWN =
  'new Promise((done) => requestAnimationFrame(() => { const c = new MessageChannel(); c.port1.onmessage = done; c.port2.postMessage(0) }))'

/** How long each of so many moves of the time cursor, near and far, took until the next picture, in milliseconds. */
export async function scrub(page: Page, moves: number): Promise<readonly number[]> {
  const took = await page.evaluate(`(async () => {
    const range = document.querySelector('input[aria-label="Event"]')
    const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set
    const last = Number(range.max)
    const took = []
    for (let move = 1; move <= ${moves}; move += 1) {
      const began = performance.now()
      set.call(range, String(1 + Math.floor(((move * 7919) % ${moves}) / ${moves} * (last - 2))))
      range.dispatchEvent(new Event('input', { bubbles: true }))
      await ${DRAWN}
      took.push(performance.now() - began)
    }
    return took
  })()`)
  return took as number[]
}

/** How many pictures a second it shows while the graph is scrolled from one end to the other. */
export async function scrolled(page: Page, pictures: number): Promise<number> {
  return Number(
    await page.evaluate(`(async () => {
      const box = document.querySelector('.graph')
      const began = performance.now()
      for (let shown = 0; shown < ${pictures}; shown += 1) {
        box.scrollTop = (box.scrollHeight - box.clientHeight) * (shown / ${pictures})
        await new Promise(requestAnimationFrame)
      }
      return ${pictures} / (performance.now() - began) * 1000
    })()`),
  )
}

/**
 * What a person does, one after the other, as the browser itself times it: from the key or the button to the picture that follows. What
 * took no longer than a picture lasts is not told by it and counts as one.
 */
export async function interactions(page: Page, acts: readonly (() => Promise<unknown>)[]): Promise<readonly number[]> {
  await page.evaluate(`(() => {
    window.paces = new Map()
    window.pacer = new PerformanceObserver((list) => {
      for (const { interactionId, duration } of list.getEntries())
        if (interactionId) window.paces.set(interactionId, Math.max(duration, window.paces.get(interactionId) ?? 0))
    })
    window.pacer.observe({ type: 'event', durationThreshold: 16 })
  })()`)
  for (const act of acts) {
    await act()
    await page.evaluate(DRAWN)
  }
  const told = (await page.evaluate(`(async () => {
    await ${DRAWN}
    await ${DRAWN}
    for (const { interactionId, duration } of window.pacer.takeRecords())
      if (interactionId) window.paces.set(interactionId, Math.max(duration, window.paces.get(interactionId) ?? 0))
    window.pacer.disconnect()
    return [...window.paces.values()]
  })()`)) as number[]
  const quick = Array.from({ length: Math.max(0, acts.length - told.length) }, () => 16)
  return [...quick, ...told]
}

/** What the page holds in memory once nothing is left to be thrown away. */
export async function heapMb(devtools: CDPSession): Promise<number> {
  await devtools.send('HeapProfiler.collectGarbage')
  const { usedSize } = await devtools.send('Runtime.getHeapUsage')
  return usedSize / 1024 / 1024
}
