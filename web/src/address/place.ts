/** Which page a path is, and the names that it holds. */
import { PAGE_PATHS, type PageName } from '../../../src/core/api/page.ts'

/** Where a page is, with the names in braces of its path. */
export interface PagePlace {
  readonly page: PageName
  readonly names: Readonly<Record<string, string>>
}

/** Undefined: no page has this path. */
export function pagePlace(path: string): PagePlace | undefined {
  const parts = path.split('/')
  for (const [page, pattern] of Object.entries(PAGE_PATHS) as [PageName, string][]) {
    const names = namesIn(pattern.split('/'), parts)
    if (names !== undefined) return { page, names }
  }
  return undefined
}

function namesIn(pattern: readonly string[], parts: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== parts.length) return undefined
  const names: Record<string, string> = {}
  for (const [index, wanted] of pattern.entries()) {
    const part = parts[index] ?? ''
    if (!wanted.startsWith('{')) {
      if (part !== wanted) return undefined
      continue
    }
    const name = decoded(part)
    if (name === undefined || name === '') return undefined
    names[wanted.slice(1, -1)] = name
  }
  return names
}

/** Undefined: a stray `%`. */
function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}
