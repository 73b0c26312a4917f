/** `keelson conformance` as a person calls it. */
import { beforeAll, expect, it } from 'vitest'
import { ensureBuilt } from './built.ts'
import { folderWith, jsonLines, keelson } from './command.ts'

beforeAll(ensureBuilt)

const PLAN = 'plan: own\nversion: 1.0.0\nsteps: [{ id: a, run: f }, { id: w, wait: { forMs: 20 } }]\n'

it('plays entries of the corpus that comes with it and says what came out', async () => {
  const { code, stdout } = await keelson(['conformance', '--only', 'minimal', 'diamond*'], folderWith({}))
  expect(code).toBe(0)
  expect(stdout).toMatch(/✔ diamond +COMPLETED/)
  expect(stdout).toContain('3 plans on embedded, mock: 3 equal')
})

it('plays a plan of the user and answers as JSON', async () => {
  const folder = folderWith({ 'own.yaml': PLAN })
  const { code, stdout } = await keelson(['conformance', '--plans', 'own.yaml', '--json'], folder)
  expect(code).toBe(0)
  expect(jsonLines(stdout)).toEqual([{ plans: 1, equal: 1, different: 0, differences: [] }])
})

it('ends with a code of its own when something differs, and shows both sides', async () => {
  const entry = 'planFile: own.yaml\nexpect: { status: CANCELLED }\n'
  const folder = folderWith({ 'own.yaml': PLAN, 'wrong.yaml': entry })
  const { code, stdout } = await keelson(['conformance', '--engines', 'mock', '--plans', 'wrong.yaml'], folder)
  expect(code).toBe(1)
  expect(stdout).toContain('✘ wrong')
  expect(stdout).toContain('mock: "COMPLETED"')
  expect(stdout).toContain('the entry: "CANCELLED"')
  expect(stdout).toContain('1 plan on mock: 1 different, 0 equal')
})

it('refuses engines, files and entries it does not know', async () => {
  const folder = folderWith({ 'bad.yaml': 'plan: { plan: p }\nscript: { a: 1 }\n' })
  const engine = await keelson(['conformance', '--engines', 'embeded'], folder)
  expect([engine.code, engine.stderr]).toEqual([2, expect.stringContaining("did you mean 'embedded'?")])
  const file = await keelson(['conformance', '--plans', 'nowhere.yaml'], folder)
  expect([file.code, file.stderr]).toEqual([2, expect.stringContaining('FILE_NOT_FOUND')])
  const bad = await keelson(['conformance', '--plans', 'bad.yaml'], folder)
  expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining('bad.yaml:2:14')])
  const none = await keelson(['conformance', '--only', 'nosuch'], folder)
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('no entry is called nosuch')])
})

it('runs a plan on the mock engine without waiting', async () => {
  const plan = 'plan: own\nversion: 1.0.0\nsteps: [{ id: w, wait: { forMs: 86400000 } }]\n'
  const folder = folderWith({ 'own.yaml': plan })
  const { code, stdout } = await keelson(['run', 'own.yaml', '--engine', 'mock'], folder)
  expect([code, stdout]).toEqual([0, expect.stringContaining('completed')])
  const wrong = await keelson(['run', 'own.yaml', '--engine', 'mok'], folder)
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("did you mean 'mock'?")])
})
