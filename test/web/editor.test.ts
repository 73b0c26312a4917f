/** The editor of a developer's server in a real browser: problems as one types, the graph beside the text, and a run of what is written. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { localUser } from '../../src/edge/http/who/who-asks.ts'
import { LOCAL, servedPage, testBrowser } from './browser.ts'

const browser = testBrowser()
const STEPS = { greet: ({ name }: { readonly name: string }) => `hello ${name}` }

const HELLO = `plan: hello
version: 1.0.0
inputs: { type: object, properties: { name: { type: string, default: world } } }
steps:
  - { id: greet, run: greet, with: { name: '\${input.name}' } }
output: { said: '\${steps.greet.output}' }
`

it('tells a typo at its line and column as it is typed; mended, the text runs and is seen to complete', async () => {
  await using server = await servedPage({ steps: STEPS })
  await using tab = await browser.open(`${server.url}/plans`)
  const { page, troubles } = tab
  await page.getByRole('link', { name: 'Write a new plan' }).click()
  const text = page.getByLabel('Text of the plan')
  const state = page.getByRole('status', { name: 'State of the text' })
  await text.fill(HELLO)
  await state.getByText('No problem.').waitFor()
  await page.getByRole('button', { name: /^greet greet/ }).waitFor()
  const asked: string[] = []
  page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`))
  await text.fill(HELLO.replace('run: greet', 'rum: greet'))
  const problems = page.getByRole('region', { name: 'Problems' })
  await problems.getByText(/'rum' is not a field of a step/).waitFor()
  await problems.getByText(/did you mean/i).waitFor()
  await page.getByText('As it was before the text had a problem.').waitFor()
  expect(await text.getAttribute('aria-invalid')).toBe('true')
  // Nobody was asked for it.
  expect(asked).toEqual([])
  await problems.getByRole('button', { name: 'Go to line 5, column 18' }).click()
  const chosen = await text.evaluate((one) => {
    const field = one as unknown as { value: string; selectionStart: number; selectionEnd: number }
    return field.value.slice(field.selectionStart, field.selectionEnd)
  })
  expect(chosen).toBe('rum')
  await problems.getByRole('button', { name: 'About INVALID_STEP_SCHEMA' }).first().click()
  await problems.getByText('keelson help INVALID_STEP_SCHEMA').waitFor()
  expect(await page.getByRole('button', { name: 'Run this' }).isDisabled()).toBe(true)
  await problems.getByRole('button', { name: 'Go to line 5, column 18' }).click()
  await page.keyboard.type('run')
  await state.getByText('No problem.').waitFor()
  await page.getByLabel('name').fill('ana')
  await page.getByRole('button', { name: 'Run this' }).click()
  await page.getByRole('status', { name: 'Status of the run' }).getByText('completed').waitFor()
  await page.getByRole('region', { name: 'output of the run' }).getByText('hello ana').waitFor()
  const run = new URL(page.url()).searchParams.get('run') ?? ''
  expect((await server.call(`GET /v1/executions/${run}`, { as: '' })).body.status).toBe('COMPLETED')
  // It ran; it was not published.
  expect((await server.call('GET /v1/plans', { as: '' })).body.plans).toEqual([])
  expect(troubles).toEqual([])
})

it('tells what only the server checks, at its place in the text', async () => {
  await using server = await servedPage({ steps: STEPS })
  await using tab = await browser.open(`${server.url}/editor`)
  tab.expects(400)
  const { page } = tab
  await page.getByLabel('Text of the plan').fill(HELLO.replace('${steps.greet.output}', '${steps.greet.outpu'))
  const problems = page.getByRole('region', { name: 'Problems' })
  await problems.getByRole('button', { name: /^Go to line 6, column/ }).waitFor()
  await page.getByLabel('Text of the plan').fill(HELLO)
  await page.getByRole('status', { name: 'State of the text' }).getByText('No problem.').waitFor()
})

it('opens a published plan as a text that is the same plan, keeps changes over a reload, and gives it as a file', async () => {
  // As `keelson dev` opens it.
  await using server = await servedPage({ steps: STEPS, replaceVersion: true })
  await server.publish(HELLO, LOCAL)
  const before = (await server.call('GET /v1/plans/hello', { as: '' })).body.sha256
  await using tab = await browser.open(`${server.url}/plans/hello`)
  const { page, troubles } = tab
  await page.getByRole('link', { name: 'Edit' }).click()
  const text = page.getByLabel('Text of the plan')
  await text.waitFor()
  const written = await text.inputValue()
  const checked = await server.call('PUT /v1/plans', { as: '', body: { text: written, check: true } })
  expect(checked.body.sha256).toBe(before)
  await text.fill(`${written}# mine\n`)
  await page.reload()
  await expect.poll(() => text.inputValue()).toContain('# mine')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(file.suggestedFilename()).toBe('hello.yaml')
  expect(readFileSync(await file.path(), 'utf8')).toBe(`${written}# mine\n`)
  // What runs is what is written, and what is published stays.
  await text.fill(written.replaceAll('id: greet', 'id: salute').replaceAll('steps.greet', 'steps.salute'))
  await page.getByRole('status', { name: 'State of the text' }).getByText('No problem.').waitFor()
  await page.getByRole('button', { name: 'Run this' }).click()
  await page.getByRole('status', { name: 'Status of the run' }).getByText('completed').waitFor()
  await page.getByRole('button', { name: /^salute .*succeeded$/ }).waitFor()
  expect((await server.call('GET /v1/plans/hello', { as: '' })).body.sha256).toBe(before)
  await page.getByRole('button', { name: 'Begin again' }).click()
  expect(await text.inputValue()).toBe(written)
  expect(troubles).toEqual([])
})

it('is used by keyboard alone: fields are offered, lines keep their depth, and Tab leaves the text', async () => {
  await using server = await servedPage({ steps: STEPS })
  await using tab = await browser.open(`${server.url}/editor`)
  const { page, troubles } = tab
  const text = page.getByLabel('Text of the plan')
  await text.fill('')
  await text.focus()
  await page.keyboard.type('ver')
  await page.keyboard.press('Control+Space')
  const offered = page.getByRole('listbox', { name: 'Fields of the plan format' })
  await offered.getByRole('option', { name: /^version / }).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.type('1.0.0')
  await page.keyboard.press('Enter')
  await page.keyboard.type('plan: typed')
  await page.keyboard.press('Enter')
  await page.keyboard.type('steps:')
  await page.keyboard.press('Enter')
  await page.keyboard.type('- id: greet')
  await page.keyboard.press('Enter')
  await page.keyboard.type('ru')
  await page.keyboard.press('Control+Space')
  await offered.getByRole('option', { name: /^run / }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await page.keyboard.type('greet')
  await page.keyboard.press('Enter')
  await page.keyboard.type('retry: { maxA')
  await page.keyboard.press('Control+Space')
  await offered.getByRole('option', { name: /^maxAttempts / }).waitFor()
  expect(await page.locator('.code-field').evaluate((one) => one.scrollTop)).toBe(0)
  await page.keyboard.press('Escape')
  await offered.waitFor({ state: 'hidden' })
  await page.keyboard.type('ttempts: 2 }')
  expect(await text.inputValue()).toBe(
    'version: 1.0.0\nplan: typed\nsteps:\n  - id: greet\n    run: greet\n    retry: { maxAttempts: 2 }',
  )
  await page.keyboard.press('Control+z')
  expect(await text.inputValue()).not.toContain('2 }')
  await page.keyboard.press('Control+Shift+z')
  await page.keyboard.press('Tab')
  expect(await text.evaluate((one) => one.ownerDocument.activeElement === one)).toBe(false)
  await text.focus()
  await page.getByRole('status', { name: 'State of the text' }).getByText('No problem.').waitFor()
  await page.keyboard.press('Control+Enter')
  await page.getByRole('status', { name: 'Status of the run' }).waitFor()
  expect(troubles).toEqual([])
})

it('stays quick with a plan of a thousand steps', async () => {
  await using server = await servedPage({ steps: STEPS })
  await using tab = await browser.open(`${server.url}/editor`)
  const { page, troubles } = tab
  const steps = Array.from({ length: 1_000 }, (_, at) => `  - { id: s${at}, run: greet }\n`).join('')
  const text = page.getByLabel('Text of the plan')
  await text.fill(`plan: long\nversion: 1.0.0\nsteps:\n${steps}`)
  await page.getByRole('status', { name: 'State of the text' }).getByText('No problem.').waitFor()
  await text.fill(`plan: long\nversion: 1.0.0\nsteps:\n${steps}  - { id: s1000, rum: greet }\n`)
  await page.getByRole('button', { name: 'Go to line 1004, column 18' }).click()
  expect(await text.evaluate((one) => (one as unknown as { scrollTop: number }).scrollTop)).toBeGreaterThan(10_000)
  expect(troubles).toEqual([])
})

it('is not offered by a server that is not for development', async () => {
  await using server = await servedPage({ steps: STEPS }, { dev: false, who: localUser(false) })
  await server.publish(HELLO, LOCAL)
  await using tab = await browser.open(`${server.url}/plans`)
  const { page } = tab
  await page.getByRole('link', { name: 'hello', exact: true }).waitFor()
  expect(await page.getByRole('link', { name: 'Write a new plan' }).count()).toBe(0)
  await page.goto(`${server.url}/plans/hello`)
  await page.getByRole('button', { name: 'Start' }).waitFor()
  expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0)
  await page.goto(`${server.url}/editor`)
  await page.getByRole('heading', { name: 'No editor here' }).waitFor()
  expect(await page.getByLabel('Text of the plan').count()).toBe(0)
})
