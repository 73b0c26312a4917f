/** The audit log of a server while it is open. Without a key to sign with there is none, and the process says so once. */
import { AuditBook } from '../../../app/audit/audit-book.ts'
import type { AuditFact } from '../../../app/audit/audit-log.ts'
import { KeelsonError } from '../../../core/problems/problem.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { Keelson } from '../../../library/keelson/keelson.ts'
import { partsOf } from '../../../library/services-of.ts'
import type { Authorizer } from '../../../ports/authorizer.ts'
import type { SigningKey } from '../../../ports/signing-keys.ts'
import { auditedAuthorizer, auditedRoute } from './audited.ts'
import type { BoundRoute } from './bound-route.ts'
import type { World } from './world.ts'

export interface OpenAudit {
  readonly route: (route: BoundRoute) => BoundRoute
  readonly authorizer: (authorizer: Authorizer) => Authorizer
  /** For what no route around a principal tells: logins and logouts. */
  readonly note: (tenantId: string, fact: AuditFact) => Promise<void>
  /** Stores what was counted. */
  readonly close: () => Promise<void>
}

const ABOUT = 'audit log'

export async function openAudit(keelson: Keelson, tell: World['tell']): Promise<OpenAudit> {
  const { services, keys } = partsOf(keelson)
  let key: SigningKey
  try {
    key = await keys.current()
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError)) throw thrown
    // Of a setting that is missing, where it is missing in the code says nothing.
    tell(`${thrown.code}  none is kept: ${thrown.message}`, ABOUT)
    const nothing = async (): Promise<void> => undefined
    return { route: (route) => route, authorizer: (authorizer) => authorizer, note: nothing, close: nothing }
  }
  const { store: log, clock, timers } = services
  // Looked up once in a while and not for every record: it lies on the disk.
  const signing = { find: keys.find, current: async () => key }
  const book = new AuditBook({ writer: { log, keys: signing, clock }, timers, tell: (thrown) => tell(thrown, ABOUT) })
  const often = async (): Promise<void> => {
    key = await keys.current()
    await book.flush()
  }
  const timer = setInterval(
    () => void often().catch((thrown: unknown) => tell(thrown, ABOUT)),
    LIMITS.auditFlushMs,
  ).unref()
  return {
    route: (route) => auditedRoute(book, route),
    authorizer: (authorizer) => auditedAuthorizer(book, authorizer),
    note: (tenantId, fact) => book.note(tenantId, fact),
    close: async () => {
      clearInterval(timer)
      await book.flush()
    },
  }
}
