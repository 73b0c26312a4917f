/**
 * The walk of a newcomer, typed as the pages say it: an empty folder, `npm init -y`, the packed package, `keelson init`, a run
 * that is killed and resumed, a failure and why. On the oldest Node that is promised, on a newer one, and on one that is too old.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, normalize } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/terminal.ts'
import { runChild, startChild } from '../fixtures/child.ts'
import { nodeFolder, npmEnvironment } from '../setup/nodes.ts'
import { ensureBuilt } from './built.ts'
import { jsonLines, linesOf } from './command.ts'

const OWN_NODE = join(ROOT, 'node_modules', 'node', 'bin')
const TYPED_MS = 180_000
/** A machine that does much else takes longer; what is guarded is that nobody waits for minutes. */
const WALK_MS = 300_000
const LIMIT = { timeout: 2 * WALK_MS }

const place = mkdtempSync(join(tmpdir(), 'keelson-walk-'))
let tarball = ''

beforeAll(async () => {
  await ensureBuilt()
  const packed = runChild('npm', ['pack', '--ignore-scripts', '--pack-destination', place], {
    cwd: ROOT,
    env: npmEnvironment(OWN_NODE),
  })
  expect(packed.status, packed.stderr).toBe(0)
  tarball = join(place, readdirSync(place).find((name) => name.endsWith('.tgz')) ?? '')
})
afterAll(() => rmSync(place, { recursive: true, force: true }))

interface Typed {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

class Walker {
  readonly folder: string
  readonly #env: Readonly<Record<string, string | undefined>>

  constructor(name: string, bin: string) {
    this.folder = mkdtempSync(join(place, `${name}-`))
    this.#env = npmEnvironment(bin)
  }

  types(line: string): Typed {
    const done = runChild('sh', ['-c', line], { cwd: this.folder, env: this.#env, timeout: TYPED_MS })
    return { code: done.status, stdout: done.stdout, stderr: done.stderr }
  }

  /** Types a command, and pulls the plug as soon as it shows this. */
  async typesAndKills(line: string, when: RegExp): Promise<string> {
    const child = startChild('sh', ['-c', line], { cwd: this.folder, env: this.#env, detached: true })
    let shown = ''
    child.stdout.on('data', (chunk: Buffer) => {
      shown += chunk.toString('utf8')
      if (when.test(shown) && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    })
    await new Promise((resolve) => child.once('close', resolve))
    return shown
  }
}

/** Commands that `init` printed, to be typed as they are printed. */
const printed = (text: string): readonly string[] =>
  linesOf(text).flatMap((line) => /^ {2}(npx keelson .*?) {3}/.exec(line)?.[1] ?? [])

it('a Node that is too old is refused in one line, by the name of what to do', LIMIT, () => {
  const walker = new Walker('node-20', nodeFolder('20.19.5'))
  expect(walker.types('node --version').stdout).toMatch(/^v20\./)
  walker.types('npm init -y')
  expect(walker.types(`npm install ${tarball}`).code).toBe(0)
  const { code, stdout, stderr } = walker.types('npx keelson init')
  expect({ code, stdout }).toEqual({ code: 6, stdout: '' })
  expect(linesOf(stderr).filter((line) => !line.startsWith('npm warn'))).toEqual([
    'NODE_TOO_OLD  Keelson needs Node 22.19 or newer; this is 20.19.5. Install a newer Node, or bring one into this project: npm install node@24',
  ])
  expect(readdirSync(walker.folder)).not.toContain('plan.yaml')
})

describe.each([
  ['22.19.0', () => nodeFolder('22.19.0'), undefined],
  ['24', () => OWN_NODE, 'npm pkg set type=commonjs'],
])('on Node %s', (version, bin, before) => {
  it('from an empty folder to a run that was killed and resumed, and a failure explained', LIMIT, async () => {
    const began = performance.now()
    const walker = new Walker(`node-${version}`, bin())
    expect(walker.types('node --version').stdout.startsWith(`v${version}`)).toBe(true)
    expect(walker.types('npm init -y').code).toBe(0)
    if (before !== undefined) walker.types(before)
    const installed = walker.types(`npm install ${tarball}`)
    expect(installed.code, installed.stderr).toBe(0)
    expect(installed.stderr).not.toMatch(/install-scripts|prepare/)
    const ready = performance.now()

    const made = walker.types('npx keelson init')
    expect({ code: made.code, made: made.stdout }).toMatchObject({ code: 0 })
    expect(made.stdout).toMatch(/keelson\.steps\.mts +the functions it calls/)
    const [run = '', fails = '', why = ''] = printed(made.stdout)
    expect([run, why]).toEqual(['npx keelson run plan.yaml', 'npx keelson why last'])

    const shown = await walker.typesAndKills(run, /✔ charge/)
    expect(shown).not.toMatch(/✔ completed/)
    const resumed = walker.types('npx keelson resume')
    expect(resumed.code, resumed.stderr).toBe(0)
    expect(resumed.stdout).toMatch(/✔ completed/)
    const log = jsonLines(walker.types('npx keelson events last --json').stdout)
    const completed = log.filter(({ eventType }) => eventType === 'StepCompleted').map(({ stepId }) => stepId)
    expect(completed.filter((step) => step === 'reserve' || step === 'charge')).toEqual(['reserve', 'charge'])
    const walked = performance.now()

    expect(walker.types(fails).code).toBe(1)
    expect(walker.types(why).stdout).toMatch(/ship has failed\n.*DOCK_FULL/)
    const checked = walker.types('npx keelson doctor')
    expect(checked.code, checked.stdout).toBe(0)
    const seconds = (from: number, to: number): string => `${((to - from) / 1000).toFixed(1)} s`
    console.info(
      `walk on Node ${version}: installed in ${seconds(began, ready)}, killed and resumed ${seconds(ready, walked)} later`,
    )
    expect(performance.now() - began).toBeLessThan(WALK_MS)
  })
})

it('the package carries what its pages link to', () => {
  const unpacked = join(place, 'package')
  expect(runChild('tar', ['-xzf', tarball, '-C', place]).status).toBe(0)
  const pages = readdirSync(unpacked, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'))
  expect(pages).toContain('README.md')
  const broken = pages.flatMap((page) =>
    [...readFileSync(join(unpacked, page), 'utf8').matchAll(/\]\((?!https?:|mailto:)([^)#\s]+)/g)]
      .map(([, to = '']) => normalize(join(dirname(page), to)))
      .filter((to) => !existsSync(join(unpacked, to)))
      .map((to) => `${page} → ${to}`),
  )
  expect(broken).toEqual([])
  rmSync(unpacked, { recursive: true })
})
