/**
 * Wake-ups by LISTEN (P-22): they carry nothing and may be lost, with or without the connection; so a listener also
 * looks for due runs by itself. The connection is opened for the first listener and again after a loss.
 */
import type { Client } from 'pg'

export type WakeListener = () => void

const CHANNEL = 'keelson_wake'
const RECONNECT_MS = 500

export interface Wakes {
  onWake(listener: WakeListener): () => void
  close(): Promise<void>
}

export function listenForWakes(newClient: () => Client): Wakes {
  const listeners = new Set<WakeListener>()
  let client: Client | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const ring = (): void => {
    for (const listener of listeners) listener()
  }
  const lost = (one: Client): void => {
    if (client !== one) return
    client = undefined
    one.end().catch(() => undefined)
    if (closed || timer !== undefined) return
    timer = setTimeout(() => {
      timer = undefined
      void open()
    }, RECONNECT_MS)
    timer.unref()
  }
  const open = async (): Promise<void> => {
    if (closed || client !== undefined) return
    const one = newClient()
    client = one
    one.on('error', () => lost(one))
    one.on('end', () => lost(one))
    one.on('notification', ring)
    try {
      await one.connect()
      await one.query(`LISTEN ${CHANNEL}`)
      // One look makes up for all wake-ups that were missed.
      ring()
    } catch {
      lost(one)
    }
  }
  return {
    onWake: (listener) => {
      listeners.add(listener)
      void open()
      return () => void listeners.delete(listener)
    },
    close: async () => {
      closed = true
      clearTimeout(timer)
      const one = client
      client = undefined
      await one?.end().catch(() => undefined)
    },
  }
}
