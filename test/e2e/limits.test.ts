/** `keelson limits` where the runs are and against a server: the same limits, the same words. */
import { beforeAll, expect, it } from 'vitest'
import { ensureBuilt } from './built.ts'
import { Command, folderWith, jsonLines, keelson } from './command.ts'

beforeAll(ensureBuilt)

it('sets, shows and takes away limits, in the store and through a server', async () => {
  const folder = folderWith({ 'p.yaml': 'plan: p\nversion: 1.0.0\nsteps: [{ id: a, wait: { forEvent: go } }]\n' })
  const server = new Command(['serve', '--port', '0', '--json'], folder)
  const [, url = ''] = await server.shows(/"server":"ready","url":"([^"]+)"/)
  expect((await keelson(['limits'], folder)).stdout).toBe('nothing limits starts\n')
  const set = ['limits', 'set', 'plan:p', '--max-running', '1', '--when-full', 'replace-oldest', '--server', url]
  expect((await keelson(set, folder)).code).toBe(0)
  const [here] = jsonLines((await keelson(['limits', '--json'], folder)).stdout)
  const [afar] = jsonLines((await keelson(['limits', '--json', '--server', url], folder)).stdout)
  expect(here).toMatchObject({ name: 'plan:p', maxRunning: 1, whenFull: 'REPLACE_OLDEST', setBy: 'local' })
  expect(afar).toEqual(here)
  const wrong = await keelson(['limits', 'set', 'everything', '--max-running', '1'], folder)
  expect([wrong.code === 0, wrong.stderr]).toEqual([false, expect.stringContaining('LIMIT_INVALID')])
  expect((await keelson(['limits', 'remove', 'plan:p', '--server', url], folder)).stdout).toContain('is gone')
  const again = await keelson(['limits', 'remove', 'plan:p'], folder)
  expect([again.code === 0, again.stderr]).toEqual([false, expect.stringContaining('LIMIT_NOT_FOUND')])
  server.kill('SIGINT')
  expect((await server.finished).code).toBe(0)
})
