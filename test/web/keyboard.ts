/** A person without a mouse. */
import type { Page } from 'playwright-core'

/** Walks by Tab until what has the focus is called so. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let steps = 0; steps < 60; steps += 1) {
    await page.keyboard.press('Tab')
    const at = await page.evaluate(`(() => {
      const one = document.activeElement
      return one?.labels?.[0]?.textContent ?? one?.textContent ?? ''
    })()`)
    if (String(at).startsWith(name)) return
  }
  throw new Error(`no way to ${name} by Tab`)
}
