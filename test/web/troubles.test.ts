/** What the tabs of these tests call trouble: a test that provokes one and does not name it fails by it. */
import { expect, it } from 'vitest'
import { servedPage, testBrowser } from './browser.ts'

const browser = testBrowser()

const PROVOKED: readonly (readonly [what: string, script: string, told: RegExp])[] = [
  [
    'a picture from elsewhere, which the policy forbids',
    "new Image().src = 'https://192.0.2.1/x.png'",
    /Content Security Policy/,
  ],
  [
    'a style that the policy forbids',
    "const one = document.createElement('style'); one.textContent = 'body { color: red }'; document.body.append(one)",
    /Content Security Policy/,
  ],
  ['an error that nobody caught', "setTimeout(() => { throw new Error('lost') })", /not caught: lost/],
  ['a promise that nobody caught', "void Promise.reject(new Error('let go'))", /not caught: let go/],
  ['an error on the console', "console.error('said')", /said/],
  ['a dialog', "setTimeout(() => alert('hello'))", /dialog: hello/],
  ['an answer that refuses', "void fetch('/v1/executions/nothing')", /with a status of 404/],
]

it.each(PROVOKED)('remembers %s', async (_, script, told) => {
  await using server = await servedPage()
  await using tab = await browser.open(server.url)
  await tab.page.getByText('No run yet.').waitFor()
  expect(tab.troubles).toEqual([])
  tab.expects(told)
  await tab.page.evaluate(script)
  await expect.poll(() => tab.troubles).toEqual([expect.stringMatching(told)])
  expect(await tab.page.evaluate('window.executed')).toBeUndefined()
})
