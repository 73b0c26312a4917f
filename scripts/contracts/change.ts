/** What a change of a contract means for those who rely on it (VER-01), and the version that it needs. */
export const LEVELS = ['none', 'PATCH', 'MINOR', 'MAJOR'] as const
export type Level = (typeof LEVELS)[number]

export interface Change {
  readonly level: Exclude<Level, 'none'>
  /** A JSON pointer into the contract. */
  readonly at: string
  readonly what: string
}

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }
export type Fields = { readonly [name: string]: Json }

export function isFields(value: Json | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isSame(one: Json | undefined, other: Json | undefined): boolean {
  return sorted(one) === sorted(other)
}

function sorted(value: Json | undefined): string {
  return JSON.stringify(value, (_name, inner: Json) =>
    isFields(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  )
}

export function under(at: string, name: string | number): string {
  return `${at}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

export function levelOf(changes: readonly Change[]): Level {
  return LEVELS[Math.max(0, ...changes.map(({ level }) => LEVELS.indexOf(level)))] ?? 'none'
}

/** The least version that a change of this level may be released under. Before 1.0.0 the second number stands for both. */
export function nextVersion(released: string, level: Level): string {
  const [major = 0, minor = 0, patch = 0] = released.split('.').map(Number)
  if (level === 'MAJOR' && major > 0) return `${major + 1}.0.0`
  if (level === 'MAJOR' || level === 'MINOR') return `${major}.${minor + 1}.0`
  return level === 'PATCH' ? `${major}.${minor}.${patch + 1}` : released
}

export function isAtLeast(version: string, least: string): boolean {
  const [one, other] = [version, least].map((text) => text.split('.').map(Number))
  for (const index of [0, 1, 2]) {
    const difference = (one?.[index] ?? 0) - (other?.[index] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return true
}
