/** Texts of the command that a person reads once and acts on: they must not run into each other, be empty, or say two things. */
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { COMMANDS } from '../../src/edge/cli/table/command-table.ts'
import { wordsOf } from '../../src/edge/cli/terminal/command-spec.ts'
import { ensureBuilt } from './built.ts'
import { folderWith, keelson, linesOf, type Variables } from './command.ts'

beforeAll(ensureBuilt)

const PLAN = 'plan: p\nversion: 1.0.0\nsteps: [{ id: a, wait: { forMs: 1 } }]\n'

async function toldByInit(variables: Variables): Promise<readonly string[]> {
  const { stdout } = await keelson(['init', 'orders-demo'], folderWith({}), undefined, variables)
  return linesOf(stdout).slice(linesOf(stdout).indexOf('Now:'))
}

it('init tells what to do next, each command apart from what it is for', async () => {
  expect(await toldByInit({})).toEqual([
    'Now:',
    '  keelson run orders-demo/plan.yaml                   a busy bank, a fan-out, and it completes',
    '  keelson run orders-demo/plan.yaml --set dock=full   a failure, and what was done is undone',
    '  keelson why last                                    what went wrong',
  ])
})

it('init started by npx says npx', async () => {
  expect(await toldByInit({ npm_command: 'exec' })).toEqual([
    'Now:',
    '  npx keelson run orders-demo/plan.yaml                   a busy bank, a fan-out, and it completes',
    '  npx keelson run orders-demo/plan.yaml --set dock=full   a failure, and what was done is undone',
    '  npx keelson why last                                    what went wrong',
    '',
    "Messages say `keelson` for short: type `npx keelson`, or once: alias keelson='npx keelson'",
  ])
})

it('every word that holds commands says what they are for', async () => {
  const groups = new Set(COMMANDS.map(wordsOf).flatMap(([group = '', sub]) => (sub === undefined ? [] : [group])))
  for (const group of groups) {
    const [usage, blank, about] = linesOf((await keelson(['help', group], folderWith({}))).stdout)
    expect([group, usage?.startsWith('Usage: '), blank, /^[a-z].{10}/.test(about ?? '')]).toEqual([
      group,
      true,
      '',
      true,
    ])
  }
})

it('a link where state is kept is the environment’s fault: exit code 6', async () => {
  const folder = folderWith({ 'p.yaml': PLAN })
  expect((await keelson(['run', 'p.yaml'], folder)).code).toBe(0)
  rmSync(join(folder, '.keelson', 'keelson.db'))
  symlinkSync('/etc/hosts', join(folder, '.keelson', 'keelson.db'))
  const { code, stderr } = await keelson(['runs'], folder)
  expect([code, linesOf(stderr)[0]?.startsWith('STATE_LINK_REFUSED')]).toEqual([6, true])
})

it.each(['--allow-program', '--allow-env', '--allow-plan', '--allow-secret'])(
  'a lock takes no %s for everything: it would pass for all, and be the name of none',
  async (flag) => {
    const folder = folderWith({ 'p.yaml': PLAN })
    const { code, stderr } = await keelson(['run', 'p.yaml', '--locked', flag, '*'], folder)
    expect([code, linesOf(stderr)[0]]).toEqual([
      2,
      expect.stringMatching(
        /^USAGE {2}'\*' is not a name: a lock lists the (programs|variables|plans|secrets) that it allows one by one/,
      ),
    ])
    expect(existsSync(join(folder, '.keelson'))).toBe(false)
  },
)

it('to ask and not to ask is refused', async () => {
  const { code, stderr } = await keelson(['run', 'p.yaml', '--review', '--trust'], folderWith({ 'p.yaml': PLAN }))
  expect([code, linesOf(stderr)[0]]).toEqual([2, 'USAGE  --review asks you, --trust does not: use only one of them'])
})

it('doctor tells a database that is gone from one that never was', async () => {
  const folder = folderWith({ 'p.yaml': PLAN })
  expect((await keelson(['doctor'], folder)).stdout).toContain('✔ database       none yet')
  const elsewhere = await keelson(['doctor', '--dir', 'nowhere'], folder)
  expect([elsewhere.code, elsewhere.stdout.includes('⚠ database       none yet')]).toEqual([0, true])
  mkdirSync(join(folder, '.keelson', 'receipts'), { recursive: true, mode: 0o700 })
  const gone = await keelson(['doctor'], folder)
  expect([
    gone.code,
    /✖ database +STORE_NOT_FOUND {2}there is no .*keelson\.db, and receipts beside it/.test(gone.stdout),
  ]).toEqual([6, true])
})
