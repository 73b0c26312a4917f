/** The examples of every command's help, run as they stand: each in a folder in which it makes sense, with the exit code it promises. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/edge/cli/table/command-table.ts'
import { ROOT } from '../../scripts/terminal.ts'
import { ensureBuilt } from './built.ts'
import { runChild } from '../fixtures/child.ts'
import { endedLog, textOf } from '../fixtures/foreign-log.ts'

const BIN = join(ROOT, 'bin', 'keelson.js')
const plan = (steps: string): string => `plan: order\nversion: 1.0.0\nsteps:\n${steps}`
const STEPS = ['  - { id: pay, run: pay }\n', '  - { id: pack, run: pack }\n'].join('')
const FILES: Readonly<Record<string, string>> = {
  'plan.yaml': plan(STEPS),
  'etl.yaml': plan(STEPS).replace('plan: order', 'plan: etl'),
  'ship.yaml': plan(STEPS).replace('plan: order', 'plan: ship'),
  'new-plan.yaml': plan(`${STEPS}  - { id: ship, run: pack }\n`),
  'waiting.yaml': plan(`${STEPS}  - { id: release, manual: { title: Release it } }\n`),
  'order.json': '{ "orderId": "A-17" }',
  'workflow.json': '{ "metadata": { "planId": "w", "planVersion": "1.0.0" }, "steps": [{ "stepId": "s1" }] }',
  'payment.json': '{ "amount": 120 }',
  'run.s0.jsonl': textOf(endedLog()),
  'keelson.steps.mjs': `import { existsSync } from 'node:fs'
export const pay = () => 'paid'
export const pack = () => {
  if (existsSync('failing')) throw Object.assign(new Error('no box'), { retryable: false })
  return 'packed'
}
`,
  'other.steps.ts': 'export const pay = (): string => "paid"\nexport const pack = (): string => "packed"\n',
}

/** What must be there before, as a script; `$ID` is the run that examples name. */
const STAGES = {
  empty: ':',
  ended:
    'keelson run plan.yaml; keelson plan compile plan.yaml --out old.json; keelson receipts key > receipts.key; keelson evidence last --json > evidence.jsonl',
  failed: 'touch failing; keelson run plan.yaml; rm failing',
  queued: 'keelson run plan.yaml --queue',
  pending: 'keelson run plan.yaml --queue --needs-approval',
  waiting: 'keelson run waiting.yaml --queue; keelson queue start',
  keyed: 'keelson keys create --tenant acme --role viewer',
  published: 'keelson plan publish etl.yaml',
  scheduled: 'keelson plan publish etl.yaml; keelson schedules create nightly etl --every 1d',
  paused: 'keelson run plan.yaml; keelson pauses set plan:order; keelson pauses set tenant',
  limited: 'keelson limits set tenant --max-running 9; keelson limits set plan:order --max-running 3',
} as const
type Stage = keyof typeof STAGES

const STAGE_OF: readonly (readonly [RegExp, Stage])[] = [
  [/^keelson init/, 'empty'],
  [/^keelson (?:keys|tenants)/, 'keyed'],
  [/^keelson schedules create/, 'published'],
  [/^keelson schedules/, 'scheduled'],
  [/^keelson limits/, 'limited'],
  [/^keelson pauses/, 'paused'],
  [/queue (approve|reject)/, 'pending'],
  [/queue|resume/, 'queued'],
  [/fork|retry/, 'failed'],
  [/signal|pause|cancel|tasks|complete /, 'waiting'],
]

/** What an example asks for that is not to be had here: a server, a time, another program, or minutes. */
const ELSEWHERE =
  /temporal|^keelson login|^keelson (?:serve|dev)\b(?!.*--print-config)|postgres:|--not-before|\| dot |conformance|migrate|plan import|backup-2026|\/srv\/|store init|elsewhere|keelson\.example\.com/
/** What fits the stage, and yet does not end with 0. */
const EXITS: Readonly<Record<string, number>> = {
  // It asks first, and nobody is there to answer.
  'keelson erase 1a2b3c4d --reason "request 4711"': 2,
  'keelson tenants delete acme': 2,
  // The ids of keys are made by chance.
  'keelson keys revoke 0123456789abcdef': 2,
  'keelson keys revoke 0123456789abcdef --json': 2,
  // And those of operations.
  'keelson fleet show 0b6f5f1e-6a43-4c52-9a3b-1f6b8f0f8a11': 2,
  'keelson fleet show 0b6f5f1e-6a43-4c52-9a3b-1f6b8f0f8a11 --json': 2,
  'keelson fleet abort 0b6f5f1e-6a43-4c52-9a3b-1f6b8f0f8a11 --json': 2,
  'keelson fleet abort 0b6f5f1e-6a43-4c52-9a3b-1f6b8f0f8a11 --reason "wrong plan"': 2,
  // Nobody follows the logs of the stage.
  'keelson feed dead-letters mail': 2,
  'keelson feed dead-letters mail 12-3 --json': 2,
  'keelson feed redeliver mail': 2,
  'keelson feed redeliver mail --id 12-3 --id 12-4': 2,
  'keelson feed drop mail 12-3 --reason not-needed': 2,
  'keelson feed drop mail 12-3 --reason handled-elsewhere --yes': 2,
  'keelson restore orders.db': 1,
  'keelson why last pack --at 12': 2,
  // The plan of the stage has functions, which are code.
  'keelson run plan.yaml --locked --allow-host api.example.com --allow-program git': 5,
}

const SHELL = `set -o pipefail; keelson() { "${process.execPath}" "${BIN}" "$@"; }; mkdir -p .config/fish/completions; chmod -R go= .keelson 2>/dev/null; KEY="$(cat receipts.key 2>/dev/null)";`
/** Of compiled code, which a home of its own for each example would not have. */
const cache = mkdtempSync(join(tmpdir(), 'keelson-help-cache-'))
const stages = new Map<Stage, { readonly folder: string; readonly id: string }>()

function shell(folder: string, script: string): { readonly code: number | null; readonly text: string } {
  const { CI: _ci, ...env } = process.env
  const { status, stdout, stderr } = runChild('bash', ['-c', `${SHELL} ${script}`], {
    cwd: folder,
    env: { ...env, HOME: folder, XDG_CACHE_HOME: cache },
    timeout: 170_000,
  })
  return { code: status, text: stdout + stderr }
}

function staged(stage: Stage): { readonly folder: string; readonly id: string } {
  const known = stages.get(stage)
  if (known !== undefined) return known
  const folder = mkdtempSync(join(tmpdir(), `keelson-help-${stage}-`))
  const files = stage === 'empty' ? [] : Object.entries(FILES)
  for (const [name, text] of files) writeFileSync(join(folder, name), text)
  shell(folder, STAGES[stage])
  const { text } = shell(folder, 'keelson runs --json')
  const made = { folder, id: /"runId":"([0-9a-f-]{36})"/.exec(text)?.[1]?.slice(0, 8) ?? '' }
  stages.set(stage, made)
  return made
}

const examples = COMMANDS.flatMap((spec) => spec.examples).filter((one) => !ELSEWHERE.test(one))

beforeAll(ensureBuilt)
afterAll(() => {
  for (const folder of [cache, ...[...stages.values()].map((stage) => stage.folder)])
    rmSync(folder, { recursive: true, force: true })
})

describe('an example of the help', () => {
  it.each(examples)('%s', (example) => {
    const stage = STAGE_OF.find(([pattern]) => pattern.test(example))?.[1] ?? 'ended'
    const { folder: template, id } = staged(stage)
    const folder = mkdtempSync(join(tmpdir(), 'keelson-help-'))
    try {
      cpSync(template, folder, { recursive: true })
      if (/restore|verify order/.test(example))
        shell(folder, 'keelson backup orders.db; keelson export last > order.jsonl')
      const { code, text } = shell(folder, example.replaceAll(/7f3a91c2|1a2b3c4d/g, id))
      expect({ example, code, text }).toEqual({ example, code: EXITS[example] ?? 0, text })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('is there for every command', () => {
    for (const { use, examples: own } of COMMANDS) expect({ use, count: own.length > 0 }).toEqual({ use, count: true })
  })
})

it('every line of the list of commands says what the command does', () => {
  const { text } = shell(ROOT, 'keelson help')
  const listed = text.split('\n').filter((line) => /^ {2}[a-z]/.test(line))
  expect(listed.length).toBeGreaterThan(20)
  expect(listed.filter((line) => !/^ {2}\S.*? {2,}\S/.test(line))).toEqual([])
})
