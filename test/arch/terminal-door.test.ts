/** What reaches a terminal goes through one door, which lets no control character of anybody's data pass. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { productFiles } from '../../scripts/repository.ts'
import { ROOT } from '../../scripts/terminal.ts'

/** Who may name the streams of the process, and why. */
const STREAMS: Readonly<Record<string, string>> = {
  'src/edge/cli/terminal/terminal.ts': 'the door itself',
  'src/edge/cli/terminal/process-guard.ts':
    'the last words of a process that has no further turn; cleaned by the same function',
  'src/edge/cli/main.ts': 'warnings of Node, through the stream that the door has taken over; cleaned before',
  'src/adapters/processes/isolated-function.ts':
    'hands on what a function prints, to the stream that the door has taken over',
  'src/adapters/guard/guard-thread.ts': 'a thread beside a blocked loop; cleaned by the same function',
}
const PAINTS = ['src/edge/cli/terminal/paint.ts']

const text = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

it('nothing writes to stdout or stderr but the door and those listed', () => {
  const found = productFiles().filter((path) =>
    /\bprocess\.(?:stdout|stderr|stdin)\b|\{[^}]*\b(?:stdout|stderr)\b[^}]*\} = process\b|\bconsole\.\w+\(|\bwriteSync\((?:1|2|stream)\b/.test(
      text(path),
    ),
  )
  expect(found.toSorted()).toEqual(Object.keys(STREAMS).toSorted())
})

it('escape sequences are made in one place, with a mark that no data can know', () => {
  const escapes = /\\u001b|\\x1b|\\e\[|\\033|picocolors/i
  expect(productFiles().filter((path) => escapes.test(text(path)) || text(path).includes('\u001b'))).toEqual(PAINTS)
})
