/** Bounds of plan text and of the values in it; plain numbers that belong to the plan format alone. */
export const PLAN_LIMITS = {
  depth: 64,
  aliases: 10_000,
  /** After so many problems the rest is not collected: a hostile text must not cost memory without end. */
  problems: 1_000,
  documentValues: 4_000_000,
  idChars: 128,
  textChars: 65_536,
  pathSegments: 10,
  retryAttemptsMax: 10,
  /** One year. */
  durationMsMax: 31_536_000_000,
} as const

/** Keys that would reach an object's prototype; refused as keys, ids, paths and names everywhere. */
export const REFUSED_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])
