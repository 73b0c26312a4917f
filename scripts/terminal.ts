/**
 * How the house's scripts talk and start other programs: the repository's own binaries under the Node that runs the
 * script, never whatever the machine has on its PATH.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..')

/** Stops early on a Node that cannot do what the repository needs (after `npm ci --ignore-scripts`, for example). */
export function requireNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 19)) return
  process.stderr.write(
    `NODE_TOO_OLD  This is Node ${process.versions.node}; Keelson needs 22.19 or newer. ` +
      'Run `npm ci` (with its install scripts), which brings Node 24 into node_modules.\n',
  )
  process.exit(6)
}

/** The JavaScript file behind a command of an installed package. */
export function binaryOf(packageName: string, command = packageName): string {
  const folder = join(ROOT, 'node_modules', packageName)
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    bin: string | Record<string, string>
  }
  const path = typeof manifest.bin === 'string' ? manifest.bin : manifest.bin[command]
  if (path === undefined) throw new Error(`${packageName} has no command ${command}`)
  return join(folder, path)
}

export interface Ran {
  readonly code: number
  readonly output: string
}

/** Runs a script under this very Node. `show` passes its output through; otherwise it is collected. */
export function runNode(script: string, args: readonly string[], show: boolean): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args], { cwd: ROOT, stdio: show ? 'inherit' : 'pipe' })
    const chunks: Buffer[] = []
    child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString('utf8') }))
  })
}

export function seconds(sinceMs: number): string {
  return `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`
}
