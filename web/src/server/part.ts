/** A part of the page that is loaded when it is first shown. */
import { lazy, type ComponentType, type LazyExoticComponent } from 'react'
import { isHere, session } from './session.ts'

/** With the server there, it is broken or gone: another version of the page has other names. Some browsers do not ask a second time. */
const TRIES = 3

/** While the server is away the part waits for it, as all else on the page does; the page says that the server does not answer. */
export function part<P extends object>(load: () => Promise<ComponentType<P>>): LazyExoticComponent<ComponentType<P>> {
  return lazy(async () => ({ default: await loaded(load) }))
}

async function loaded<T>(load: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await load()
    } catch (thrown) {
      await serverSeen()
      if (isHere.get() && tries >= TRIES) throw thrown
      await serverThere()
    }
  }
}

/** Asks whether the server is there; the answer is noted where the request is sent. */
async function serverSeen(): Promise<void> {
  await session
    .get()
    .client.call('getHealth')
    .catch(() => undefined)
}

function serverThere(): Promise<void> {
  if (isHere.get()) return Promise.resolve()
  return new Promise((resolve) => {
    const unwatch = isHere.subscribe(() => {
      if (!isHere.get()) return
      unwatch()
      resolve()
    })
  })
}
