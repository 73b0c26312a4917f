/**
 * Compiled code is kept between starts, and Node runs what it finds there: whoever can write that folder can run code as the user who
 * starts the command.
 */
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { ensureBuilt } from '../e2e/built.ts'
import { folderWith, keelson, type Variables } from '../e2e/command.ts'

beforeAll(ensureBuilt)

const helped = async (cwd: string, variables: Variables): Promise<void> => {
  const { code, stdout, stderr } = await keelson(['help', 'runs'], cwd, undefined, variables)
  expect({ code, stderr, first: stdout.split('\n', 1)[0] }).toMatchObject({ code: 0, stderr: '' })
  expect(stdout).toContain('keelson runs')
}

const rightsOf = (folder: string): number => lstatSync(folder).mode & 0o777
const under = (folder: string): readonly string[] => readdirSync(folder, { recursive: true }).map(String).sort()

it('the folder of compiled code is the user’s alone, and none is in the temporary folder, which all users share', async () => {
  const [cache, shared] = [folderWith({}), folderWith({})]
  await helped(shared, { XDG_CACHE_HOME: cache, TMPDIR: shared })
  const compiled = join(cache, 'keelson', 'compiled')
  expect([rightsOf(join(cache, 'keelson')), rightsOf(compiled)]).toEqual([0o700, 0o700])
  expect(under(compiled).length).toBeGreaterThan(3)
  expect(readdirSync(shared)).toEqual([])
})

it.each([
  ['is open to others', 0o777, 0o700],
  ['is open to a group', 0o770, 0o700],
  ['can be read by others', 0o755, 0o700],
  ['lies in a folder in which others can exchange it', 0o700, 0o777],
])('a folder of compiled code that %s is not used', async (_what, own, parent) => {
  const cache = folderWith({})
  const compiled = join(cache, 'keelson', 'compiled')
  mkdirSync(compiled, { recursive: true })
  chmodSync(compiled, own)
  chmodSync(join(cache, 'keelson'), parent)
  await helped(cache, { XDG_CACHE_HOME: cache })
  expect(readdirSync(compiled)).toEqual([])
})

/** Only root can give a folder away. So the command is told that one belongs to another user, as the system would tell it. */
const FOREIGN = `import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const real = fs.lstatSync
fs.lstatSync = (path, ...rest) => {
  const found = real(path, ...rest)
  return path === process.env.FOREIGN_FOLDER ? Object.assign(found, { uid: found.uid + 1 }) : found
}
syncBuiltinESMExports()
`

it.each(['keelson', 'keelson/compiled'])('a folder %s that belongs to another user is not used', async (name) => {
  const cache = folderWith({ 'foreign.mjs': FOREIGN })
  const compiled = join(cache, 'keelson', 'compiled')
  mkdirSync(compiled, { recursive: true, mode: 0o700 })
  const told = { XDG_CACHE_HOME: cache, NODE_OPTIONS: `--import=${join(cache, 'foreign.mjs')}` }
  await helped(cache, { ...told, FOREIGN_FOLDER: join(cache, name) })
  expect(readdirSync(compiled)).toEqual([])
  await helped(cache, { ...told, FOREIGN_FOLDER: 'none' })
  expect(readdirSync(compiled).length).toBeGreaterThan(0)
})

it('a link in place of the folder of compiled code is not followed', async () => {
  const [cache, elsewhere] = [folderWith({}), folderWith({})]
  chmodSync(elsewhere, 0o700)
  mkdirSync(join(cache, 'keelson'), { mode: 0o700 })
  symlinkSync(elsewhere, join(cache, 'keelson', 'compiled'))
  await helped(cache, { XDG_CACHE_HOME: cache })
  expect(readdirSync(elsewhere)).toEqual([])
})

it('a project in which the command is started never gives it compiled code, whatever the variables of its user are', async () => {
  for (const variables of [
    { XDG_CACHE_HOME: '.', HOME: '' },
    { XDG_CACHE_HOME: '', HOME: '.' },
    { XDG_CACHE_HOME: 'cache', HOME: 'home' },
  ]) {
    const project = folderWith({})
    await helped(project, variables)
    expect([variables, readdirSync(project)]).toEqual([variables, []])
  }
})

it('a home that cannot be had is no reason to fail', async () => {
  const project = folderWith({ file: '' })
  await helped(project, { XDG_CACHE_HOME: join(project, 'file'), HOME: join(project, 'file') })
  await helped(project, { XDG_CACHE_HOME: '/proc/none', HOME: '/proc/none' })
  expect(readdirSync(project)).toEqual(['file'])
})

it('what earlier builds left goes at the first start of another one, if it is older than a day', async () => {
  const cache = folderWith({})
  const compiled = join(cache, 'keelson', 'compiled')
  for (const name of ['1', '2']) mkdirSync(join(compiled, name), { recursive: true, mode: 0o700 })
  for (const folder of [join(cache, 'keelson'), compiled]) chmodSync(folder, 0o700)
  const dayBefore = Date.now() / 1000 - 25 * 3600
  utimesSync(join(compiled, '1'), dayBefore, dayBefore)
  await helped(cache, { XDG_CACHE_HOME: cache })
  expect([existsSync(join(compiled, '1')), existsSync(join(compiled, '2'))]).toEqual([false, true])
  expect(readdirSync(compiled)).toHaveLength(2)
})
