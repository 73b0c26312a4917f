/** `keelson verify`: recomputes every hash, key and decision of a log, compares it with receipts, and says what that proves and what not. */
import type { ReceiptReport } from '../../../app/check-receipts.ts'
import { isLogWhole, isWhole, type RunProof } from '../../../app/verify-run.ts'
import { fail } from '../../../core/problems/problem.ts'
import { existsSync } from 'node:fs'
import type { VerifyOptions } from '../../../main.ts'
import { verifyBundleFile } from '../../../main.ts'
import type { Call, Options } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { findRun } from '../find-run.ts'
import { tellDecisions } from '../output/decisions.ts'
import { plural, shortId } from '../output/format.ts'
import { openToRead } from '../session.ts'
import type { Terminal } from '../terminal.ts'

export async function verify({ args, options, terminal }: Call): Promise<number> {
  const name = args[0] ?? ''
  // No run's id has a dot or a slash in it.
  const { runId, proof } = /[./\\]/.test(name) ? await proveBundle(name, options) : await proveRun(name, options)
  const whole = isWhole(proof)
  if (options.json) {
    const { chain, ...others } = proof
    terminal.json({ runId, whole, ...chain, ...others })
  } else tell(terminal, runId, proof, whole)
  return whole && proof.decisions?.follows === true ? EXIT.completed : EXIT.failed
}

interface Proved {
  readonly runId: string
  readonly proof: RunProof
}

async function proveRun(name: string, options: Options): Promise<Proved> {
  const keelson = await openToRead(options)
  try {
    const { row } = await findRun(keelson, name)
    return { runId: row.runId, proof: await keelson.upkeep.verify(row, demands(options)) }
  } finally {
    await keelson.close()
  }
}

async function proveBundle(file: string, options: Options): Promise<Proved> {
  if (!existsSync(file)) fail('FILE_NOT_FOUND', `there is no file ${file}`)
  const { run, chain, receipts, decisions } = await verifyBundleFile(file, demands(options))
  return { runId: run.runId, proof: { chain, receipts, decisions } }
}

function demands(options: Options): VerifyOptions {
  const key = options.text('key')
  const receipts = options.text('receipts')
  return { ...(key === undefined ? {} : { key }), ...(receipts === undefined ? {} : { receipts }) }
}

function tell(terminal: Terminal, runId: string, proof: RunProof, whole: boolean): void {
  const { chain, receipts, decisions, headExpected } = proof
  const { green, red, bold, dim } = terminal.paint
  const events = plural(chain.checked, 'event')
  if (whole) terminal.line(`${green('✔')} ${bold('the log is whole')}   run ${shortId(runId)}, ${events}`)
  else terminal.line(`${red('✖')} ${bold(wrongOf(proof))}   run ${shortId(runId)}, ${events} fit`)
  if (chain.broken !== undefined) terminal.line(`  event ${chain.broken.runSeq}: ${chain.broken.what}`)
  if (headExpected !== undefined) terminal.line(`  its end is missing: the run row expects the head ${headExpected}`)
  for (const { name, row, log } of proof.row ?? []) terminal.line(`  the run row says ${name} ${row}, its log ${log}`)
  if (chain.missingData.length > 0)
    terminal.line(`  data is gone without a recorded erasure: events ${chain.missingData.join(', ')}`)
  for (const { code, message } of receipts.findings) terminal.line(`  ${bold(red(code))}  ${message}`)
  if (chain.erased.length > 0)
    terminal.line(`  data of ${plural(chain.erased.length, 'event')} was erased, as recorded`)
  tellDecisions(terminal, decisions)
  terminal.line(`  head             ${chain.headHash}`)
  terminal.line(`  receipts         ${anchored(receipts)}`)
  terminal.line(dim(`  proves           ${PROVES}${decisions?.follows === true ? FOLLOWS : ''}`))
  terminal.line(dim(`  does not prove   ${receipts.keyIds.length === 0 ? WITHOUT_RECEIPTS : WITH_RECEIPTS}`))
}

/** A key that is not the one is no word about the log. */
function wrongOf(proof: RunProof): string {
  if (isLogWhole(proof)) return 'the log is whole, but the run row was altered'
  const { chain, headExpected, receipts } = proof
  const isLogAltered = chain.broken !== undefined || chain.missingData.length > 0 || headExpected !== undefined
  const codes = new Set(receipts.findings.map(({ code }) => code))
  if (isLogAltered || codes.has('RECEIPT_MISMATCH') || codes.has('RECEIPT_INVALID')) return 'the log was altered'
  return codes.has('RECEIPT_KEY_MISMATCH') ? 'the key is not the one that signed' : 'no receipt anchors the log'
}

const PROVES = 'up to this head no event was changed, removed or put in between, and every key follows from its event'
const FOLLOWS =
  '; each decision follows from its recorded inputs, each condition, list and output from the recorded values'
const WITHOUT_RECEIPTS =
  'that outcomes, grants and clocks were true, or that the whole log was not replaced: keep the head elsewhere for that'
const WITH_RECEIPTS =
  'that outcomes, grants and clocks were true, or that log and receipts were not replaced together: name a public key you noted by --key'

function anchored({ start, end, keyIds, takenBack, unknownKeys }: ReceiptReport): string {
  const parts = [start === 'anchored' ? 'start' : '', end === 'anchored' ? 'end' : ''].filter((one) => one !== '')
  const by = keyIds.length === 0 ? '' : ` by key ${keyIds.join(', ')}`
  const notes = [
    parts.length === 0 ? 'none that anchors it' : `${parts.join(' and ')} anchored${by}`,
    end === 'not-anchored' && parts.length > 0 ? 'its end is not' : '',
    takenBack === 0 ? '' : `${takenBack} taken back by a restore`,
    unknownKeys.length === 0 ? '' : `others of unknown keys (${unknownKeys.join(', ')}) prove nothing`,
  ]
  return notes.filter((one) => one !== '').join('; ')
}
