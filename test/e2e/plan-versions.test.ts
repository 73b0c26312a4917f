/** An edited plan at the command line: noted where a person tries things out, refused where others rely on its version. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startPostgres, type PostgresServer } from '../setup/postgres.ts'
import { ensureBuilt } from './built.ts'
import { folderWith, jsonLines, keelson } from './command.ts'

const child = (who: string, version = '1.0.0'): string =>
  `{ plan: child, version: ${version}, output: { by: '\${steps.s.output}' }, steps: [{ id: s, run: say, with: { who: ${who} } }] }`
const PARENT = `{ plan: parent, version: 1.0.0, output: { by: '\${steps.c.output.by}' }, steps: [{ id: c, plan: { planId: child } }] }`
const STEPS = 'export const say = ({ who }) => who\n'
const NOTE = 'note: child 1.0.0 is another plan than before under the same version'

let server: PostgresServer
beforeAll(async () => {
  await ensureBuilt()
  server = await startPostgres()
})
afterAll(() => server.stop())

it('edited between two runs in a state folder it runs as it is now, with a note, there and back again', async () => {
  const folder = folderWith({ 'parent.yaml': PARENT, 'child.yaml': child('one'), 'keelson.steps.mjs': STEPS })
  const run = async (who: string) => {
    writeFileSync(join(folder, 'child.yaml'), child(who))
    const { code, stdout, stderr } = await keelson(['run', 'parent.yaml', '--json'], folder)
    const output = jsonLines(stdout).findLast((line) => 'result' in line)?.['result']
    return { code, output: (output as { output?: unknown }).output, noted: stderr.includes(NOTE) }
  }
  expect(await run('one')).toEqual({ code: 0, output: { by: 'one' }, noted: false })
  expect(await run('two')).toEqual({ code: 0, output: { by: 'two' }, noted: true })
  expect(await run('two')).toEqual({ code: 0, output: { by: 'two' }, noted: false })
  expect(await run('one')).toEqual({ code: 0, output: { by: 'one' }, noted: true })
})

it('on a server another plan under a published version is refused, unless it is said', async () => {
  const url = await server.createDatabase('plan_versions')
  const folder = folderWith({ 'child.yaml': child('one'), 'keelson.steps.mjs': STEPS })
  const call = (...args: readonly string[]) => keelson([...args, '--store', url], folder)
  expect(await call('plan', 'publish', 'child.yaml')).toMatchObject({ code: 0 })
  writeFileSync(join(folder, 'child.yaml'), child('two'))
  for (const command of [
    ['plan', 'publish', 'child.yaml'],
    ['run', 'child.yaml'],
  ]) {
    const refused = await call(...command)
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain('PLAN_VERSION_EXISTS')
  }
  expect(await call('run', 'child.yaml', '--replace-version')).toMatchObject({ code: 0 })
  writeFileSync(join(folder, 'child.yaml'), child('three', '1.0.1'))
  expect(await call('run', 'child.yaml')).toMatchObject({ code: 0 })
})
