/**
 * The ids that tests prove. A title ends with them in brackets, `… [X-06, SSM-02]`; a group that looks like ids but
 * names one that does not exist is a defect of the title.
 */
import { textOf } from './repository.ts'

export type AreaIds = Readonly<Record<string, readonly string[]>>

export function readIds(): AreaIds {
  return JSON.parse(textOf('test/trace/ids.json')) as AreaIds
}

export function areaOf(id: string): string {
  return id.slice(0, id.indexOf('-'))
}

const TRAILING_GROUP = /\[([^[\]]+)\]\s*$/
const LOOKS_LIKE_ID = /^[A-Z]{1,4}-\d+[a-z]?$/

export interface TitleIds {
  readonly ids: readonly string[]
  readonly unknown: readonly string[]
}

/** The ids at the end of a title. A group without anything that looks like an id is plain text. */
export function idsOfTitle(title: string, known: ReadonlySet<string>): TitleIds {
  const parts =
    TRAILING_GROUP.exec(title)?.[1]
      ?.split(',')
      .map((part) => part.trim()) ?? []
  if (!parts.some((part) => LOOKS_LIKE_ID.test(part))) return { ids: [], unknown: [] }
  return { ids: parts.filter((part) => known.has(part)), unknown: parts.filter((part) => !known.has(part)) }
}

export function knownIds(areas: AreaIds): ReadonlySet<string> {
  return new Set(Object.values(areas).flat())
}
