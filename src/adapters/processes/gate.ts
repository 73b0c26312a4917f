/**
 * A program begins only after the keeper knows its process group. This process may be killed between the start of a
 * process and that note, and then nobody would end the program: so a shell waits in the group for our word and then
 * becomes the program. If we die first, the shell sees the end of its pipe and exits.
 */
import { accessSync, constants, statSync } from 'node:fs'
import type { ChildProcess } from 'node:child_process'
import { delimiter, join, resolve } from 'node:path'
import { HAS_GROUPS } from './process-groups.ts'

/** Variables that a shell adds by itself are unset; the shell was given none of them unless the plan names them. */
const GATE = 'read -r go <&3 || exit 125; exec 3<&-; unset go PWD OLDPWD SHLVL; exec "$0" "$@"'
const SHELL = '/bin/sh'

export function behindGate(
  file: string,
  args: readonly string[],
): { readonly file: string; readonly args: readonly string[] } {
  return HAS_GROUPS ? { file: SHELL, args: ['-c', GATE, file, ...args] } : { file, args }
}

export function openGate(child: ChildProcess): void {
  const gate = child.stdio[3]
  if (gate === null || gate === undefined || !('end' in gate)) return
  // A program that was killed before it began does not read the word.
  gate.on('error', () => undefined)
  gate.end('go\n')
}

/**
 * The path of the program, or an error that it is missing: the shell's own message for that is no error of ours. A name
 * that looks like an option of the shell is passed as a file path.
 */
export function findProgram(program: string, folder: string, path: string): string {
  if (!HAS_GROUPS) return program
  if (program.includes('/')) {
    needRunnable(resolve(folder, program))
    return program.startsWith('-') ? resolve(folder, program) : program
  }
  for (const place of path.split(delimiter)) {
    const file = join(resolve(folder, place === '' ? '.' : place), program)
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === true && mayRun(file))
      return program.startsWith('-') ? file : program
  }
  throw Object.assign(new Error(`${program} is in no folder of PATH`), { code: 'ENOENT' })
}

function needRunnable(file: string): void {
  if (!statSync(file).isFile()) throw Object.assign(new Error(`${file} is no file`), { code: 'EACCES' })
  accessSync(file, constants.X_OK)
}

function mayRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
