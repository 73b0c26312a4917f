/** What a program writes, kept up to a limit: the first part of a stream, or the last. */
export interface Captured {
  add(part: Buffer): void
  text(): string
  truncated(): boolean
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
    text: () => decode(Buffer.concat(parts)),
    truncated: () => seen > limit,
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
    text: () => decode(kept),
    truncated: () => seen > limit,
  }
}

/** A cut may go through a character: at the edges what is left of it is dropped. */
function decode(bytes: Buffer): string {
  let start = 0
  while (start < Math.min(3, bytes.length) && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++
  return new TextDecoder('utf-8').decode(bytes.subarray(start), { stream: true })
}
