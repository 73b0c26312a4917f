/** What step functions can do to the process that runs them: the command says so, and other steps and runs go on. */
import { writeFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from './built.ts'
import { Command, folderWith, jsonLines, keelson, sideLines, until } from './command.ts'

const STEPS = `import { appendFileSync, existsSync, createReadStream } from 'node:fs'
import { EventEmitter } from 'node:events'
const note = (text) => appendFileSync('side.txt', text + '\\n')
const gone = () => Object.assign(new Error('line gone'), { code: 'ECONNRESET' })
const forever = () => new Promise((resolve) => setInterval(resolve, 1 << 30))
export const fast = (input, { stepId }) => note(stepId)
export const gated = async () => { while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 10)) }
export const leave = () => process.exit(0)
export const leaveLater = async () => { await new Promise((resolve) => setTimeout(resolve, 5)); process.exit(0) }
export const floating = () => { void (async () => { throw gone() })(); return forever() }
export const timer = () => { setTimeout(() => { throw gone() }, 1); return forever() }
export const tick = () => { process.nextTick(() => { throw gone() }); return forever() }
export const micro = () => { queueMicrotask(() => { throw gone() }); return forever() }
export const emitter = () => { setImmediate(() => new EventEmitter().emit('error', gone())); return forever() }
export const stream = () => { createReadStream('none'); return forever() }
export const told = (input, { signal, stepId }) => {
  signal.addEventListener('abort', () => note(stepId + ' aborted ' + signal.reason.code))
  setTimeout(() => { throw gone() }, 1)
  return forever()
}
export const late = () => { setTimeout(() => { note('thrown'); throw gone() }, 50) }
`
const plan = (...steps: readonly string[]): string => `plan: p\nversion: 1.0.0\nsteps:\n${steps.join('\n')}\n`
const NO_RETRY = 'retry: { maxAttempts: 1 }'
const folderOf = (text: string, steps = STEPS): string => folderWith({ 'p.yaml': text, 'keelson.steps.mjs': steps })

beforeAll(ensureBuilt)

describe('a step that ends its process', () => {
  it.each(['leave', 'leaveLater'])(
    'by process.exit(0) is named, with what to do next and an exit code of its own',
    async (run) => {
      const folder = folderOf(plan('  - { id: a, run: fast }', `  - { id: b, run: ${run} }`))
      const { code, stderr } = await keelson(['run', 'p.yaml'], folder)
      expect(code).toBe(7)
      expect(stderr).toMatch(
        /EXITED_EARLY {2}step 'b' of run \w+, attempt 1 called process\.exit\(0\) in process \d+ \(keelson run p\.yaml\)/,
      )
      expect(stderr).toMatch(/npx keelson show \w+ {3}go on: npx keelson resume \w+/)
      const json = await keelson(['resume', '--json'], folder)
      expect(json.code).toBe(7)
      expect(jsonLines(json.stdout).at(-1)).toMatchObject({ problems: [{ code: 'EXITED_EARLY' }] })
      expect((await keelson(['runs'], folder)).stdout).toMatch(/RUNNING/)
    },
  )
})

describe('an error that nobody caught', () => {
  it.each(['floating', 'timer', 'tick', 'micro', 'emitter'])(
    'of a step (%s) fails its attempt, classified as the error is, and nothing else',
    async (run) => {
      const steps = [
        `  - { id: bad, run: ${run}, ${NO_RETRY}, dependsOn: [] }`,
        '  - { id: good, run: fast, dependsOn: [] }',
      ]
      const folder = folderOf(`${plan(...steps)}policy: { onFailure: continue }\n`)
      const { code, stdout } = await keelson(['run', 'p.yaml', '--json'], folder)
      expect(code).toBe(1)
      const events = jsonLines(stdout)
      expect(events.find(({ eventType }) => eventType === 'StepFailed')).toMatchObject({
        stepId: 'bad',
        payload: { error: { code: 'STRAY_ERROR', errorClass: 'transport' } },
      })
      expect(sideLines(folder)).toEqual(['good'])
      expect((await keelson(['verify', 'last'], folder)).code).toBe(0)
    },
  )

  it('is retried as its policy says, and the attempt that still runs is told to stop', async () => {
    const folder = folderOf(plan('  - { id: s, run: told, retry: { maxAttempts: 2, initialBackoffMs: 1 } }'))
    expect((await keelson(['run', 'p.yaml'], folder)).code).toBe(1)
    expect(sideLines(folder)).toEqual(['s aborted STRAY_ERROR', 's aborted STRAY_ERROR'])
  })

  it('of a stream is the step that opened it', async () => {
    const folder = folderOf(plan(`  - { id: s, run: stream, ${NO_RETRY} }`))
    const { code, stdout } = await keelson(['run', 'p.yaml'], folder)
    expect(code).toBe(1)
    expect(stdout).toMatch(/STRAY_ERROR.*ENOENT/)
  })

  it('that comes after its step had ended is one line and changes nothing', async () => {
    const folder = folderOf(plan('  - { id: s, run: late }', '  - { id: t, run: gated }'))
    const command = new Command(['run', 'p.yaml'], folder)
    await until('it was told', () => command.stderr.includes('STRAY_ERROR'))
    writeFileSync(join(folder, 'go'), '')
    const { code, stderr } = await command.finished
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /^STRAY_ERROR {2}Error: line gone: left behind by step 's' of run \w+, attempt 1, which had ended; nothing was changed\n$/,
    )
  })

  it.each(['thread', 'process'])('is the failure of a step in a %s of its own', async (isolation) => {
    const folder = folderOf(plan(`  - { id: s, run: timer, isolation: ${isolation}, ${NO_RETRY} }`))
    const { code, stdout, stderr } = await keelson(['run', 'p.yaml'], folder)
    expect(code).toBe(1)
    expect(stdout).toMatch(/STRAY_ERROR.*line gone/)
    expect(stderr).toBe('')
  })

  it('that no step can be named for ends the process under its own name, and the run goes on later', async () => {
    // The timers that the command itself sets belong to no step.
    const orphan = `${STEPS}
export const sabotage = async () => {
  const original = globalThis.setTimeout
  if (!existsSync('go')) globalThis.setTimeout = (callback, ms) => original(() => { throw gone() }, ms)
  if (!existsSync('go')) await forever()
}
`
    const folder = folderOf(plan('  - { id: s, run: sabotage }'), orphan)
    const { code, stderr } = await keelson(['run', 'p.yaml'], folder)
    expect(stderr).toMatch(
      /STRAY_ERROR {2}Error: line gone, in process \d+ \(keelson run p\.yaml\); at work were step 's' of run \w+, attempt 1\n/,
    )
    expect(stderr).not.toMatch(/ {4}at /)
    expect(code).toBe(7)
    writeFileSync(join(folder, 'go'), '')
    expect((await keelson(['resume'], folder)).code).toBe(0)
  })
})

describe('a steps file', () => {
  const good = plan('  - { id: a, run: gated }')
  const two = async (): Promise<string> => {
    const folder = folderWith({ 'p.yaml': good, 'q.yaml': good, 'p.mjs': STEPS, 'q.mjs': STEPS })
    const runs = ['p', 'q'].map((name) => new Command(['run', `${name}.yaml`, '--steps', `${name}.mjs`], folder))
    for (const one of runs) await one.shows(/▸ a/)
    for (const one of runs) one.kill('SIGKILL')
    await Promise.all(runs.map((one) => one.finished))
    writeFileSync(join(folder, 'go'), '')
    return folder
  }

  it.each([
    [
      'has a syntax error',
      'export const gated = 1\nconst x = ;\n',
      /q\.mjs:2:11 {2}STEPS_NOT_LOADED .*Unexpected token ';'/,
    ],
    ['throws', 'export const gated = 1\n\nthrow new Error("no")\n', /STEPS_NOT_LOADED {2}q\.mjs .*Error: no/],
    [
      'throws in a timer',
      'setTimeout(() => { throw new Error("no") })\nawait new Promise((r) => setTimeout(r, 1e6))',
      /STEPS_NOT_LOADED .*Error: no/,
    ],
    ['never settles', 'await new Promise(() => {})\n', /STEPS_NOT_LOADED .*never settles/],
    ['lacks the function', 'export const other = () => 1\n', /NO_HANDLER .*gated/],
    ['ends the process', 'process.exit(0)\n', /STEPS_NOT_LOADED .*process\.exit\(0\)/],
    ['is gone', undefined, /FILE_NOT_FOUND .*q\.mjs does not exist/],
  ])('that %s keeps its own runs waiting, named, and no others', async (_what, text, told) => {
    const folder = await two()
    if (text === undefined) rmSync(join(folder, 'q.mjs'))
    else writeFileSync(join(folder, 'q.mjs'), text)
    const { code, stdout, stderr } = await keelson(['resume'], folder)
    expect(stderr).toMatch(/^run \w+ is left out: /)
    expect(stderr).toMatch(told)
    expect(stdout).toMatch(/✔ completed/)
    expect(code).toBe(4)
    writeFileSync(join(folder, 'q.mjs'), STEPS)
    expect((await keelson(['resume'], folder)).code).toBe(0)
  })

  it.each([
    [
      'keelson.steps.mjs',
      'export const a = 1\nexport const b = (x) => x +* 2\n',
      /keelson\.steps\.mjs:2:28 {2}STEPS_NOT_LOADED.*Unexpected token '\*'\n +2 │ export const b/,
    ],
    [
      'keelson.steps.ts',
      'export const a: number = 1\nenum Kind { A }\n',
      /keelson\.steps\.ts:2:1 {2}STEPS_NOT_LOADED.*enum/,
    ],
    [
      'keelson.steps.js',
      'import fs from "node:fs"\nconst y = fs\nexport const b = (\n',
      /keelson\.steps\.js:4:1 {2}STEPS_NOT_LOADED/,
    ],
  ])('%s with a syntax error has its line', async (name, text, told) => {
    const folder = folderWith({ 'p.yaml': plan('  - { id: a, run: fast }'), [name]: text })
    const { code, stderr } = await keelson(['run', 'p.yaml'], folder)
    expect(stderr).toMatch(told)
    expect(code).toBe(2)
  })

  it('is shown the line of a syntax error in a file that it imports', async () => {
    const folder = folderWith({
      'p.yaml': plan('  - { id: a, run: fast }'),
      'keelson.steps.mjs': "export * from './one.mjs'\n",
      'one.mjs': "import './two.mjs'\nexport const fast = 1\n",
      'two.mjs': '\nlet 1x\n',
    })
    expect((await keelson(['run', 'p.yaml'], folder)).stderr).toMatch(/^two\.mjs:2:1 {2}STEPS_NOT_LOADED/)
  })

  it.each(['await new Promise(() => {})', 'process.exit(0)'])(
    'that stops the command (%s) is a message',
    async (text) => {
      const folder = folderOf(plan('  - { id: a, run: fast }'), `${text}\n`)
      const { code, stderr } = await keelson(['run', 'p.yaml'], folder)
      expect(stderr).toMatch(
        /STEPS_NOT_LOADED {2}keelson\.steps\.mjs cannot be loaded: .*(never settles|process\.exit\(0\))/,
      )
      expect(code).toBe(2)
    },
  )
})
