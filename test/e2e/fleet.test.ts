/** `keelson fleet`: one signal to many runs, where the runs are and against a server. */
import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { Command, folderWith, jsonLines, keelson, until } from './command.ts'

const PLAN = `
plan: order
version: 1.0.0
labels: { team: logistics }
steps:
  - { id: pack, run: pack }
  - { id: release, dependsOn: [pack], manual: { title: 'Release the order' } }
`
const STEPS = 'export const pack = () => 1\n'

it('previews, begins, follows and aborts an operation, here and against a server', async () => {
  const folder = folderWith({ 'plan.yaml': PLAN, 'keelson.steps.mjs': STEPS })
  const server = new Command(['dev', '.', '--port', '0'], folder)
  const [, url = ''] = await server.shows(/ready at (http:\/\/\S+)/)
  const asks = async (...args: readonly string[]): Promise<string> => (await keelson(args, folder)).stdout
  for (const id of ['one', 'two']) await asks('run', 'plan.yaml', '--detach', '--request-id', id, '--server', url)
  const chosen = ['--plan', 'order', '--label', 'team=logistics', '--status', 'RUNNING']
  const here = await asks('fleet', 'preview', 'pause', ...chosen)
  expect(here).toMatch(/^pause would go to 2 runs:\n {2}2 would take it\n {2}--preview [0-9a-f]{64}\n$/)
  expect(await asks('fleet', 'preview', 'pause', ...chosen, '--server', url)).toBe(here)
  const counted = await asks('fleet', 'start', 'pause', ...chosen, '--server', url)
  expect(counted).toBe(`${here}nothing was sent; begin it with --yes\n`)
  const operationId = randomUUID()
  const begun = ['--reason', 'stock count', '--id', operationId, '--yes', '--server', url]
  expect(await asks('fleet', 'start', 'pause', ...chosen, ...begun)).toContain(`operation ${operationId} is for 2 runs`)
  const show = ['fleet', 'show', operationId]
  await until('it is done', async () => (await asks(...show)).includes(', done, 2 runs'))
  expect(await asks(...show, '--server', url)).toBe(`${operationId}   pause, done, 2 runs\n  2 took it\n`)
  expect(jsonLines(await asks('fleet', 'list', '--json'))).toMatchObject([
    { operationId, state: 'DONE', done: 2, payload: { reason: 'stock count' } },
  ])
  // Begun where the runs are: the server finds it.
  const [local] = jsonLines(await asks('fleet', 'start', 'resume', '--plan', 'order', '--yes', '--json'))
  const second = String(local?.['operationId'])
  await until('it is done', async () => (await asks('fleet', 'show', second)).includes(', done, 2 runs'))
  const tooLate = await asks('fleet', 'abort', second, '--reason', 'too late')
  expect(tooLate).toBe(`${second}   resume, done, 2 runs\n  2 took it\n`)
  const unknown = await keelson(['fleet', 'show', randomUUID()], folder)
  expect([unknown.code === 0, unknown.stderr.includes('OPERATION_NOT_FOUND')]).toEqual([false, true])
})
