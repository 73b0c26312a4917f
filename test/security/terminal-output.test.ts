/** Names, outputs, messages and files full of control characters: no command hands one to a terminal, a pipe or a reader of JSON. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/terminal.ts'
import { COMMANDS } from '../../src/edge/cli/table/command-table.ts'
import { wordsOf } from '../../src/edge/cli/terminal/command-spec.ts'
import { loadPlan, openKeelson } from '../../src/main.ts'
import { ensureBuilt } from '../e2e/built.ts'
import { folderWith, keelson, type Finished } from '../e2e/command.ts'
import { keelsonHere } from '../e2e/in-process.ts'
import { runChild } from '../fixtures/child.ts'
import { isFull } from '../setup/extent.ts'

beforeAll(ensureBuilt)

/** A title, a link, a cleared screen, a bell, C1 forms of them, colours, reversed and broken lines. */
const EVIL =
  'EVIL\u001b]0;owned\u0007\u001b]8;;http://evil\u001b\\\u001b[2J\u001b[31mRED\u009b2J\u009d0;x\u009c\b\r\u007f\u202egnp\u2066\u2028\u0085\nforged: ok'
/** The same without what a file name, a YAML text or an argument cannot hold. */
const NAME = 'EVIL\u001b[2J\u0007\u009b31m\u202e\u2028'

const UNSAFE = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u200b\u2028\u2029\ufeff]/gu
/** Colours and cursor moves that the command makes itself, and the line ends of a pty. */
const ESC = '\u001b'
const OWN = new RegExp(`${ESC}\\[(?:[0-9]{1,2}m|\\?25[lh]|\\d+[AG]|0J)|\r(?=\n)`, 'g')

function unsafeIn(output: string, isTty = false): readonly string[] {
  const rest = isTty ? output.replace(OWN, '') : output
  return [...rest.matchAll(UNSAFE)].map(
    ({ 0: one, index }) =>
      `${one.codePointAt(0)?.toString(16)} in ${JSON.stringify(rest.slice(index - 30, index + 10))}`,
  )
}

const PLAN = `plan: p
version: 1.0.0
policy: { retry: { maxAttempts: 1 }, onFailure: continue }
inputs: { type: object }
steps:
  - { id: ask, manual: { title: ${JSON.stringify(EVIL)}, instructions: ${JSON.stringify(EVIL)} }, dependsOn: [] }
  - { id: say, run: say, with: { text: "\${input.text}" }, dependsOn: [], name: ${JSON.stringify(EVIL)} }
  - { id: fail, run: fail, dependsOn: [] }
  - { id: prog, command: { argv: [sh, -c, "printf '\\\\033[2J' >&2; exit 3"] }, dependsOn: [] }
output: "\${steps.say.output}"
`

const STEPS = `const evil = ${JSON.stringify(EVIL)}
export const say = () => { console.log(evil); console.error(evil); process.stdout.write(Buffer.from(evil)); return { [evil]: evil } }
export const fail = () => { throw Object.assign(new Error(evil), { code: evil, name: evil }) }
`

/** A folder whose store, files and names are all hostile. */
async function hostileFolder(): Promise<string> {
  const folder = folderWith({ 'plan.yaml': PLAN, 'keelson.steps.mjs': STEPS, [`${NAME}.yaml`]: 'plan: [' })
  const steps = {
    say: () => ({ [EVIL]: EVIL }),
    fail: () => {
      throw new Error(EVIL)
    },
  }
  await using open = await openKeelson({
    directory: join(folder, '.keelson'),
    steps,
    commands: true,
    receipts: true,
  })
  const plan = loadPlan(readFileSync(join(folder, 'plan.yaml'), 'utf8'))
  const start = (runId: string) =>
    open.start(plan, { text: EVIL }, { runId, correlationId: NAME, actorId: NAME, requestId: NAME + runId })
  const run = await start(ENDED)
  const other = await start('2-plain')
  await other.signal('PAUSE', { reason: EVIL })
  await run.signal('CANCEL', { reason: EVIL })
  await run.result()
  await open.start(plan, { text: EVIL }, { queue: true, runId: `3${NAME}` })
  return folder
}

const BUNDLE = './bundle.jsonl'
const ENDED = `1${NAME}`

/** The words of a command, with something hostile for each of its arguments. */
function callsOf(): readonly (readonly string[])[] {
  const given: Readonly<Record<string, readonly string[]>> = {
    '<file>': ['plan.yaml', `${NAME}.yaml`, NAME],
    '<plan>': [`${NAME}.yaml`],
    '<run>': ['last', '2-plain', ENDED, NAME, BUNDLE],
    '[run]': [NAME],
    '<old>': ['plan.yaml'],
    '<new>': ['plan.yaml', `${NAME}.yaml`],
    '<workflow>': ['workflow.json', `${NAME}.yaml`],
    '<name>': [NAME],
    '<shell>': ['bash', NAME],
    '<task>': ['ask', NAME],
    '<signal>': ['pause', NAME],
    '[step]': ['say', NAME],
    '[folder]': [NAME],
  }
  return COMMANDS.filter(({ use }) => !/^(?:worker|dev|serve|conformance|init|migrate|queue start)/.test(use)).flatMap(
    (spec) => {
      const words = wordsOf(spec)
      let lines: (readonly string[])[] = [words]
      for (const argument of spec.use.split(' ').slice(words.length)) {
        // Only what reads a bundle is given one; to the others it is a name like any other.
        const values = (given[argument] ?? []).filter(
          (value) =>
            (value !== BUNDLE || /^(?:show|why|events|verify|logs)$/.test(words.join(' '))) &&
            // To retry a run that has ended is to fork it, and the fork would wait for a person.
            (value !== ENDED || words[0] !== 'retry'),
        )
        lines = lines.flatMap((line) => values.map((value) => [...line, value]))
        if (argument.startsWith('[')) lines.push(words)
      }
      // What would wait for a person for ever is only previewed.
      const more: Readonly<Record<string, readonly string[]>> = {
        erase: ['--yes', '--reason', NAME],
        fork: ['--preview'],
      }
      return lines.map((line) => [...line, ...(more[words[0] ?? ''] ?? [])])
    },
  )
}

/** They run steps, which belongs into a process of its own. */
const DRIVES = /^(?:run|resume|retry|queue approve)\b/

/** Whatever else is asked in this process: it prints the same, and there are hundreds of questions. */
const asked = (args: readonly string[], folder: string): Promise<Finished> =>
  isFull || DRIVES.test(args.join(' ')) ? keelson(args, folder) : keelsonHere(args, folder)

function onPty(args: readonly string[], cwd: string): string {
  const quoted = [process.execPath, join(ROOT, 'bin', 'keelson.js'), ...args]
    .map((one) => `'${one.replaceAll("'", "'\\''")}'`)
    .join(' ')
  const { CI: _ci, NO_COLOR: _noColor, ...env } = process.env
  return runChild('script', ['-qec', quoted, '/dev/null'], {
    cwd,
    env: { ...env, TERM: 'xterm', FORCE_COLOR: '1' },
    input: '',
    timeout: 60_000,
  }).stdout
}

describe('a store full of control characters', () => {
  it('is shown by every command without one of them, as text and as JSON', { timeout: 600_000 }, async () => {
    const folder = await hostileFolder()
    writeFileSync(join(folder, 'workflow.json'), JSON.stringify({ schemaVersion: 1, workflowId: EVIL, name: EVIL }))
    const bundle = await keelson(['export', 'last'], folder)
    writeFileSync(join(folder, 'bundle.jsonl'), bundle.stdout)
    const found: Record<string, readonly string[]> = {}
    let seen = 0
    for (const call of callsOf()) {
      // As JSON a second hostile name and a plain one say nothing new.
      const isTold = !call.includes('2-plain') && !call.includes(ENDED)
      for (const args of [call, ...(isTold ? [[...call, '--json']] : [])]) {
        const { stdout, stderr } = await asked(args, folder)
        // A program that asks for the exact bytes of a plan is given them; a terminal is not (below).
        const isExact =
          args.join(' ') === 'plan compile plan.yaml' || args.join(' ') === 'plan compile plan.yaml --debug'
        const unsafe = [...(isExact ? [] : unsafeIn(stdout)), ...unsafeIn(stderr)]
        if (unsafe.length > 0) found[JSON.stringify(args)] = unsafe
        if (/EVIL/.test(stdout + stderr)) seen += 1
      }
    }
    expect(found).toEqual({})
    // The check is not empty: hostile text was shown, as text.
    expect(seen).toBeGreaterThan(40)
  })

  it(
    'is shown on a terminal with no escape but our own, and colours of data are not among them',
    { timeout: 300_000 },
    async () => {
      const folder = await hostileFolder()
      const calls = [
        ['show', 'last'],
        ['show', '2-plain'],
        ['events', '2-plain'],
        ['why', '2-plain'],
        ['runs'],
        ['tasks'],
        ['queue'],
        ['plan', 'check', 'plan.yaml'],
        ['plan', 'graph', 'plan.yaml'],
        ['plan', 'compile', 'plan.yaml'],
        ['plan', 'check', `${NAME}.yaml`],
        ['export', '2-plain'],
        ['show', NAME],
        ['doctor'],
      ]
      for (const args of calls) {
        const output = onPty(args, folder)
        expect([args, unsafeIn(output, true)]).toEqual([args, []])
        expect([args, output.includes(`${ESC}[31mRED`) || /^forged/m.test(output)]).toEqual([args, false])
      }
      expect(onPty(['runs'], folder)).toContain(`${ESC}[2m`)
    },
  )

  it('a run shows what its steps print without their control characters, in every kind of progress', async () => {
    const folder = folderWith({ 'keelson.steps.mjs': STEPS })
    const plan = 'plan: p\nversion: 1.0.0\npolicy: { retry: { maxAttempts: 1 } }\nsteps:\n'
    writeFileSync(join(folder, 'a.yaml'), `${plan}  - { id: say, run: say }\n  - { id: fail, run: fail }\n`)
    writeFileSync(join(folder, 'b.yaml'), `${plan}  - { id: say, run: say, isolation: process }\n`)
    writeFileSync(join(folder, 'c.yaml'), `${plan}  - { id: say, run: say, isolation: thread }\n`)
    for (const file of ['a.yaml', 'b.yaml', 'c.yaml']) {
      for (const args of [
        ['run', file],
        ['run', file, '--json'],
      ]) {
        const { stdout, stderr } = await keelson(args, folder)
        expect(stdout + stderr).toContain('EVIL')
        expect([args, unsafeIn(stdout + stderr)]).toEqual([args, []])
      }
      expect([file, unsafeIn(onPty(['run', file], folder), true)]).toEqual([file, []])
    }
  })

  it('rows that somebody wrote into the database are shown without acting', async () => {
    const folder = await hostileFolder()
    const database = new DatabaseSync(join(folder, '.keelson', 'keelson.db'))
    for (const column of ['plan_id', 'plan_version', 'environment_id', 'project_id', 'triggered_by', 'engine_type'])
      try {
        database.prepare(`UPDATE runs SET ${column} = ?`).run(EVIL)
      } catch {
        // A column that this schema guards, or does not have.
      }
    database.close()
    for (const words of [
      ['runs'],
      ['show', 'last'],
      ['why', 'last'],
      ['events', 'last'],
      ['doctor'],
      ['verify', 'last'],
      ['queue'],
    ])
      for (const args of [words, [...words, '--json']]) {
        const { stdout, stderr } = await asked(args, folder)
        expect([args, unsafeIn(stdout + stderr)]).toEqual([args, []])
      }
  })

  it('the name of a folder or a file in a message is shown, not acted on', async () => {
    const folder = folderWith({})
    mkdirSync(join(folder, NAME))
    for (const args of [
      ['init', NAME],
      ['run', NAME],
      ['runs', '--dir', NAME],
      ['verify', `./${NAME}`],
      ['restore', NAME],
      ['backup', `${NAME}/x`, '--dir', NAME],
      [NAME],
      ['runs', `--${NAME}`],
      ['help', NAME],
      ['runs', '--since', NAME],
      ['runs', '--store', `postgres://${NAME}`],
    ]) {
      const { stdout, stderr } = await asked(args, folder)
      expect([args, unsafeIn(stdout + stderr)]).toEqual([args, []])
    }
  })
})
