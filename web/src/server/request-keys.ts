/**
 * Keys under which a page sends what must not be done twice. An answer that got lost says nothing of what the server did: the same
 * body goes out again under the same key, until the server has said yes or no to it.
 */
import { useState } from 'react'
import { ServerError } from '../../../src/client/server-error.ts'
import { newUuid } from '../../../src/client/uuid.ts'

const FIRST_FAULT_OF_SERVER = 500

export class RequestKeys {
  /** By body: those whose answer nobody has seen yet. */
  readonly #open = new Map<string, string>()

  /** Sends under a key of this body. What was answered is another request when it is sent again. */
  async under<T>(body: unknown, send: (key: string) => Promise<T>): Promise<T> {
    const text = JSON.stringify(body)
    const key = this.#open.get(text) ?? newUuid()
    this.#open.set(text, key)
    try {
      const answer = await send(key)
      this.#open.delete(text)
      return answer
    } catch (thrown) {
      if (isRefusal(thrown)) this.#open.delete(text)
      throw thrown
    }
  }
}

/** The server did not do it. After a fault of its own, as after no answer, nobody knows. */
function isRefusal(thrown: unknown): boolean {
  return thrown instanceof ServerError && thrown.status < FIRST_FAULT_OF_SERVER
}

/** Those of one form, as long as it is open. */
export function useRequestKeys(): RequestKeys {
  const [keys] = useState(() => new RequestKeys())
  return keys
}
