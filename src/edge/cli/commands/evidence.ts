/**
 * `keelson evidence`: what each attempt, each step and the run came to, chained by hashes; and the check of such entries after they
 * were kept elsewhere.
 */
import { readJsonText } from '../../../core/json/read-json-text.ts'
import { fail } from '../../../core/problems/problem.ts'
import { msFromIso } from '../../../core/time.ts'
import { checkEvidence, type ChainedEvidence } from '../../../app/verify/evidence-chain.ts'
import { readText } from '../files/text-file.ts'
import { findRun } from '../open/find-run.ts'
import { openToRead } from '../open/reading.ts'
import type { Call } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { timeOfDay } from '../terminal/format.ts'
import { printTable } from '../terminal/table.ts'

export async function evidence(call: Call): Promise<number> {
  const { args, options, terminal } = call
  const file = options.text('check')
  if ((file === undefined) === (args[0] === undefined)) fail('USAGE', 'name a run, or a file with --check')
  if (file !== undefined) return checkFile(file, call)
  const keelson = await openToRead(options)
  try {
    const entries = await (await findRun(keelson, args[0] ?? '')).evidence()
    if (options.json) for (const entry of entries) terminal.json(entry)
    else if (entries.length === 0) terminal.line('nothing has ended yet')
    else printTable(terminal, ['RECORDED', 'WHAT', 'BY', 'HASH'], entries.map(rowCells))
    return EXIT.completed
  } finally {
    await keelson.close()
  }
}

const HASH_CHARS = 12

function rowCells({ recordedAtIso, summary, completedBy, hashSha256 }: ChainedEvidence): readonly string[] {
  return [
    timeOfDay(msFromIso(recordedAtIso) ?? 0),
    summary,
    completedBy?.actorUserId ?? '',
    hashSha256.slice(0, HASH_CHARS),
  ]
}

const WORDS = {
  hash_mismatch: 'was altered',
  chain_break: 'does not follow the entry before it',
  timestamp_not_monotonic: 'is older than the entry before it',
} as const

async function checkFile(file: string, { options, terminal }: Call): Promise<number> {
  const entries = entriesIn(file)
  const findings = checkEvidence(entries.map(({ entry }) => entry)).map(({ index, kind }) => ({
    line: entries[index]?.line ?? 0,
    kind,
  }))
  const whole = findings.length === 0
  const { green, red, bold } = terminal.paint
  if (options.json) terminal.json({ file, entries: entries.length, whole, findings })
  else if (whole)
    terminal.line(
      `${green('✔')} ${bold('the evidence is whole')}   ${entries.length === 1 ? '1 entry' : `${entries.length} entries`}`,
    )
  else for (const { line, kind } of findings) terminal.line(`${red('✖')} line ${line} ${WORDS[kind]}`)
  return whole ? EXIT.completed : EXIT.failed
}

function entriesIn(file: string): readonly { readonly line: number; readonly entry: ChainedEvidence }[] {
  return readText(file, 'USAGE')
    .split('\n')
    .flatMap((text, index) => {
      if (text.trim() === '') return []
      const line = index + 1
      const read = readJsonText(text)
      const isEntry = read.ok && typeof read.value === 'object' && read.value !== null && 'hashSha256' in read.value
      if (!isEntry)
        return fail('USAGE', 'this is no entry of `keelson evidence --json`', { at: { file, line, column: 1 } })
      return [{ line, entry: read.value as ChainedEvidence }]
    })
}
