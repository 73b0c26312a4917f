/**
 * A browser for the tests of a file, and tabs in it that remember everything that went wrong in them: a test fails at its end by what
 * it has not named before.
 */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { pageFiles } from '../../src/edge/http/page/page-files.ts'
import { localUser } from '../../src/edge/http/who/who-asks.ts'
import type { OpenOptions } from '../../src/main.ts'
import { ensureBuilt } from '../e2e/built.ts'
import { served, type Served, type ServedOptions } from '../server/served.ts'
import { startChromium } from '../setup/chromium.ts'

/** Only what hangs meets it: a busy machine takes longer. */
const PATIENCE_MS = 120_000

export interface Tab extends AsyncDisposable {
  readonly page: Page
  /** What the console warns of (a broken policy is an error in it), errors nobody caught, and dialogs. */
  readonly troubles: readonly string[]
  /** Names what has to go wrong in this test, such as the status of an answer; only that may. */
  readonly expects: (...troubles: readonly (number | RegExp)[]) => void
}

export interface TestBrowser {
  readonly open: (url: string, options?: BrowserContextOptions) => Promise<Tab>
}

/** Called where the file begins. */
export function testBrowser(): TestBrowser {
  let browser: Browser | undefined
  /** Of each tab of the test. */
  const unexpected: (() => readonly string[])[] = []
  beforeAll(async () => {
    await ensureBuilt()
    browser = await startChromium()
  })
  afterEach(() => {
    const all = unexpected.splice(0).flatMap((one) => one())
    expect(all, 'what went wrong in the tabs of this test and was not named by it').toEqual([])
  })
  afterAll(async () => browser?.close())
  return {
    open: async (url, options = {}) => {
      if (browser === undefined) throw new Error('the browser is not open')
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
      context.setDefaultTimeout(PATIENCE_MS)
      const page = await context.newPage()
      const troubles = watched(page)
      const expected: RegExp[] = []
      unexpected.push(() => troubles.filter((text) => !expected.some((one) => one.test(text))))
      await page.goto(url)
      const expects = (...named: readonly (number | RegExp)[]): void => {
        for (const one of named) expected.push(typeof one === 'number' ? new RegExp(`with a status of ${one} `) : one)
      }
      return { page, troubles, expects, [Symbol.asyncDispose]: () => context.close() }
    },
  }
}

function watched(page: Page): readonly string[] {
  const troubles: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') troubles.push(message.text())
  })
  page.on('pageerror', ({ message }) => troubles.push(`not caught: ${message}`))
  page.on('crash', () => troubles.push('the tab has crashed'))
  page.on('dialog', (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  return troubles
}

/** A server with the page, for the local user of a developer's machine. */
export function servedPage(opening: OpenOptions = {}, options: ServedOptions = {}): Promise<Served> {
  return served(opening, { page: pageFiles(), who: localUser(true), dev: true, ...options })
}

/** The tenant of the local user. */
export const LOCAL = 'local'

export async function start(server: Served, planId: string, input: unknown = {}): Promise<string> {
  const { status, body, text } = await server.call('POST /v1/executions', { as: '', body: { planId, input } })
  if (status !== 202) throw new Error(`not started: ${text}`)
  return body.executionId
}

/** Waits for the end of a run. */
export async function ended(server: Served, executionId: string): Promise<void> {
  const log = (await server.keelson.run(executionId)).events()
  while ((await log.next()).done !== true);
}
