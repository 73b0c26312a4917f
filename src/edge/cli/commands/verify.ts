/**
 * `keelson verify`: recomputes every hash, key and decision of a log, compares it with receipts, and says what that
 * proves and what it does not.
 */
import type { ReceiptReport } from '../../../app/receipts/check.ts'
import type { SourceProof } from '../../../app/verify/check-source.ts'
import { isLogWhole, isWhole, type RunProof } from '../../../app/verify/verify-run.ts'
import { LIMITS } from '../../../core/limits.ts'
import { fail } from '../../../core/problems/problem.ts'
import { existsSync } from 'node:fs'
import type { VerifyOptions, VerifyRunOptions } from '../../../main.ts'
import { verifyBundleFile } from '../../../main.ts'
import type { Client } from '../../../client/connect.ts'
import { verifyBundleLines } from '../../../compose/lasting-parts.ts'
import { serverUrl } from '../files/place.ts'
import { RemoteRuns } from '../remote/remote-runs.ts'
import { serverClient } from '../remote/server-client.ts'
import type { Call, Options } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { findRun } from '../open/find-run.ts'
import { tellDecisions } from '../output/decisions.ts'
import { plural, shortId } from '../terminal/format.ts'
import { readBytes } from '../files/text-file.ts'
import { openToExamine } from '../open/session.ts'
import { verifyAuditLogs } from './verify-audit.ts'
import { tellFindings, verifyWholeStore } from './verify-store.ts'
import type { Terminal } from '../terminal/terminal.ts'

export async function verify({ args, options, terminal }: Call): Promise<number> {
  const [name] = args
  if (options.flag('audit')) {
    if (name !== undefined) fail('USAGE', '--audit checks the audit logs of all tenants; name no run')
    if (serverUrl(options) !== undefined) fail('NOT_FROM_AFAR', 'audit logs are verified where their keys are')
    return verifyAuditLogs(options, terminal)
  }
  if (name === undefined) {
    if (!options.flag('store') && options.text('store') === undefined)
      fail('USAGE', 'name a run or a bundle file, or check everything with --store')
    if (serverUrl(options) !== undefined)
      fail('NOT_FROM_AFAR', 'a whole store is verified on its machine; name one run to verify its bundle here')
    if (options.text('source') !== undefined) fail('USAGE', '--source is for one run or bundle')
    return verifyWholeStore(options, terminal, demands(options))
  }
  if (options.flag('store')) fail('USAGE', 'verify one run, or everything with --store alone')
  // No run id contains a dot or a slash.
  const { runId, proof } = /[./\\]/.test(name) ? await proveBundle(name, options) : await proveRun(name, options)
  const whole = isWhole(proof) && proof.decisions?.follows === true
  if (options.json) {
    const { chain, ...others } = proof
    terminal.json({ runId, whole, ...chain, ...others })
  } else tell(terminal, runId, proof, whole)
  return whole ? EXIT.completed : EXIT.failed
}

interface Proved {
  readonly runId: string
  readonly proof: RunProof
}

/** Its bundle is fetched and proved here: the server is not believed. */
async function proveAfar(client: Client, name: string, options: Options): Promise<Proved> {
  const { runId } = await findRun(new RemoteRuns(client), name)
  const asked = { ...demands(options), ...sourceOf(options) }
  const { run, lines: _lines, blobs: _blobs, ...proof } = await verifyBundleLines(client.run(runId).bundle(), asked)
  return { runId: run.runId, proof }
}

async function proveRun(name: string, options: Options): Promise<Proved> {
  const client = await serverClient(options)
  if (client !== undefined) return proveAfar(client, name, options)
  const keelson = await openToExamine(options)
  try {
    const { row } = await findRun(keelson, name)
    return {
      runId: row.runId,
      proof: await keelson.maintenance.verify(row, { ...demands(options), ...sourceOf(options) }),
    }
  } finally {
    await keelson.close()
  }
}

async function proveBundle(file: string, options: Options): Promise<Proved> {
  if (!existsSync(file)) fail('FILE_NOT_FOUND', `there is no file ${file}`)
  const asked = { ...demands(options), ...sourceOf(options) }
  const { run, lines: _lines, blobs: _blobs, ...proof } = await verifyBundleFile(file, asked)
  return { runId: run.runId, proof }
}

function sourceOf(options: Options): Pick<VerifyRunOptions, 'source'> {
  const file = options.text('source')
  return file === undefined ? {} : { source: readBytes(file, { bytes: LIMITS.planBytes, code: 'PLAN_TOO_LARGE' }) }
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
  tellFindings(proof.findings ?? [], terminal)
  if (chain.erased.length > 0)
    terminal.line(`  data of ${plural(chain.erased.length, 'event')} was erased, as recorded`)
  tellDecisions(terminal, decisions)
  if (proof.values !== undefined)
    terminal.line(`  large values     ${plural(proof.values, 'value')} there, as the log names them`)
  if (proof.strayValues !== undefined)
    terminal.line(
      `  not named        ${plural(proof.strayValues.length, 'stored value')} that no event names: ${proof.strayValues.join(', ')}`,
    )
  if (proof.source !== undefined && proof.findings === undefined)
    terminal.line(`  plan source      ${sourceText(proof.source)}`)
  terminal.line(`  head             ${chain.headHash}`)
  terminal.line(`  receipts         ${anchored(receipts)}`)
  terminal.line(
    dim(
      `  proves           ${PROVES}${decisions?.follows === true && decisions.unchecked === undefined ? FOLLOWS : ''}`,
    ),
  )
  terminal.line(dim(`  does not prove   ${receipts.keyIds.length === 0 ? WITHOUT_RECEIPTS : WITH_RECEIPTS}`))
}

function sourceText({ sha256, onRecord, remade }: SourceProof): string {
  const what = onRecord ? 'the bytes on record' : 'the run does not say of which bytes its plan was made'
  const plan = remade ? 'they give its plan' : 'they were not read again: it was made of other documents too'
  return `${sha256}: ${what}; ${plan}`
}

/** A wrong key says nothing about the log. */
function wrongOf(proof: RunProof): string {
  if (isLogWhole(proof)) {
    if (proof.findings?.some(({ code }) => code === 'ERASURE_UNSIGNED') === true)
      return 'data was erased, and nobody signed it'
    if (proof.findings?.every(({ code }) => code === 'PLAN_INTEGRITY_VALIDATION_FAILED') === true)
      return 'the log is whole, but its plan was made of other bytes'
    if (proof.findings !== undefined) return 'the log is whole, but what belongs to it was altered'
    return proof.row === undefined ? undecided(proof) : 'the log is whole, but the run row was altered'
  }
  const { chain, headExpected, receipts } = proof
  const isLogAltered = chain.broken !== undefined || chain.missingData.length > 0 || headExpected !== undefined
  const codes = new Set(receipts.findings.map(({ code }) => code))
  if (isLogAltered || codes.has('RECEIPT_MISMATCH') || codes.has('RECEIPT_INVALID')) return 'the log was altered'
  return codes.has('RECEIPT_KEY_MISMATCH') ? 'the key is not the one that signed' : 'no receipt anchors the log'
}

/** The stored log is unchanged, but its plan is altered or gone, or a decision was made up before it was stored. */
function undecided({ decisions }: RunProof): string {
  const code = decisions?.unchecked?.code
  if (code === undefined) return 'the log is whole, but its decisions do not follow'
  return code.startsWith('PLAN_')
    ? 'the log is whole, but its plan is not'
    : 'the log is whole, but cannot be derived again'
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
