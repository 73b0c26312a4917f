/** The lines of a file, several at once as they are read, so that the page stays alive while a long one is. */

/** A file whose lines never end is refused before it fills the memory: no bundle has a line as long. */
const MOST_LINE_CHARS = 64 * 1024 * 1024

export async function* linesOf(file: Blob): AsyncGenerator<readonly string[], void> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const reader = file.stream().getReader()
  let rest = ''
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const lines = (rest + decoder.decode(read.value, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MOST_LINE_CHARS) throw new Error('a line has no end')
    yield lines
  }
  rest += decoder.decode()
  // Every line of a bundle ends with a line feed; what is behind the last one is a line that was torn, and is read as one.
  if (rest !== '') yield [rest]
}

/** Which event a line is about that may be damaged; undefined where that cannot be told. */
export function eventIn(line: string): number | undefined {
  try {
    const { part, body } = JSON.parse(line) as {
      readonly part?: unknown
      readonly body?: { readonly runSeq?: unknown }
    }
    return part === 'event' && typeof body?.runSeq === 'number' ? body.runSeq : undefined
  } catch {
    return undefined
  }
}
