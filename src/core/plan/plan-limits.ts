/** Limits of plan text and of the values in it; plain numbers that belong to the plan format alone. */
export const PLAN_LIMITS = {
  depth: 64,
  aliases: 10_000,
  /** Further problems are not collected: a hostile text must not use unbounded memory. */
  problems: 1_000,
  documentValues: 4_000_000,
  /** Tokens of a plan in YAML, including blanks and line ends; the library takes about a microsecond for each. */
  yamlTokens: 3_000_000,
  idChars: 128,
  textChars: 65_536,
  pathSegments: 10,
  /** With the longest names, all of them fit into one event. */
  stepResources: 100,
  retryAttemptsMax: 1_000,
  /** One year. */
  durationMsMax: 31_536_000_000,
} as const

/** Keys that would reach an object's prototype; refused as keys, ids, paths and names everywhere. */
export const REFUSED_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])
