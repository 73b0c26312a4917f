/** The redrawn picture on a terminal that only remembers what was written. */
import { stripVTControlCharacters } from 'node:util'
import picocolors from 'picocolors'
import { afterEach, expect, it } from 'vitest'
import { loadPlan, openKeelson, type Keelson, type StepContext } from '../../../main.ts'
import { watchRun } from './run-watch.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { screenWith } from '../terminal/paint.ts'
import { rowsOf } from './picture.ts'
import { treeProgress } from './tree-progress.ts'
import { until } from '../../../../test/fixtures/until.ts'

interface Screen extends Terminal {
  /** Lines on the screen, after all cursor moves. */
  lines(): readonly string[]
  others(text: string): void
}

function screen(rows: number, columns = 80): Screen {
  let lines: string[] = ['']
  let take: ((text: string, stream: 'stdout' | 'stderr') => void) | undefined
  const paint = picocolors.createColors(false)
  const put = (text: string): void => {
    const up = /\p{Cc}\[(\d+)A\p{Cc}\[0J/u.exec(text)
    if (up !== null) lines = [...lines.slice(0, lines.length - 1 - Number(up[1])), '']
    const plain = stripVTControlCharacters(text).replaceAll('\r', '')
    const [first = '', ...rest] = plain.split('\n')
    lines = [...lines.slice(0, -1), `${lines.at(-1) ?? ''}${first}`, ...rest]
  }
  return {
    isTty: true,
    canAsk: false,
    isLeft: false,
    columns,
    rows,
    paint,
    errorPaint: paint,
    write: put,
    line: (text = '') => put(`${text}\n`),
    errorLine: put,
    errorLines: put,
    othersText: put,
    exact: put,
    ask: async () => '',
    screen: screenWith('\u001b'),
    json: () => undefined,
    catchOthers: (taker) => {
      take = taker
      return () => (take = undefined)
    },
    flush: async () => undefined,
    lines: () => lines,
    others: (text) => take?.(text, 'stdout'),
  }
}

let opened: Keelson | undefined
afterEach(() => opened?.close())

async function endedRun(steps: number) {
  const list = Array.from(
    { length: steps },
    (_, index) => `  - { id: s${index}, run: ${index === steps - 1 ? 'bad' : 'good'} }`,
  )
  const plan = loadPlan(`plan: p\nversion: 1.0.0\npolicy: { retry: { maxAttempts: 1 } }\nsteps:\n${list.join('\n')}\n`)
  const bad = (): never => {
    throw new Error('no')
  }
  opened = await openKeelson({ directory: ':memory:', steps: { good: () => 1, bad } })
  const handle = await opened.start(plan, {})
  await handle.result()
  const watch = await watchRun(handle)
  return watch
}

it('redraws in place, keeps what others print above it, and stays at the end', async () => {
  const watch = await endedRun(2)
  const terminal = screen(20)
  const progress = treeProgress(terminal, 'Ctrl-C cancels')
  progress.begin(watch, ['p 1.0.0'])
  progress.update(watch, await watch.pump())
  terminal.others('a step talks')
  progress.tick()
  const shown = terminal.lines().map((line) => line.replace(/\d+ ms/, 'T').trim())
  const failed = '✖ s1     T   HANDLER_FAILED  "no"'.replace(/ +/g, ' ')
  expect(shown.map((line) => line.replace(/ +/g, ' '))).toEqual([
    'p 1.0.0',
    '',
    'a step talks',
    '✔ s0 T',
    failed,
    'Ctrl-C cancels',
    '',
  ])
  progress.end()
  expect(terminal.lines().filter((line) => line.includes('Ctrl-C'))).toEqual([])
  expect(terminal.lines().filter((line) => line.includes('s0'))).toHaveLength(1)
})

it('shows the failed step and counts the rest when a plan is longer than the screen', async () => {
  const watch = await endedRun(50)
  const terminal = screen(12)
  const progress = treeProgress(terminal, '')
  progress.begin(watch, ['p 1.0.0'])
  progress.update(watch, await watch.pump())
  expect(terminal.lines().length).toBeLessThanOrEqual(12)
  expect(terminal.lines().join('\n')).toMatch(/✖ s49[\s\S]*… 43 more steps: 43 done/)
  for (const line of terminal.lines()) expect(line.length).toBeLessThanOrEqual(80)
})

it('before anything has started every step says what it waits for', async () => {
  const watch = await endedRun(3)
  expect(rowsOf(watch, 0).map((row) => `${row.mark} ${row.name} ${row.notes.join()}`)).toEqual([
    'waiting s0 starts next',
    'waiting s1 waits for s0',
    'waiting s2 waits for s1',
  ])
})

it('a step that waits for its share of a resource names it', async () => {
  opened = await openKeelson({
    directory: ':memory:',
    resources: { gpu: 1 },
    steps: { hold: () => new Promise(() => undefined) },
  })
  const plan = loadPlan(`plan: p
version: 1.0.0
steps:
  - { id: first, run: hold, resources: { gpu: 1 }, dependsOn: [] }
  - { id: second, run: hold, resources: { gpu: 1 }, dependsOn: [] }
`)
  const watch = await watchRun(await opened.start(plan, {}))
  await until(async () => {
    await watch.pump()
    return watch.grantWaits.size === 1
  })
  expect(rowsOf(watch, Date.now()).map((row) => [row.mark, row.name, row.notes])).toEqual([
    ['running', 'first', []],
    ['waiting', 'second', ['waits for resource:gpu']],
  ])
})

it('a fan-out that has ended says how often its items failed before they succeeded', async () => {
  const flaky = (_input: never, { attempt, itemIndex = 0 }: StepContext): number => {
    if (attempt === 1 && itemIndex > 0) throw Object.assign(new Error('busy'), { code: 'HTTP_503', statusCode: 503 })
    return attempt
  }
  opened = await openKeelson({ directory: ':memory:', steps: { flaky } })
  const retry = '{ maxAttempts: 3, initialBackoffMs: 1 }'
  const plan = loadPlan(`plan: p\nversion: 1.0.0\nsteps: [{ id: load, forEach: input, run: flaky, retry: ${retry} }]`)
  const handle = await opened.start(plan, [1, 2, 3])
  await handle.result()
  const watch = await watchRun(handle)
  await watch.pump()
  expect(rowsOf(watch, 0).map((row) => [row.mark, row.notes])).toEqual([['done', ['3 items', '2 × HTTP_503']]])
})
