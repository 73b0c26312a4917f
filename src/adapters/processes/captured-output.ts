/** What a program writes, kept up to a limit: the first part of a stream, or the last. */
export interface Captured {
  add(part: Buffer): void
  text(): string
  truncated(): boolean
  /** Bytes that are not UTF-8 were replaced in the text. */
  replaced(): boolean
}

export function firstBytes(limit: number): Captured {
  const parts: Buffer[] = []
  let size = 0
  let seen = 0
  return {
    add: (part) => {
      seen += part.length
      const rest = part.subarray(0, limit - size)
      size += rest.length
      if (rest.length > 0) parts.push(rest)
    },
    text: () => decode(Buffer.concat(parts), seen > limit ? 'end' : undefined).text,
    truncated: () => seen > limit,
    replaced: () => decode(Buffer.concat(parts), seen > limit ? 'end' : undefined).replaced,
  }
}

export function lastBytes(limit: number): Captured {
  let kept = Buffer.alloc(0)
  let seen = 0
  return {
    add: (part) => {
      seen += part.length
      kept = Buffer.concat([kept, part.subarray(-limit)]).subarray(-limit)
    },
    text: () => decode(kept, seen > limit ? 'start' : undefined).text,
    truncated: () => seen > limit,
    replaced: () => decode(kept, seen > limit ? 'start' : undefined).replaced,
  }
}

/** A cut may go through a character: there what is left of it is dropped. */
function decode(
  bytes: Buffer,
  cutAt: 'start' | 'end' | undefined,
): { readonly text: string; readonly replaced: boolean } {
  let start = 0
  if (cutAt === 'start') while (start < Math.min(3, bytes.length) && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++
  const whole = bytes.subarray(start)
  const stream = cutAt === 'end'
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(whole, { stream }), replaced: false }
  } catch {
    return { text: new TextDecoder('utf-8').decode(whole, { stream }), replaced: true }
  }
}
