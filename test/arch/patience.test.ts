/** A busy machine takes longer and nothing else: tests wait as long as the runner lets them, and measure their own work, not the clock. */
import { expect, it } from 'vitest'
import { filesUnder, textOf } from '../../scripts/repository.ts'

/** A newcomer does not wait for minutes: that is what it is about. */
const ABOUT_MINUTES = 'test/e2e/walk.test.ts'

const TESTS = [
  ...filesUnder('test', ['.ts']).filter((path) => !/^test\/(?:bench|levels)\//.test(path)),
  ...filesUnder('src', ['.test.ts']),
  ...filesUnder('examples', ['.test.ts']),
]

/** What makes a test fail on a machine that is merely slow. */
const IMPATIENT: readonly (readonly [string, RegExp])[] = [
  ['gives itself less time than the runner does', /^ *\}, ?(?:\d{1,2}_000|1[0-7]\d_000|\d{1,5})\)$/m],
  ['waits for less than the runner does', /\.poll\([^;]*?\btimeout: (?:\d{1,2}_000|1[01]\d_000|\d{1,5})\b/],
  ['looks a number of times', /for \(let look\w* = 0;[^\n]*look\w* < \d/],
  ['waits a second at most', /\bvi\.wait(?:For|Until)\(/],
  ['is tried again until it passes', /\{ retry: \d/],
  ['measures the machine', /expect\(performance\.now\(\) - \w+\)\.toBeLessThan/],
]

const impatienceOf = (text: string): readonly string[] =>
  IMPATIENT.filter(([, pattern]) => pattern.test(text)).map(([what]) => what)

it('no test fails because it was slow', () => {
  const asked = TESTS.filter((path) => path !== ABOUT_MINUTES && path !== 'test/arch/patience.test.ts')
  const found = asked.flatMap((path) => impatienceOf(textOf(path)).map((what) => `${path}: ${what}`))
  expect(found).toEqual([])
})

it('the rule sees each of them', () => {
  const probes = [
    ['it("x", () => {', '}, 30_000)'].join('\n'),
    'await expect.poll(async () => status(), { timeout: 20_000 }).toBe(1)',
    'for (let look = 0; look < 500; look += 1) await pause(10)',
    'await vi.waitFor(() => expect(1).toBe(1))',
    'it("x", { retry: 2 }, () => undefined)',
    'expect(performance.now() - began).toBeLessThan(1_000)',
  ]
  expect(probes.map(impatienceOf)).toEqual(IMPATIENT.map(([what]) => [what]))
  expect(impatienceOf(['it("x", () => {', '}, 300_000)'].join('\n'))).toEqual([])
})
