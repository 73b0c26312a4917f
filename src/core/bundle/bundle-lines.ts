/**
 * Reads the lines of a bundle: each whole, in its place and of a known shape, texts as their hashes say. Whoever reads gives the hash and
 * the canonical form, because the core has no hash of its own. What does not fit is BUNDLE_BROKEN with the line where it breaks.
 */
import { fail } from '../problems/problem.ts'
import { wrongShape, type BundleBody } from './bundle-shape.ts'

export const BUNDLE_VERSION = 1

export interface BundleLine {
  readonly number: number
  readonly part: string
  readonly body: BundleBody
}

export interface BundleHashing {
  /** RFC 8785; throws for what has no such form. */
  readonly canonical: (value: unknown) => string
  /** Hex, of the text in UTF-8. */
  readonly sha256Hex: (text: string) => string
}

export interface BundleReader {
  /** The lines so far. */
  readonly lines: readonly BundleLine[]
  readonly take: (text: string) => BundleLine
  /** After the last line: nothing is missing. */
  readonly end: () => void
}

/** What the hash of a line is made of, beside the one of the line before. */
export function linkText(previous: string, part: string, body: unknown, { canonical }: BundleHashing): string {
  return `${previous}\n${canonical({ body, part })}`
}

export function bundleReader(hashing: BundleHashing): BundleReader {
  const lines: BundleLine[] = []
  const seen = new Set<string>()
  let link = ''
  const take = (text: string): BundleLine => {
    const number = lines.length + 1
    if (lines.at(-1)?.part === 'end') brokenAt(number, 'there is more after its end')
    const line = parseLine(text, hashing) ?? brokenAt(number, 'the line is torn')
    const { part, body } = line
    if (hashing.sha256Hex(linkText(link, part, body, hashing)) !== line.link)
      brokenAt(number, 'the line was altered, moved or is not of this bundle')
    const wrong = wrongShape(part, body, seen)
    if (wrong !== undefined) brokenAt(number, wrong)
    seen.add(part)
    link = line.link
    const taken = { number, part, body }
    lines.push(taken)
    return taken
  }
  const end = (): void => {
    const last = lines.at(-1)
    if (last?.part !== 'end') brokenAt(lines.length + 1, 'the file ends too early: it is torn')
    else if (last.body['lines'] !== lines.length) brokenAt(lines.length, 'it says that it has another number of lines')
  }
  return { lines, take, end }
}

/** The first line says what the others are about. */
export function needRunLine({ part, body }: BundleLine): void {
  if (part !== 'run') brokenAt(1, 'it does not begin with the run')
  const version = Number(body['version'])
  if (version > BUNDLE_VERSION) brokenAt(1, `it has version ${version}; this Keelson reads ${BUNDLE_VERSION}`)
}

/** A plan or a value is what its hash says, and the plan that of the run. */
export function needHashed({ number, part, body }: BundleLine, planSha256: unknown, hashing: BundleHashing): void {
  if (part !== 'plan' && part !== 'blob') return
  const { sha256, text } = body
  if (typeof text !== 'string' || hashing.sha256Hex(text) !== sha256)
    brokenAt(number, `the ${part} does not have its hash`)
  if (part === 'plan' && sha256 !== planSha256) brokenAt(number, "it is not the run's plan")
}

export function brokenAt(line: number, what: string): never {
  return fail('BUNDLE_BROKEN', `line ${line}: ${what}`, { details: { line } })
}

function parseLine(
  text: string,
  { canonical }: BundleHashing,
): { readonly part: string; readonly link: string; readonly body: BundleBody } | undefined {
  try {
    const parsed = JSON.parse(text) as Record<string, unknown>
    const { part, link, body } = parsed
    const whole =
      // A key that occurs twice may be read differently by other programs; so only the canonical form of a value is accepted.
      canonical(parsed) === text &&
      Object.keys(parsed).length === 3 &&
      typeof part === 'string' &&
      typeof link === 'string' &&
      typeof body === 'object' &&
      body !== null &&
      !Array.isArray(body)
    return whole ? { part, link, body: body as BundleBody } : undefined
  } catch {
    return undefined
  }
}
