/** Opens a page in the browser of this machine; nobody waits for it, and without one nothing happens. No shell reads the address. */
import { spawn } from 'node:child_process'

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

export function openBrowser(url: string): void {
  const [program, ...before] = OPENERS[process.platform] ?? ['xdg-open']
  const child = spawn(program, [...before, url], { stdio: 'ignore', detached: true })
  // The address is on the terminal, too.
  child.once('error', () => undefined)
  child.unref()
}
