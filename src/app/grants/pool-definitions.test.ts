/** What a deployment declares about agents and resources: whole numbers, or nothing is opened. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { KeelsonError, openKeelson } from '../../main.ts'
import { poolDefinitions, type DeclaredPools } from './pool-definitions.ts'
import { fileFolder } from '../../../test/fixtures/folder.ts'
import { servicesOf } from '../../library/services-of.ts'

const folder = fileFolder()

const WRONG: readonly (readonly [string, unknown, string])[] = [
  ['half a unit', { resources: { gpu: 1.5 } }, 'resources.gpu must be a whole number, 0 or more, but it is 1.5'],
  ['less than nothing', { resources: { gpu: -1 } }, 'resources.gpu must be a whole number, 0 or more, but it is -1'],
  ['no number', { resources: { gpu: Number.NaN } }, 'resources.gpu must be a whole number, 0 or more, but it is NaN'],
  ['no end', { resources: { gpu: Infinity } }, 'resources.gpu must be a whole number, 0 or more, but it is Infinity'],
  ['a text', { resources: { gpu: '2' } }, 'resources.gpu must be a whole number, 0 or more, but it is "2"'],
  ['nothing', { resources: { gpu: null } }, 'resources.gpu must be a whole number, 0 or more, but it is null'],
  [
    'half of a quota',
    { resources: { t: { units: 0.5, perMs: 1 } } },
    'resources.t.units must be a whole number, 0 or more, but it is 0.5',
  ],
  [
    'a window of nothing',
    { resources: { t: { units: 1, perMs: 0 } } },
    'resources.t.perMs must be a whole number, 1 or more, but it is 0',
  ],
  ['half an agent', { agents: { writer: 2.5 } }, 'agents.writer must be a whole number, 0 or more, but it is 2.5'],
  ['an agent owed', { agents: { writer: -3 } }, 'agents.writer must be a whole number, 0 or more, but it is -3'],
]

it.each(WRONG)('%s is refused by its name before anything is opened', async (_, options, message) => {
  const directory = join(folder, 'never')
  const thrown: unknown = await openKeelson({ directory, ...(options as DeclaredPools) }).then(
    (keelson) => keelson.close(),
    (error: unknown) => error,
  )
  expect(thrown).toBeInstanceOf(KeelsonError)
  expect((thrown as KeelsonError).problems).toMatchObject([{ code: 'CAPACITY_INVALID', message }])
  expect(existsSync(directory)).toBe(false)
})

it('several wrong ones are told at once', () => {
  let told: readonly string[] = []
  try {
    poolDefinitions({ agents: { a: -1, b: 1 }, resources: { c: 0.1 } })
  } catch (thrown) {
    told = (thrown as KeelsonError).problems.map(({ message }) => message.split(' ')[0] ?? '')
  }
  expect(told).toEqual(['agents.a', 'resources.c'])
})

it('whole numbers are pools, nothing at all included', async () => {
  const quota = { units: 600, perMs: 60_000 }
  await using keelson = await openKeelson({
    directory: ':memory:',
    agents: { writer: 1 },
    resources: { gpu: 0, tokens: quota },
  })
  const pools = await servicesOf(keelson).store.listPools()
  expect(pools.map(({ pool, capacity, windowMs }) => [pool, capacity, windowMs])).toEqual([
    ['agent:writer', 1, undefined],
    ['resource:gpu', 0, undefined],
    ['resource:tokens', 600, 60_000],
  ])
})
