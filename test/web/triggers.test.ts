/** Triggers in a real browser: made with a secret that is shown once, tried on a pasted body, and their deliveries followed, signed and refused. */
import { createHmac } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { pageFiles } from '../../src/edge/http/page/page-files.ts'
import { ANA, served, type Answered, type Served } from '../server/served.ts'
import { seriousIn } from './axe.ts'
import { LOCAL, servedPage, testBrowser } from './browser.ts'
import { tabTo } from './keyboard.ts'
import { THEMES, widthsIn } from './looks.ts'
import { XSS } from './xss-corpus.ts'

const browser = testBrowser()

const BUILD = `
plan: build
version: 1.0.0
inputs: { type: object, required: [branch], properties: { branch: { type: string }, event: { type: string } } }
steps: [{ id: pack, run: echo, with: { branch: '\${input.branch}' } }]
`
const SECRET = 'a secret of sixteen'
const PUSH = {
  trigger: 'push',
  planId: 'build',
  scheme: 'github',
  secret: SECRET,
  input: { branch: '${input.body.ref}', event: '${input.event}' },
}

async function withPlan(): Promise<Served> {
  const server = await servedPage({ steps: { echo: (input: unknown) => input ?? null } })
  await server.publish(BUILD, LOCAL)
  return server
}

/** As GitHub signs it. */
function deliver(server: Served, address: string, text: string, id: string, secret = SECRET): Promise<Answered> {
  const signature = createHmac('sha256', secret).update(text).digest('hex')
  const headers = { 'x-github-delivery': id, 'x-github-event': 'push', 'x-hub-signature-256': `sha256=${signature}` }
  return server.call(`POST ${address}`, { as: '', text, headers })
}

async function make(server: Served, body: object = PUSH): Promise<string> {
  const made = await server.call('POST /v1/triggers', { as: '', body })
  if (made.status !== 201) throw new Error(`not made: ${made.text}`)
  return made.body.deliverTo
}

const region = (page: Page, name: string): ReturnType<Page['getByRole']> => page.getByRole('region', { name })

it('makes a trigger whose secret is shown once, and a delivery that is signed with it is in its log with the run', async () => {
  await using server = await withPlan()
  await using tab = await browser.open(server.url, { permissions: ['clipboard-read', 'clipboard-write'] })
  tab.expects(400)
  const { page } = tab
  await page.getByRole('button', { name: 'Operate' }).click()
  await page.getByRole('link', { name: 'Triggers' }).click()
  await page.getByText('No trigger yet.').waitFor()
  await page.getByText(`curl -s ${server.url}/v1/triggers`).waitFor()
  await page.getByRole('button', { name: 'New trigger' }).click()
  await page.getByLabel('Name', { exact: true }).fill('push')
  await page.getByRole('combobox', { name: 'Plan', exact: true }).selectOption('build')
  await page.getByRole('button', { name: 'Write it for the inputs of build' }).click()
  expect(JSON.parse(await page.getByLabel('Input as JSON').inputValue())).toEqual({
    branch: '${input.body.branch}',
    event: '${input.body.event}',
  })
  await page.getByLabel('Input as JSON').fill('{ "branch": "${input.body.ref", }')
  await page.getByRole('button', { name: 'Make the trigger' }).click()
  await page.getByRole('alert').getByText('the input is no JSON').waitFor()
  await page.getByLabel('Input as JSON').fill('{ "branch": "${input.body.ref" }')
  await page.getByRole('button', { name: 'Make the trigger' }).click()
  await page.getByRole('alert').getByText('EXPR_').waitFor()
  await page.getByLabel('Input as JSON').fill('{ "branch": "${input.body.ref}" }')
  await page.getByRole('button', { name: 'Make the trigger' }).click()
  const made = region(page, 'The new trigger')
  await made.locator('code').nth(1).waitFor()
  const [address = '', secret = ''] = await made.locator('code').allTextContents()
  expect([address.startsWith(`${server.url}/v1/triggers/tr_`), secret.startsWith('whsec_')]).toEqual([true, true])
  await made.getByRole('button', { name: 'Copy the secret' }).click()
  await made.getByRole('button', { name: 'copied' }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret)
  await made.getByRole('button', { name: 'I have it' }).click()
  await page.waitForURL('**/triggers/push')
  await page.getByText('kept here, sealed').waitFor()
  expect(await page.content()).not.toContain(secret)
  await page.getByRole('button', { name: 'Copy the address' }).click()
  await page.getByRole('button', { name: 'copied' }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(address)
  const text = '{"ref":"main"}'
  const time = String(Math.floor(Date.now() / 1_000))
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(`m-1.${time}.${text}`).digest('base64')
  const headers = { 'webhook-id': 'm-1', 'webhook-timestamp': time, 'webhook-signature': `v1,${signature}` }
  const { status, body } = await server.call(`POST ${new URL(address).pathname}`, { as: '', text, headers })
  expect(status).toBe(202)
  const row = region(page, 'Deliveries').getByRole('row').filter({ hasText: 'm-1' })
  await row.getByText('started').waitFor()
  await row.getByRole('link', { name: body.executionId }).click()
  await page.waitForURL(`**/runs/${body.executionId}`)
  await page.getByRole('status', { name: 'Status of the run' }).getByText('completed').waitFor()
  // The browser says, too, what the server refuses on purpose.
})

it('tries the mapping on a pasted body without starting anything, and tells what is wrong with it', async () => {
  await using server = await withPlan()
  await make(server, { ...PUSH, input: { branch: 'on ${input.body.ref}', event: '${input.event}' } })
  await using tab = await browser.open(`${server.url}/triggers/push`)
  tab.expects(400)
  const { page } = tab
  const trial = region(page, 'Try a delivery')
  await trial.getByLabel('Body of a delivery').fill('{ "ref": "main", }')
  await trial.getByRole('button', { name: 'Show its input' }).click()
  await trial.getByRole('alert').getByText('the body is no JSON').waitFor()
  await trial.getByLabel('Body of a delivery').fill('{ "other": 1 }')
  await trial.getByRole('button', { name: 'Show its input' }).click()
  await trial.getByRole('alert').getByText('EXPR_VALUE_MISSING').waitFor()
  await trial.getByLabel('Body of a delivery').fill('{ "ref": "main" }')
  await trial.getByLabel('X-GitHub-Event').fill('push')
  await trial.getByRole('button', { name: 'Show its input' }).click()
  const given = trial.getByRole('region', { name: 'the input that it would give' })
  expect(JSON.parse((await given.textContent()) ?? '')).toEqual({ branch: 'on main', event: 'push' })
  expect((await server.call('GET /v1/executions', { as: '' })).body.executions).toEqual([])
  expect((await server.call('GET /v1/triggers/push/deliveries', { as: '' })).body.deliveries).toEqual([])
})

it('shows deliveries as they come: accepted, repeated, and refused with why, and those of one kind by the address', async () => {
  await using server = await withPlan()
  const address = await make(server)
  await using tab = await browser.open(`${server.url}/triggers/push`)
  const { page, troubles } = tab
  const log = region(page, 'Deliveries')
  await log.getByText('None yet.').waitFor()
  const text = '{"ref":"main"}'
  const { body } = await deliver(server, address, text, 'd-1')
  await deliver(server, address, text, 'd-1')
  expect((await deliver(server, address, text, 'd-2', 'another secret !')).status).toBe(401)
  expect((await deliver(server, address, '{"ref":7}', 'd-3')).status).toBe(400)
  const rows = log.getByRole('row')
  await rows.filter({ hasText: 'd-2' }).getByText('its signature does not fit the secret and the body').waitFor()
  await rows.filter({ hasText: 'd-2' }).getByText('NOT_AUTHENTICATED').waitFor()
  await rows.filter({ hasText: 'd-3' }).getByText('RUN_INPUT_INVALID').waitFor()
  await rows.filter({ hasText: 'repeated' }).getByRole('link', { name: body.executionId }).waitFor()
  await rows.filter({ hasText: 'started' }).getByRole('link', { name: body.executionId }).waitFor()
  await log.getByLabel('Show').selectOption('refused')
  await rows.filter({ hasText: 'd-1' }).first().waitFor({ state: 'detached' })
  expect(new URL(page.url()).searchParams.get('only')).toBe('refused')
  await page.reload()
  await rows.filter({ hasText: 'd-3' }).waitFor()
  expect(await rows.count()).toBe(3)
  expect(troubles).toEqual([])
})

it('takes the secret of the sender, keeps it when the trigger is edited, and is deleted by keyboard after asking', async () => {
  await using server = await withPlan()
  await using tab = await browser.open(`${server.url}/triggers?new=1`, { viewport: { width: 360, height: 740 } })
  const { page, troubles } = tab
  await page.getByLabel('Name', { exact: true }).fill('push')
  await page.getByRole('combobox', { name: 'Plan', exact: true }).selectOption('build')
  await page.getByLabel('Signed as').selectOption('GitHub')
  await page.getByLabel('the sender has made it').check()
  await page.getByLabel('The secret of the sender').fill(SECRET)
  await page.getByLabel('Input as JSON').fill('{ "branch": "${input.body.ref}" }')
  await page.getByRole('button', { name: 'Make the trigger' }).press('Enter')
  await region(page, 'The new trigger').getByRole('button', { name: 'Go on' }).press('Enter')
  await page.getByRole('button', { name: 'Edit' }).press('Enter')
  await page.getByLabel('Input as JSON').fill('{ "branch": "${input.body.ref}", "event": "${input.event}" }')
  await page.getByRole('button', { name: 'Change it' }).press('Enter')
  await region(page, 'input').getByText('${input.event}').waitFor()
  const { deliverTo } = (await server.call('GET /v1/triggers/push', { as: '' })).body
  expect((await deliver(server, deliverTo, '{"ref":"main"}', 'd-1')).status).toBe(202)
  await tabTo(page, 'Delete')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByText('Its address is gone for good').waitFor()
  await tabTo(page, 'Delete')
  await page.keyboard.press('Enter')
  await page.getByText('No trigger yet.').waitFor()
  expect((await deliver(server, deliverTo, '{"ref":"main"}', 'd-2')).status).toBe(401)
  expect(troubles).toEqual([])
})

it('tells a role that may not make triggers why', async () => {
  await using server = await served({}, { page: pageFiles() })
  await server.publish(BUILD)
  await server.call('POST /v1/triggers', { as: ANA, body: PUSH })
  await using tab = await browser.open(`${server.url}/triggers/push`)
  tab.expects(401, 404)
  const { page } = tab
  await page.getByLabel('API key').fill('acme.vic.viewer')
  await page.getByRole('button', { name: 'Enter' }).click()
  for (const name of ['Edit', 'Delete']) {
    const button = page.getByRole('button', { name })
    await button.waitFor()
    expect([await button.isDisabled(), await button.getAttribute('title')]).toEqual([
      true,
      'Your role viewer may not do this (RBAC_ROLE_ASSIGN). The role Admin may.',
    ])
  }
  expect(await page.getByRole('button', { name: 'Show its input' }).isDisabled()).toBe(true)
})

it('keeps hostile texts texts, and has nothing that axe calls serious, in both themes, wide and narrow', async () => {
  await using server = await withPlan()
  const input = { branch: '${input.body.ref}', texts: XSS.slice(0, 100).filter((text) => !text.includes('${')) }
  const address = await make(server, { ...PUSH, input })
  for (const [at, id] of XSS.slice(0, 20).entries())
    await deliver(
      server,
      address,
      '{"ref":"main"}',
      id.replaceAll(/[^ -~]/g, ''),
      at % 2 === 0 ? SECRET : 'another secret !',
    )
  const pages: readonly (readonly [path: string, isThere: string])[] = [
    ['/triggers', 'GitHub'],
    ['/triggers?new=1', 'Make the trigger'],
    ['/triggers/push', 'its signature does not fit'],
    ['/triggers/push?edit=1', 'Change it'],
  ]
  const found: object[] = []
  for (const colorScheme of THEMES)
    for (const width of widthsIn(colorScheme)) {
      await using tab = await browser.open(server.url, { colorScheme, viewport: { width, height: 800 } })
      const { page, troubles } = tab
      for (const [path, isThere] of pages) {
        await page.goto(`${server.url}${path}`)
        await page.getByText(isThere).first().waitFor()
        if (path === '/triggers/push') {
          await page.getByLabel('Body of a delivery').fill(JSON.stringify({ ref: XSS.join(' ') }))
          await page.getByRole('button', { name: 'Show its input' }).click()
          await region(page, 'the input that it would give').waitFor()
        }
        const wide = Number(await page.evaluate('document.documentElement.scrollWidth'))
        expect([path, width, wide <= width]).toEqual([path, width, true])
        for (const one of await seriousIn(page)) found.push({ path, colorScheme, width, ...one })
      }
      expect(await page.evaluate('window.executed')).toBeUndefined()
      expect(troubles).toEqual([])
    }
  expect(found).toEqual([])
})
