/** `keelson verify --audit`: the audit log of every tenant, its chain and its signatures (AUT-12). */
import { verifyAudit } from '../../../app/audit/verify-audit.ts'
import { hexOf } from '../../../app/log/sha256.ts'
import { KeelsonError } from '../../../core/problems/problem.ts'
import type { Keelson } from '../../../library/keelson/keelson.ts'
import { partsOf } from '../../../library/services-of.ts'
import type { SigningKeys } from '../../../ports/signing-keys.ts'
import type { Options } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { plural } from '../terminal/format.ts'
import { openToExamine } from '../open/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { tellFindings } from './verify-store.ts'

export async function verifyAuditLogs(options: Options, terminal: Terminal): Promise<number> {
  const keelson = await openToExamine(options)
  try {
    const { services } = partsOf(keelson)
    const keys = await keysOf(keelson)
    let isWhole = true
    for (const tenantId of await services.store.auditTenants()) {
      const proof = await verifyAudit(services.store, tenantId, keys === undefined ? {} : { keys })
      const whole = proof.findings.length === 0
      isWhole &&= whole
      const { records, findings } = proof
      const head = { position: proof.head.position, hash: hexOf(proof.head.hash) }
      if (options.json) terminal.json({ tenantId, whole, records, head, signed: keys !== undefined, findings })
      else tell(terminal, tenantId, { records, hash: head.hash, findings, isSigned: keys !== undefined })
    }
    return isWhole ? EXIT.completed : EXIT.failed
  } finally {
    await keelson.close()
  }
}

/** Undefined where this machine has no keys: then the chain is checked, and no signature. */
async function keysOf(keelson: Keelson): Promise<SigningKeys | undefined> {
  const { keys } = partsOf(keelson)
  try {
    await keys.find('k1')
    return keys
  } catch (thrown) {
    if (thrown instanceof KeelsonError) return undefined
    throw thrown
  }
}

interface Told {
  readonly records: number
  readonly hash: string
  readonly findings: readonly { readonly position: number; readonly what: string }[]
  readonly isSigned: boolean
}

function tell(terminal: Terminal, tenantId: string, { records, hash, findings, isSigned }: Told): void {
  const { green, red, bold } = terminal.paint
  const proved = isSigned ? 'chain and signatures' : 'chain; there is no key here to check the signatures with'
  const count = plural(records, 'record')
  if (findings.length === 0) {
    terminal.line(`${green('✔')} ${bold(`the audit log of ${tenantId} is whole`)}   ${count}, ${proved}`)
    terminal.line(`  its end is ${hash}: note it elsewhere, and a log that was cut is found`)
    return
  }
  terminal.line(`${red('✖')} ${bold(`the audit log of ${tenantId} was altered`)}   ${count}`)
  tellFindings(
    findings.map(({ position, what }) => ({ code: 'AUDIT_ALTERED', message: `record ${position}: ${what}` })),
    terminal,
  )
}
