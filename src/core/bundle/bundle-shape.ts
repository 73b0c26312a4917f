/**
 * What each line of a bundle must contain before anything is read from it: a bundle comes from outside, so its types cannot be
 * trusted.
 */
export type BundleBody = Readonly<Record<string, unknown>>

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isHex: Check = (value) => typeof value === 'string' && /^(?:[0-9a-f]{2})+$/.test(value)
const isHash: Check = (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
const isOrdinal: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 1
const orAbsent =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)

const SHAPES: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  run: {
    version: isOrdinal,
    runId: isText,
    tenantId: isText,
    projectId: isText,
    environmentId: isText,
    planId: isText,
    planVersion: isText,
    planSha256: isHash,
    headHash: isHash,
    epoch: orAbsent(isOrdinal),
    updatedAt: orAbsent((value) => Number.isFinite(value)),
  },
  plan: { sha256: isHash, text: isText },
  event: {
    runSeq: isOrdinal,
    eventType: isText,
    record: isText,
    data: orAbsent(isText),
    salt: orAbsent(isHex),
    idempotencyKey: isHex,
    chainHash: isHash,
  },
  blob: { sha256: isHash, text: isText },
  key: { keyId: isText, publicKey: isText },
  receipt: { line: isText },
}
/** Parts of which there is one at most. */
const ONCE: ReadonlySet<string> = new Set(['run', 'plan'])

/** What is wrong with the line, in words; undefined when nothing is. Parts that are not known are passed over. */
export function wrongShape(part: string, body: BundleBody, seen: ReadonlySet<string>): string | undefined {
  if (ONCE.has(part) && seen.has(part)) return `there is a second ${part}`
  const shape = Object.hasOwn(SHAPES, part) ? SHAPES[part] : undefined
  const [wrong] = Object.entries(shape ?? {}).find(([name, check]) => !check(own(body, name))) ?? []
  return wrong === undefined ? undefined : `the ${part} has no '${wrong}' that could be read`
}

function own(body: BundleBody, name: string): unknown {
  return Object.hasOwn(body, name) ? body[name] : undefined
}
