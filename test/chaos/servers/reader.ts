/** Follows the stream of one run to its end, at whichever server answers, from the last event that it has. */
import { setTimeout as pause } from 'node:timers/promises'

const AGAIN_MS = 100

interface End {
  readonly status: string
  readonly lastEventSeq: number
}

export interface Followed {
  /** Numbers of events, as they came. */
  readonly seqs: readonly number[]
  readonly connections: number
  readonly end: End
}

export async function followToEnd(urls: readonly string[], executionId: string, first: number): Promise<Followed> {
  const seqs: number[] = []
  for (let connections = 1; ; connections += 1) {
    const url = urls[(first + connections) % urls.length] ?? ''
    // A server that was killed breaks the connection, or takes none.
    const end = await readOnce(`${url}/v1/executions/${executionId}/stream`, seqs).catch(() => undefined)
    if (end !== undefined) return { seqs, connections, end }
    await pause(AGAIN_MS)
  }
}

async function readOnce(url: string, seqs: number[]): Promise<End | undefined> {
  const last = seqs.at(-1)
  const response = await fetch(url, { headers: last === undefined ? {} : { 'last-event-id': String(last) } })
  if (!response.ok || response.body === null) return undefined
  let end: End | undefined
  let text = ''
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + chunk).split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => [line.split(': ', 1)[0], line.replace(/^\w+: /, '')]))
      if (fields.get('event') === 'end') end = JSON.parse(fields.get('data') ?? '') as End
      else if (fields.has('id') && fields.has('event')) seqs.push(Number(fields.get('id')))
    }
  }
  return end
}
