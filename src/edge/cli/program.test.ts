/** The table of commands: every example is a command line that fits, and completion knows every word. */
import { describe, expect, it } from 'vitest'
import picocolors from 'picocolors'
import { KeelsonError } from '../../core/problems/problem.ts'
import type { Call } from './terminal/command.ts'
import { completionScript, SHELLS } from './commands/completion-script.ts'
import { matchProgram } from './program.ts'
import { COMMANDS } from './table/command-table.ts'
import { screenWith } from './terminal/paint.ts'
import { EVERYWHERE, wordsOf, type Spec } from './terminal/command-spec.ts'
import type { Terminal } from './terminal/terminal.ts'
import { runChild } from '../../../test/fixtures/child.ts'

const paint = picocolors.createColors(false)
const written: string[] = []
const terminal: Terminal = {
  isTty: false,
  canAsk: false,
  isLeft: false,
  columns: 80,
  rows: 24,
  paint,
  errorPaint: paint,
  write: (text) => void written.push(text),
  line: (text = '') => void written.push(`${text}\n`),
  errorLine: () => undefined,
  errorLines: () => undefined,
  othersText: () => undefined,
  exact: () => undefined,
  ask: async () => '',
  screen: screenWith(''),
  json: () => undefined,
  catchOthers: () => () => undefined,
  flush: async () => undefined,
}

/** The Keelson part of a shell line, as words. */
function argvOf(line: string): readonly string[] {
  const [own = ''] = /\bkeelson .*/.exec(line) ?? []
  const made = own.replaceAll(/ "\$\([^"]*\)"/g, ' what-a-program-printed')
  const [call = ''] = made.replace(/\)"$/, '').split(/ [|>] /)
  return [...call.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)]
    .map((match) => match[1] ?? match[2] ?? match[3] ?? '')
    .slice(1)
}

async function served(argv: readonly string[]): Promise<{ readonly spec: Spec; readonly call: Call } | undefined> {
  let found: { readonly spec: Spec; readonly call: Call } | undefined
  await matchProgram(argv, terminal, async (spec, call) => {
    found = { spec, call }
    return 0
  })
  return found
}

const flagsOf = ({ options = [] }: Spec): readonly string[] =>
  [...options, ...EVERYWHERE].flatMap(([flags]) => flags.match(/--[a-z-]+/g) ?? [])

describe('examples', () => {
  for (const spec of COMMANDS) {
    it(`of '${spec.use}' are two or more, each fits its own command`, async () => {
      expect(spec.examples.length).toBeGreaterThanOrEqual(2)
      for (const example of spec.examples) expect((await served(argvOf(example)))?.spec.use, example).toBe(spec.use)
    })
  }

  it('that name an option which is not there do not fit', async () => {
    await expect(served(argvOf('keelson runs --sinse 2h'))).rejects.toThrow(KeelsonError)
  })

  it('are in the help of their command, also of a command of two words', async () => {
    for (const spec of COMMANDS) {
      written.length = 0
      await matchProgram(['help', ...wordsOf(spec)], terminal, async () => 0)
      for (const example of spec.examples) expect(written.join('')).toContain(example)
    }
  })
})

it('options reach the command under the names it asks for', async () => {
  const argv = ['signal', 'abcd', 'retry-step', '--step', 'a', '--fresh-key', '--set', 'x=1', 'y=2', '--json']
  const { call } = (await served(argv)) ?? {}
  expect(call?.args).toEqual(['abcd', 'retry-step'])
  expect([call?.options.text('step'), call?.options.flag('freshKey'), call?.options.list('set')]).toEqual([
    'a',
    true,
    ['x=1', 'y=2'],
  ])
  expect(call?.options.json).toBe(true)
})

describe('completion', () => {
  for (const shell of SHELLS)
    it(`for ${shell} has every command and every option`, () => {
      const script = completionScript(shell, COMMANDS)
      for (const spec of COMMANDS) {
        for (const word of wordsOf(spec)) expect(script).toMatch(new RegExp(`[ ']${word}[ ')]`))
        for (const flag of flagsOf(spec)) {
          const spelt = shell === 'fish' ? `-l ${flag.slice(2)} ` : flag
          expect(script, `${flag} of ${spec.use}`).toContain(spelt)
        }
      }
    })

  /** What bash would offer for the last word. */
  function offered(...words: readonly string[]): readonly string[] {
    const line = words.map((word) => `'${word}'`).join(' ')
    const script = `${completionScript('bash', COMMANDS)}\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _keelson; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout, stderr } = runChild('bash', ['-c', script])
    expect(stderr).toBe('')
    return stdout.split('\n').filter((word) => word !== '')
  }

  it('works in bash itself', () => {
    expect(offered('keelson', 'ru')).toEqual(['run', 'runs'])
    expect(offered('keelson', 'plan', '')).toEqual([
      'check',
      'compile',
      'hash',
      'list',
      'publish',
      'import',
      'graph',
      'diff',
    ])
    expect(offered('keelson', 'plan', 'graph', 'p.yaml', '--f')).toEqual(['--format'])
    expect(offered('keelson', 'signal', 'last', 'retry-')).toEqual(['retry-step', 'retry-run'])
    expect(offered('keelson', 'runs', '--cou')).toEqual(['--counts'])
    expect(offered('keelson', 'resources', 'set', 'gpu', '--ca')).toEqual(['--capacity'])
    expect(offered('keelson', 'run', 'pla')).toEqual([])
    expect(offered('keelson', 'completion', '')).toEqual([...SHELLS])
  })
})
