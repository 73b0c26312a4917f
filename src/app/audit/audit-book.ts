/**
 * Keeps the audit log of all tenants of a process (AUT-12): facts that come together are stored together, in order; one that comes
 * alone is stored at once. What could not be stored is kept and stored with the next; nothing that a person does fails because of it,
 * but the process is told. Reads are counted, not recorded one by one.
 */
import { LIMITS } from '../../core/limits.ts'
import type { Timers } from '../../ports/timers.ts'
import { recordAudit, type AuditFact, type AuditWriter } from './audit-log.ts'

export interface AuditBookOptions {
  readonly writer: AuditWriter
  readonly timers: Timers
  /** Told when facts could not be stored. */
  readonly tell: (thrown: unknown) => void
}

interface Pages {
  facts: AuditFact[]
  /** The writes that are under way. */
  readonly writing: Set<Promise<void>>
  /** The write that follows them, while it gathers. */
  next: Promise<void> | undefined
  /** Facts come side by side: the next write waits for others a moment after the latest one began. */
  gathering: Promise<void> | undefined
}

/**
 * In a store that takes one write after another each is a commit for itself, beside those of the runs: many starts at a time would
 * otherwise cost as many commits. Where facts come one after another, nothing would be gathered, and nobody waits.
 */
const GATHERED_MS = 4

export class AuditBook {
  readonly #options: AuditBookOptions
  /** Writes of one tenant that are on their way at once. */
  readonly #atOnce: number
  readonly #pages = new Map<string, Pages>()
  readonly #counts = new Map<string, { readonly tenantId: string; readonly fact: AuditFact; count: number }>()

  constructor(options: AuditBookOptions) {
    this.#options = options
    this.#atOnce = options.writer.log.auditsAtOnce ?? 1
  }

  /** Resolves when it is stored, or when the process was told that it could not be; never rejects. */
  async note(tenantId: string, fact: AuditFact): Promise<void> {
    const pages = this.#pages.get(tenantId) ?? {
      facts: [],
      writing: new Set(),
      next: undefined,
      gathering: undefined,
    }
    this.#pages.set(tenantId, pages)
    pages.facts.push(fact)
    await (pages.next ??= this.#writeNext(tenantId, pages))
  }

  async #writeNext(tenantId: string, pages: Pages): Promise<void> {
    const { defer, after } = this.#options.timers
    // The writes that are under way began without these facts.
    while (pages.writing.size >= this.#atOnce) await Promise.race(pages.writing)
    await pages.gathering
    await new Promise<void>((resolve) => defer(resolve))
    pages.next = undefined
    const areSideBySide = this.#atOnce === 1 && pages.facts.length > 1
    pages.gathering = areSideBySide ? new Promise((resolve) => void after(GATHERED_MS, resolve)) : undefined
    const write = this.#write(tenantId, pages)
    pages.writing.add(write)
    await write.finally(() => pages.writing.delete(write))
  }

  /** For reads: one record for many of a kind, when `flush` is called. */
  count(tenantId: string, fact: AuditFact): void {
    const key = JSON.stringify([tenantId, fact.actorId, fact.action])
    const known = this.#counts.get(key)
    if (known === undefined) this.#counts.set(key, { tenantId, fact, count: 1 })
    else known.count += 1
    if (this.#counts.size > LIMITS.auditCountsKept) void this.flush()
  }

  /** Stores what was counted, and what could not be stored before. */
  async flush(): Promise<void> {
    const counted = [...this.#counts.values()]
    this.#counts.clear()
    await Promise.all(counted.map(({ tenantId, fact, count }) => this.note(tenantId, { ...fact, count })))
    for (const [tenantId, pages] of this.#pages) {
      await Promise.all([pages.next, ...pages.writing])
      if (pages.facts.length > 0) await (pages.next ??= this.#writeNext(tenantId, pages))
      if (pages.facts.length === 0 && pages.writing.size === 0) this.#pages.delete(tenantId)
    }
  }

  async #write(tenantId: string, pages: Pages): Promise<void> {
    const { writer, tell } = this.#options
    const facts = pages.facts
    pages.facts = []
    try {
      await recordAudit(writer, tenantId, facts)
    } catch (thrown) {
      // A store that is away for long must not fill the memory: the oldest are kept, because they say how it began.
      pages.facts = [...facts, ...pages.facts].slice(0, LIMITS.auditBacklog)
      tell(thrown)
    }
  }
}
