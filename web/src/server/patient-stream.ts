/**
 * A stream that gives up its connection while nobody sees the tab, or when its turn is over, and then tells its reader to come back,
 * in the words of a server that goes away: the reader goes on after the last message it had, so that nothing is lost.
 */
import { comingPlace, freePlace, isShown, shown, type StreamPlace } from './stream-place.ts'

type Send = (signal: AbortSignal) => Promise<Response>

/** From the answer on; what was missed is sent first. */
const TURN_MS = 400
const COME_BACK = new TextEncoder().encode('event: reconnect\nretry: 0\ndata: {}\n\n')
const LINE_END = 10

export function isStream(init: RequestInit | undefined): boolean {
  return new Headers(init?.headers).get('accept')?.includes('text/event-stream') === true
}

/** What the server refuses is its answer as it is. */
export async function patientStream(send: Send, signal: AbortSignal): Promise<Response> {
  const place = isShown.get() ? await freePlace() : undefined
  if (place !== undefined) {
    const cut = new AbortController()
    const answer = await sentFrom(place, send, AbortSignal.any([signal, cut.signal]))
    if (!answer.ok || answer.body === null) {
      place.leave()
      return answer
    }
    return asStream((out, gone) => relay(answer.body, place, { cut, out, gone }), signal)
  }
  // Answered at once and silent until there is a place: nobody takes the wait for a server that is away.
  return asStream(async (out, gone) => {
    const own = await comingPlace(gone)
    const cut = new AbortController()
    const answer = await sentFrom(own, send, AbortSignal.any([gone, cut.signal]))
    if (answer.ok) return relay(answer.body, own, { cut, out, gone })
    own.leave()
    throw new Error(`the stream is answered with ${answer.status}`)
  }, signal)
}

async function sentFrom(place: StreamPlace, send: Send, signal: AbortSignal): Promise<Response> {
  try {
    return await send(signal)
  } catch (thrown) {
    place.leave()
    throw thrown
  }
}

type Out = ReadableStreamDefaultController<Uint8Array>
type Fill = (out: Out, gone: AbortSignal) => Promise<void>

/** `gone`: the reader left, or the page left the stream. */
function asStream(fill: Fill, signal: AbortSignal): Response {
  const left = new AbortController()
  const gone = AbortSignal.any([signal, left.signal])
  const body = new ReadableStream<Uint8Array>({
    start: (out) => {
      fill(out, gone).then(
        () => left.signal.aborted || out.close(),
        (thrown: unknown) => left.signal.aborted || out.error(thrown),
      )
    },
    cancel: () => left.abort(),
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

interface Relay {
  readonly cut: AbortController
  readonly out: Out
  readonly gone: AbortSignal
}

/** Passes whole messages on until the stream ends or is cut. */
async function relay(body: Response['body'], place: StreamPlace, { cut, out, gone }: Relay): Promise<void> {
  const end = (): void => cut.abort()
  const hidden = (): void => (isShown.get() ? undefined : end())
  const unwatch = isShown.subscribe(hidden)
  const timer = setInterval(() => void place.isWaitedFor().then((others) => (others ? end() : undefined)), TURN_MS)
  const reader = body?.getReader()
  gone.addEventListener('abort', end, { once: true })
  hidden()
  try {
    let rest = new Uint8Array()
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
      const all = joined(rest, read.value)
      const whole = endOfMessages(all)
      if (whole > 0) out.enqueue(all.slice(0, whole))
      rest = all.slice(whole)
    }
    if (rest.length > 0) out.enqueue(rest)
  } catch (thrown) {
    if (!cut.signal.aborted) throw thrown
  } finally {
    clearInterval(timer)
    unwatch()
    gone.removeEventListener('abort', end)
    await reader?.cancel().catch(() => undefined)
    place.leave()
  }
  if (!cut.signal.aborted) return
  await shown(gone)
  out.enqueue(COME_BACK)
}

function joined(before: Uint8Array, after: Uint8Array): Uint8Array {
  if (before.length === 0) return after
  const all = new Uint8Array(before.length + after.length)
  all.set(before)
  all.set(after, before.length)
  return all
}

/** Behind the last empty line: a message that is cut in two would be read as a whole one. */
function endOfMessages(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at > 0; at -= 1)
    if (bytes[at] === LINE_END && bytes[at - 1] === LINE_END) return at + 1
  return 0
}
