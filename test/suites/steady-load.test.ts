/**
 * What a process holds under a steady load: the same after ten minutes (`KEELSON_TESTS=full`; else after seconds) as at the
 * beginning, and with `smallHeap` a bounded young generation.
 */
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../src/core/limits.ts'
import type { HeldBytes, SteadyLoad } from '../bench/processes/steady-load.ts'
import { runChild } from '../fixtures/child.ts'
import { testFolder } from '../fixtures/folder.ts'
import { extent } from '../setup/extent.ts'

const LOAD = fileURLToPath(new URL('../bench/processes/steady-load.ts', import.meta.url))
const SMALL = fileURLToPath(new URL('../../src/adapters/system/small-heap.ts', import.meta.url))
const MEGABYTE = 1024 * 1024
/** During a collection a few pages more are there. */
const PAGES = 1.25

function steady(load: Omit<SteadyLoad, 'directory'>, flags: readonly string[] = []): readonly HeldBytes[] {
  const given = JSON.stringify({ directory: testFolder(), ...load })
  const { status, stdout } = runChild(process.execPath, ['--expose-gc', ...flags, LOAD, given])
  expect(status).toBe(0)
  return JSON.parse(stdout) as readonly HeldBytes[]
}

it('a steady load for ten minutes holds no more at its end than at its beginning', { timeout: 1_200_000 }, () => {
  const parts = steady({ smallHeap: true, partMs: extent(1_500, 60_000), parts: extent(5, 11) })
  // The first part loads and compiles.
  const [, second, ...later] = parts
  const last = later.at(-1)
  expect(Math.min(...parts.map(({ runs }) => runs))).toBeGreaterThan(50)
  expect((last?.live ?? Infinity) - (second?.live ?? 0)).toBeLessThan(2 * MEGABYTE)
  expect((last?.resident ?? Infinity) / (second?.resident ?? 1)).toBeLessThan(extent(1.5, 1.15))
  // On a busy machine two collections may come before the process hears of the first: then it has grown once more than it would.
  expect(Math.max(...parts.map(({ young }) => young))).toBeLessThan(2 * PAGES * LIMITS.youngHeapBytes)
})

/** Objects that live a little: V8 answers them with a larger young generation. */
const BUSY = `
const young = () => require('node:v8').getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size
const kept = []
const busy = async () => {
  let most = 0
  for (let at = 0; at < 1_500_000; at++) {
    kept.push({ at, list: [at, at], text: 'x' + at })
    if (kept.length > 60_000) kept.splice(0, 30_000)
    if (at % 5_000 === 0) { await new Promise(setImmediate); most = Math.max(most, young()) }
  }
  return most
}
`

function expectAbout(bytes: number | undefined, bound: number): void {
  expect(bytes).toBeGreaterThanOrEqual(bound)
  expect(bytes).toBeLessThan(PAGES * bound)
}

describe('the young generation of a process', () => {
  const most = (program: string, flags: readonly string[] = []): readonly number[] => {
    const code = `${BUSY}; (async () => { const small = await import(${JSON.stringify(SMALL)}); ${program} })()`
    const { status, stdout } = runChild(process.execPath, [...flags, '--expose-gc', '--eval', code])
    expect(status).toBe(0)
    return JSON.parse(stdout) as readonly number[]
  }
  const bound = LIMITS.youngHeapBytes

  it('grows beyond the bound where nobody asked for a small heap: this test would see it', () => {
    const [free] = most('console.log(JSON.stringify([await busy()]))')
    expect(free).toBeGreaterThan(PAGES * bound)
  })

  it('stays within the bound, and grows up to it again after it has shrunk', () => {
    const [first, shrunk, again] = most(`
      small.keepHeapSmall()
      const first = await busy()
      kept.length = 0
      for (let at = 0; at < 5; at++) { gc({ type: 'major', flavor: 'last-resort' }); await new Promise(setImmediate) }
      const shrunk = young()
      console.log(JSON.stringify([first, shrunk, await busy()]))`)
    expectAbout(first, bound)
    expect(shrunk).toBeLessThan(bound)
    expectAbout(again, bound)
  })

  it('grows freely before a thread runs code of a user', () => {
    const [free] = most(
      'small.keepHeapSmall(); await busy(); small.letHeapsGrow(); console.log(JSON.stringify([await busy()]))',
    )
    expect(free).toBeGreaterThan(PAGES * bound)
  })

  it.each([
    ['--max-semi-space-size=32', 2 * bound],
    ['--max-semi-space-size=4', bound / 4],
  ])('is what the user chose with %s', (flag, bytes) => {
    const [chosen] = most('small.keepHeapSmall(); console.log(JSON.stringify([await busy()]))', [flag])
    expectAbout(chosen, bytes)
  })
})
