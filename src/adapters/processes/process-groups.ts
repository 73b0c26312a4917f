/**
 * The process groups of this process's commands. Groups that still live end with this process: on an orderly exit we
 * end them; after a kill -9 a keeper does, when it sees our end of its pipe close.
 */
import { spawn, type ChildProcess } from 'node:child_process'

/** Reads `+ <group>` and `- <group>` until its input ends, then kills the groups left over. */
const KEEPER = `
live=' '
while read -r what group; do
  case $what in
    +) live="$live$group " ;;
    -) live="\${live%% $group *} \${live#* $group }" ;;
  esac
done
for group in $live; do kill -KILL "-$group" 2>/dev/null; done
`

export const HAS_GROUPS = process.platform !== 'win32'

const live = new Set<number>()
let keeper: ChildProcess | undefined

export function killGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(HAS_GROUPS ? -group : group, signal)
  } catch {
    // The group has ended by itself.
  }
}

function killAll(): void {
  for (const group of live) killGroup(group, 'SIGKILL')
}

export function groupBegan(group: number): void {
  if (live.size === 0) process.once('exit', killAll)
  live.add(group)
  tell(`+ ${group}\n`)
}

export function groupEnded(group: number): void {
  live.delete(group)
  if (live.size === 0) process.off('exit', killAll)
  tell(`- ${group}\n`)
}

/**
 * Called before a group begins, so that our death is noticed at every moment. One keeper serves all commands of this
 * process; it must not keep this process alive, nor die from a Ctrl-C meant for it.
 */
export function startKeeper(): void {
  if (keeper !== undefined || !HAS_GROUPS) return
  const started = spawn('/bin/sh', ['-c', KEEPER], { detached: true, stdio: ['pipe', 'ignore', 'ignore'], env: {} })
  // Without /bin/sh there is no keeper; then only an orderly exit ends the groups.
  started.on('error', () => undefined)
  started.stdin.on('error', () => undefined)
  started.unref()
  if ('unref' in started.stdin && typeof started.stdin.unref === 'function') started.stdin.unref()
  keeper = started
}

function tell(line: string): void {
  keeper?.stdin?.write(line)
}
