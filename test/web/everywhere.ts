/** Looks at addresses in both themes, wide and narrow: nothing that axe calls serious, nothing wider than the screen, no troubles. */
import type { BrowserContextOptions } from 'playwright-core'
import { expect } from 'vitest'
import { seriousIn } from './axe.ts'
import type { Tab, TestBrowser } from './browser.ts'
import { THEMES, widthsIn } from './looks.ts'

export interface Everywhere {
  readonly url: string
  readonly pages: readonly (readonly [path: string, isThere: string])[]
  /** Before the pages are looked at, such as to say who one is. */
  readonly enter?: (tab: Tab) => Promise<void>
}

export async function fineEverywhere(browser: TestBrowser, { url, pages, enter }: Everywhere): Promise<void> {
  const found: object[] = []
  for (const colorScheme of THEMES)
    for (const width of widthsIn(colorScheme)) {
      const options: BrowserContextOptions = { colorScheme, viewport: { width, height: 800 } }
      await using tab = await browser.open(url, options)
      const { page } = tab
      // Who enters with a key was asked for it first, and a page may ask for what is not there.
      tab.expects(401, 404)
      await enter?.(tab)
      for (const [path, isThere] of pages) {
        await page.goto(`${url}${path}`)
        await page.getByText(isThere).first().waitFor()
        const wide = await page.evaluate('document.documentElement.scrollWidth')
        expect([path, width, Number(wide) <= width]).toEqual([path, width, true])
        for (const one of await seriousIn(page)) found.push({ path, colorScheme, width, ...one })
      }
    }
  expect(found).toEqual([])
}
