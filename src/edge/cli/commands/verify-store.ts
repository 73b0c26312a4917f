/** `keelson verify --store`: every run, plan and row of the store, and what receipts know that the store does not. */
import { isLogWhole } from '../../../app/verify/verify-run.ts'
import type { Problem } from '../../../core/problems/problem.ts'
import type { CheckedRun, StoreProof, VerifyOptions } from '../../../main.ts'
import type { Options } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { plural, shortId } from '../terminal/format.ts'
import { openToExamine } from '../open/session.ts'
import type { Terminal } from '../terminal/terminal.ts'

const PROGRESS_RUNS = 100

export async function verifyWholeStore(options: Options, terminal: Terminal, demands: VerifyOptions): Promise<number> {
  const keelson = await openToExamine(options)
  try {
    let count = 0
    const onRun = (told: CheckedRun): void => {
      count += 1
      if (!told.whole) tellRun(told, options, terminal)
      else if (told.row.quarantine !== undefined && !options.json)
        terminal.errorLine(
          `run ${told.row.runId} was set aside (${told.row.quarantine}); what is stored of it is whole`,
        )
      if (!options.json && count % PROGRESS_RUNS === 0) terminal.errorLine(`${plural(count, 'run')} checked …`)
    }
    const proof = await keelson.maintenance.verifyStore({ ...demands, onRun })
    if (options.json) terminal.json(proof)
    else tellStore(proof, terminal)
    return proof.whole ? EXIT.completed : EXIT.failed
  } finally {
    await keelson.close()
  }
}

function tellRun({ row, proof, findings }: CheckedRun, options: Options, terminal: Terminal): void {
  const { runId } = row
  if (options.json) {
    const { chain, ...others } = proof ?? {}
    terminal.json({ runId, tenantId: row.tenantId, whole: false, ...chain, ...others, findings })
    return
  }
  const { red, bold } = terminal.paint
  terminal.line(`${red('✖')} ${bold(`run ${shortId(runId)}`)}   ${row.planId} ${row.planVersion}`)
  if (proof?.chain.broken !== undefined)
    terminal.line(`  event ${proof.chain.broken.runSeq}: ${proof.chain.broken.what}`)
  const receipts = proof?.receipts.findings ?? []
  tellFindings(receipts, terminal)
  if (proof !== undefined && receipts.length === 0 && !isLogWhole(proof))
    terminal.line(`  its log was altered: keelson verify ${runId}`)
  for (const { name, row: here, log } of proof?.row ?? [])
    terminal.line(`  the run row says ${name} ${here}, its log ${log}`)
  for (const { runSeq, expected, found } of proof?.decisions?.differences ?? [])
    terminal.line(`  event ${runSeq} does not follow: expected ${expected}, found ${found}`)
  if (proof?.decisions?.unchecked !== undefined)
    terminal.line(`  decisions not checked: ${proof.decisions.unchecked.message}`)
  tellFindings(findings, terminal)
}

export function tellFindings(findings: readonly Pick<Problem, 'code' | 'message'>[], terminal: Terminal): void {
  const { red, bold } = terminal.paint
  for (const { code, message } of findings) terminal.line(`  ${bold(red(code))}  ${message}`)
}

function tellStore(proof: StoreProof, terminal: Terminal): void {
  const { green, red, bold } = terminal.paint
  const { runs, archived, plans, broken, findings, whole } = proof
  const all = `${plural(runs, 'run')} (${archived} archived), ${plural(plans, 'plan')}`
  tellFindings(findings, terminal)
  if (whole) terminal.line(`${green('✔')} ${bold('the store is whole')}   ${all}`)
  else
    terminal.line(
      `${red('✖')} ${bold('the store was altered')}   ${all}; ${plural(broken.length, 'run')} not whole, ${plural(findings.length, 'finding')} about the store itself`,
    )
}
