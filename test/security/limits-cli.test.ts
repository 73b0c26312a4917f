/** At the command line: an option of exactly its limit is taken; one byte more is refused with its code and changes nothing. */
import { beforeAll, expect, it } from 'vitest'
import { LIMITS } from '../../src/core/limits.ts'
import { ensureBuilt } from '../e2e/built.ts'
import { Command, folderWith, jsonLines, keelson } from '../e2e/command.ts'
import { RUN_ID_BYTES, textOf } from '../fixtures/limit-doors.ts'

const PATIENCE_MS = 180_000
const FILES = {
  'short.yaml': 'plan: short\nversion: 1.0.0\nsteps:\n  - { id: a, run: echo }\n',
  'task.yaml': 'plan: task\nversion: 1.0.0\nsteps:\n  - { id: a, manual: { title: Look } }\n',
  'keelson.steps.mjs': 'export const echo = (given) => given\n',
}
const LARGE = 'VALUE_TOO_LARGE'
const COMPLETE = ['complete', 'last', 'a', '--outcome', 'Succeeded']

interface Case {
  readonly name: string
  /** Makes what the command is about. */
  readonly before: readonly string[]
  readonly args: readonly string[]
  readonly option: string
  readonly limit: number
  readonly code: string
}

const name = (args: readonly string[], option: string, before: readonly string[], code = LARGE): Case => ({
  name: `keelson ${args[0]} ${option}`,
  args,
  option,
  limit: LIMITS.nameBytes,
  code,
  before,
})
const ENDED = ['run', 'short.yaml']
const QUEUED = ['run', 'short.yaml', '--queue', '--needs-approval', '--as', 'mia']
/** Left as it is while it waits for a person. */
const WAITING = ['run', 'task.yaml']
const BAD = 'TASK_COMPLETION_INVALID'

const CASES: readonly Case[] = [
  name(ENDED, '--request-id', ENDED),
  { ...name(ENDED, '--correlation-id', ENDED), limit: RUN_ID_BYTES },
  name(ENDED, '--as', ENDED),
  name(['fork', 'last'], '--as', ENDED),
  name(['queue', 'approve', 'last'], '--as', QUEUED),
  name(['queue', 'reject', 'last'], '--as', QUEUED),
  name(['signal', 'last', 'pause'], '--as', WAITING),
  {
    name: 'keelson erase --reason',
    before: ENDED,
    args: ['erase', 'last', '--yes'],
    option: '--reason',
    limit: LIMITS.reasonBytes,
    code: LARGE,
  },
  name(COMPLETE, '--as', WAITING, BAD),
  name(COMPLETE, '--evidence', WAITING, BAD),
  {
    name: 'keelson complete --notes',
    before: WAITING,
    args: COMPLETE,
    option: '--notes',
    limit: LIMITS.notesBytes,
    code: BAD,
  },
]

beforeAll(ensureBuilt, PATIENCE_MS)

async function events(folder: string): Promise<unknown> {
  const { stdout } = await keelson(['runs', '--all', '--json'], folder)
  const runs = jsonLines(stdout).map(({ runId }) => String(runId))
  return Promise.all(runs.map(async (runId) => (await keelson(['events', runId, '--json'], folder)).stdout))
}

it.each(CASES)('$name', { timeout: PATIENCE_MS }, async ({ before, args, option, limit, code }) => {
  const folder = folderWith(FILES)
  await prepared(folder, before)
  const was = await events(folder)
  const refused = await keelson([...args, option, textOf(limit + 1)], folder)
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(code)])
  expect(await events(folder)).toEqual(was)
  const taken = await keelson([...args, option, textOf(limit)], folder)
  expect([taken.code, taken.stderr.includes(code)]).toEqual([0, false])
})

async function prepared(folder: string, before: readonly string[]): Promise<void> {
  const command = new Command(before, folder)
  if (before === WAITING) {
    await command.shows(/waits for a person/)
    command.kill('SIGTERM')
  }
  await command.finished
}
