/** Somebody who wants out of a lock: by another process, a fork, a signal, a child, a compensation, or another way to write a name. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { loadPlan, openKeelson, type Keelson, type RunHandle } from '../../src/main.ts'
import type { Allowed } from '../../src/app/plans/run-lock.ts'
import { memoryPlanter, postgresPlanter, sqlitePlanter, type Planter } from '../chaos/poison-planters.ts'

const planOf = (name: string, steps: string) =>
  loadPlan(`plan: ${name}\nversion: 1.0.0\npolicy: { retry: { maxAttempts: 1 } }\nsteps:\n${steps}`)

const KID = planOf('kid', '  - { id: c, command: { argv: ["${input.x}"] } }\n')

/** The code of the last step that failed. */
async function codeOf(run: RunHandle): Promise<unknown> {
  await run.result()
  const failed = (await run.records()).findLast(({ eventType }) => /^(StepFailed|CompensationFailed)$/.test(eventType))
  return (failed?.payload?.['error'] as { readonly code: string } | undefined)?.code
}

describe.each([
  ['memory', memoryPlanter],
  ['SQLite', sqlitePlanter],
  ['PostgreSQL', postgresPlanter],
] as const)('a locked run in %s', (_name, makePlanter) => {
  let planter: Planter
  let server: Server
  let place = ''
  const asked: string[] = []
  const called: string[] = []
  const keysDirectory = mkdtempSync(join(tmpdir(), 'keelson-locked-'))
  const open = async (): Promise<Keelson> =>
    openKeelson({
      store: await planter.open(),
      keysDirectory,
      commands: true,
      egress: { allow: ['127.0.0.1'] },
      steps: { f: () => void called.push('f') },
    })
  let keelson: Keelson

  beforeAll(async () => {
    planter = await makePlanter()
    server = createServer((request, response) => {
      asked.push(request.url ?? '')
      response.end('1')
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    place = `127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    server.close()
    await planter.close()
    rmSync(keysDirectory, { recursive: true, force: true })
  })
  beforeEach(async () => {
    asked.length = 0
    called.length = 0
    keelson = await open()
  })
  afterEach(() => keelson.close())

  it('is held to each kind at the act, by a process that knows nothing of it but its log', async () => {
    const kinds: readonly (readonly [string, string, unknown, Allowed, string])[] = [
      ['host', 'http: { url: "http://${input.x}/a" }', place, { hosts: ['api.example.com'] }, 'EGRESS_REFUSED'],
      ['program', 'command: { argv: ["${input.x}"] }', 'date', { programs: ['uptime'] }, 'RUN_LOCKED'],
    ]
    for (const [kind, action, x, locked, code] of kinds) {
      const plan = planOf(`held-${kind}`, `  - { id: go, wait: { forMs: 300 } }\n  - { id: a, ${action} }\n`)
      const { runId } = await keelson.start(plan, { x }, { locked })
      await keelson.close()
      keelson = await open()
      const run = await keelson.adopt(runId)
      expect([kind, await codeOf(run)]).toEqual([kind, code])
      expect(await run.bounds()).toMatchObject({ locked })
      expect((await keelson.maintenance.verify(run.row)).decisions?.follows).toBe(true)
    }
    expect(asked).toEqual([])
  })

  it.each([
    ['hosts', 'http: { url: "https://api.example.com/" }', {}],
    ['programs', 'command: { argv: [date] }', {}],
    ['variables', 'command: { argv: [date], env: { LD_PRELOAD: x } }', { programs: ['date'] }],
    ['secrets', 'http: { url: "https://a.b/" }, secrets: { authorization: secret://S }', { hosts: ['a.b'] }],
    [
      'secrets as variables',
      'command: { argv: [date] }, secrets: { PATH: secret://S }',
      { programs: ['date'], secrets: ['S'] },
    ],
    ['plans', 'plan: { planId: kid }', {}],
    ['another version of a plan', 'plan: { planId: kid, planVersion: 1.0.0 }', { plans: ['kid@2.0.0'] }],
    ['a plan by hash', `plan: { planId: kid, sha256: "${KID.sha256}", uri: "plan:sha256:${KID.sha256}" }`, {}],
    ['code', 'run: f', {}],
    ['code that stands in', 'http: { url: "https://a.b/" }, fallback: { run: f }', { hosts: ['a.b'] }],
    ['code that undoes', 'http: { url: "https://a.b/" }, compensate: { run: f }', { hosts: ['a.b'] }],
    ['what cannot be undone', 'command: { argv: [date] }, effect: irreversible', { programs: ['date'] }],
  ] as const)('does not start where it needs %s that it may not touch', async (_kind, action, locked) => {
    await keelson.publish(KID)
    const starting = keelson.start(planOf('static', `  - { id: a, ${action} }\n`), {}, { locked })
    await expect(starting).rejects.toMatchObject({ code: 'RUN_LOCKED' })
    expect(called).toEqual([])
  })

  it('is left by no other way to write a host: one that is another is refused, one that is the same is let', async () => {
    const [, port = ''] = place.split(':')
    const plan = planOf('spelt', '  - { id: a, http: { url: "http://${input.to}/" } }\n')
    const reach = async (to: string, ...hosts: readonly string[]): Promise<unknown> =>
      codeOf(await keelson.start(plan, { to }, { locked: { hosts } }))
    for (const to of [
      `api.example.com@${place}`,
      `api.example.com:80@${place}`,
      `${place}#api.example.com`,
      `${place}?.api.example.com`,
      `${place}\\\\.api.example.com`,
      `api.example.com.evil.test`,
      `xn--api-example-com`,
    ])
      expect([to, await reach(to, 'api.example.com')]).toEqual([to, expect.stringMatching(/REFUSED|LOCKED|INVALID/)])
    expect(await reach(place, '127.0.0.1:1')).toBe('EGRESS_REFUSED')
    expect(asked).toEqual([])
    // The same place in other words.
    for (const to of [`127.1:${port}`, `0x7f.1:${port}`, `2130706433:${port}`])
      expect([to, await reach(to, place)]).toEqual([to, undefined])
    expect(asked).toHaveLength(3)
  })

  it('stays locked in its children, its forks, with another plan too, and whatever its input is changed to', async () => {
    await keelson.publish(KID)
    const locked = { plans: ['kid'], programs: ['uptime'] }
    const parent = planOf('parent', '  - { id: child, plan: { planId: kid }, with: { x: date } }\n')
    const run = await keelson.start(parent, {}, { locked })
    await run.result()
    const [child] = (await run.related()).children
    expect(await codeOf(await keelson.run(child?.runId ?? ''))).toBe('RUN_LOCKED')
    expect(await (await keelson.run(child?.runId ?? '')).bounds()).toMatchObject({ locked })
    expect((await run.bounds()).childPlans).toMatchObject([{ planId: 'kid' }])
    const again = await keelson.fork(run.runId, {})
    await again.result()
    expect(await again.bounds()).toMatchObject({ locked })
    const other = planOf('parent', '  - { id: child, command: { argv: [date] } }\n')
    await expect(keelson.fork(run.runId, { plan: other, replaceVersion: true })).rejects.toMatchObject({
      code: 'RUN_LOCKED',
    })
    const waits = planOf(
      'waits',
      '  - { id: go, wait: { forMs: 400 } }\n  - { id: a, command: { argv: ["${input.x}"] } }\n',
    )
    const changed = await keelson.start(waits, { x: 'uptime' }, { locked: { programs: ['uptime'] } })
    await changed.signal('UPDATE_PARAMS', { params: { x: 'date' }, reason: 'r' })
    expect(await codeOf(changed)).toBe('RUN_LOCKED')
  })

  it('undoes with nothing but what it may touch', async () => {
    const plan = planOf(
      'undoes',
      `  - { id: a, http: { url: "http://${place}/do" }, effect: compensatable, compensate: { http: { url: "http://\${steps.a.output}/undo" } } }
  - { id: b, http: { url: "http://\${input.x}/no" } }\n`,
    )
    const run = await keelson.start(plan, { x: 'evil.test' }, { locked: { hosts: [place] } })
    expect((await run.result()).status).toBe('FAILED')
    expect(asked).toEqual(['/do'])
  })
})
