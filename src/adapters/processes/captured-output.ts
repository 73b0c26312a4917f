/** The output of a program, kept up to a limit: the first part of a stream, or the last. */
export interface Captured {
  add(part: Buffer): void
  text(): string
  truncated(): boolean
  /** Bytes that are not UTF-8 were replaced in the text. */
  replaced(): boolean
  /** The part beyond the limit, as far as it is kept. */
  spare(): string
}

/** The first bytes up to the limit; the bytes right after them are kept separately. */
export function firstBytes(limit: number, spareBytes = 0): Captured {
  const parts: Buffer[] = []
  let size = 0
  let seen = 0
  const kept = (): Buffer => Buffer.concat(parts)
  const within = (): ReturnType<typeof decode> => decode(kept().subarray(0, limit), seen > limit ? 'end' : undefined)
  return {
    add: (part) => {
      seen += part.length
      const rest = part.subarray(0, limit + spareBytes - size)
      size += rest.length
      if (rest.length > 0) parts.push(rest)
    },
    text: () => within().text,
    truncated: () => seen > limit,
    replaced: () => within().replaced,
    spare: () => kept().subarray(Buffer.byteLength(within().text)).toString('utf8'),
  }
}

/** The last bytes up to the limit; the bytes right before them are kept separately. */
export function lastBytes(limit: number, spareBytes = 0): Captured {
  let kept = Buffer.alloc(0)
  let seen = 0
  const within = (): ReturnType<typeof decode> => decode(kept.subarray(-limit), seen > limit ? 'start' : undefined)
  return {
    add: (part) => {
      seen += part.length
      const most = limit + spareBytes
      kept = Buffer.concat([kept, part.subarray(-most)]).subarray(-most)
    },
    text: () => within().text,
    truncated: () => seen > limit,
    replaced: () => within().replaced,
    spare: () => kept.subarray(0, Math.max(0, kept.length - limit)).toString('utf8'),
  }
}

/** A cut may split a character: the rest of that character is dropped. */
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
