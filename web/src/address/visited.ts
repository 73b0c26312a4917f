/** Where one has been, last first; and the runs of the list in its order. Kept for this tab alone, and gone with it. */
const KEPT = 'keelson.visited'
const MOST = 12

export interface Visit {
  readonly href: string
  readonly words: string
  readonly detail: string
}

export function visits(): readonly Visit[] {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? '[]') as readonly Visit[]
    return Array.isArray(kept) ? kept : []
  } catch {
    return []
  }
}

export function noteVisit(visit: Visit): void {
  const others = visits().filter(({ href }) => href !== visit.href)
  sessionStorage.setItem(KEPT, JSON.stringify([visit, ...others].slice(0, MOST)))
}

let listed: readonly string[] = []

export function noteListed(executionIds: readonly string[]): void {
  listed = executionIds
}

/** The run above or below in the list that was last looked at; undefined: there is none. */
export function runBeside(executionId: string, by: -1 | 1): string | undefined {
  const at = listed.indexOf(executionId)
  return at < 0 ? undefined : listed[at + by]
}
