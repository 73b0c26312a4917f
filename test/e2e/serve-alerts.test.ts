/** Alerts of `keelson serve`: settings that are shown without their secret, what is refused, and a line in the log. */
import { expect, it } from 'vitest'
import { Command, folderWith, jsonLines, keelson } from './command.ts'

const PLAN = `
plan: order
version: 1.0.0
steps: [{ id: release, manual: { title: 'Release the order' } }]
`
const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
const URL_OF = { KEELSON_ALERTS_WEBHOOK_URL: 'https://alerts.example.com/keelson' }

it('shows where the secret of the webhook comes from, and never the secret', async () => {
  const folder = folderWith({ 'plan.yaml': PLAN })
  const variables = { ...URL_OF, KEELSON_ALERTS_WEBHOOK_SECRET: SECRET }
  const { stdout, code } = await keelson(['serve', '.', '--print-config', '--json'], folder, undefined, variables)
  expect([code, stdout.includes(SECRET)]).toEqual([0, false])
  const alerts = jsonLines(stdout).filter(({ setting }) => String(setting).startsWith('alerts.'))
  expect(Object.fromEntries(alerts.map(({ setting, value }) => [setting, value]))).toEqual({
    'alerts.log': 'off',
    'alerts.webhook.url': 'https://alerts.example.com/keelson',
    'alerts.webhook.secret': 'set by KEELSON_ALERTS_WEBHOOK_SECRET',
    'alerts.webhook.priority': 'P2',
    'alerts.webhook.allow': [],
  })
})

it('refuses a webhook without a secret, before anything is served', async () => {
  const folder = folderWith({ 'plan.yaml': PLAN })
  const { stderr } = await keelson(['serve', '.', '--port', '0'], folder, undefined, URL_OF)
  expect(stderr).toContain('CONFIG_INVALID')
  expect(stderr).toContain('alerts.webhook.secret')
})

it('writes a line for an alert of the priority that is asked for [OBS-05]', async () => {
  const folder = folderWith({ 'plan.yaml': PLAN })
  const server = new Command(['dev', '.', '--port', '0', '--json'], folder, undefined, { KEELSON_ALERTS_LOG: 'P1' })
  const [, url = ''] = await server.shows(/"url":"(http:[^"]+)"/)
  await keelson(['run', 'plan.yaml', '--detach', '--server', url], folder)
  const stop = ['signal', 'last', 'emergency-stop', '--reason', 'a storm', '--server', url]
  expect((await keelson(stop, folder)).code).toBe(0)
  const [line] = await server.shows(/\{"log":"alert".*\}/)
  expect(JSON.parse(line)).toMatchObject({ code: 'DESTRUCTIVE_SIGNAL', priority: 'P1', tenantId: 'local' })
})
