/**
 * Commands that pages speak of within a sentence: their words and flags are those of the table. What is only named (`keelson run`)
 * lacks its arguments; a flag or a command that is not there is a page that is not true.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { filesUnder } from '../../scripts/repository.ts'
import { ROOT } from '../../scripts/terminal.ts'
import { KeelsonError } from '../../src/core/problems/problem.ts'
import { matchProgram } from '../../src/edge/cli/program.ts'
import { processTerminal } from '../../src/edge/cli/terminal/terminal.ts'
import { PAGES } from './guide-page.ts'

const SPOKEN = [...PAGES, ...filesUnder('examples', ['.md']), ...filesUnder('docs/errors', ['.md'])]
const terminal = { ...processTerminal(), write: () => undefined }

const linesOf = (page: string): readonly string[] => {
  const text = readFileSync(join(ROOT, page), 'utf8').replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
  return [...text.matchAll(/`(?:npx )?keelson ([^`]+)`/g)].map(([, line = '']) => line.replaceAll(/\s+/g, ' '))
}

/** What a reader puts in the place of these is known. */
const STANDS_FOR: Readonly<Record<string, string>> = { '<CODE>': 'USAGE', '<command>': 'run' }

/** As a shell splits them; an ellipsis and what goes to a file are not the command's. */
const wordsOf = (line: string): readonly string[] =>
  [...(line.split(/ [|>] /)[0] ?? '').matchAll(/'([^']*)'|"([^"]*)"|(<[^>]*>|\S+)/g)]
    .map(([, single, double, bare]) => single ?? double ?? bare ?? '')
    .map((word) => STANDS_FOR[word] ?? word)
    .filter((word) => word !== '…' && word !== '--')

async function complaint(line: string): Promise<string | undefined> {
  try {
    await matchProgram(wordsOf(line), terminal, async () => 0)
    return undefined
  } catch (thrown) {
    const told = thrown instanceof KeelsonError ? thrown.message : String(thrown)
    return /missing required argument|is not a whole command|argument missing/.test(told) ? undefined : told
  }
}

it.each(SPOKEN.filter((page) => linesOf(page).length > 0))('%s speaks of commands that are there', async (page) => {
  const found: string[] = []
  for (const line of linesOf(page)) {
    const told = await complaint(line)
    if (told !== undefined) found.push(`keelson ${line}: ${told}`)
  }
  expect(found).toEqual([])
})

it('a flag that is not there would be found', async () => {
  expect(await complaint('run plan.yaml --set a=1')).toBe(undefined)
  expect(await complaint('run plan.yaml --sett a=1')).toMatch(/unknown option '--sett'/)
  expect(await complaint('runn plan.yaml')).toMatch(/unknown command 'runn'/)
})
