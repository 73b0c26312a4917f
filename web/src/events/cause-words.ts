/** What made the decider decide, in words: the cause that every event of the decision has. */

import { shortId } from '../shown/words.ts'

type Told = (rest: string) => string

const KINDS: Readonly<Record<string, Told>> = {
  outcome: (rest) => `outcome of ${rest.replace(/:\d+:\d+$/, '')}`,
  signal: (rest) => `signal ${shortId(rest)}`,
  scope: (rest) => `pause of many runs ${rest}`,
  timer: timerWords,
  child: (rest) => `child run ${shortId(rest)}`,
  event: (rest) => `sent event ${rest}`,
  grant: (rest) => `grant for ${rest}`,
  cut: (rest) => `goes on with the decision of event ${rest}`,
}

function timerWords(rest: string): string {
  const [kind = '', ...about] = rest.split(':')
  const words = Object.hasOwn(TIMERS, kind) ? TIMERS[kind] : undefined
  // The last part is the attempt.
  return `${words ?? `timer ${kind}`} ${about.slice(0, -1).join(':')}`.trim()
}

const TIMERS: Readonly<Record<string, string>> = {
  retry: 'time to retry',
  wait: 'end of the wait of',
  timeout: 'timeout of',
  'run-timeout': 'timeout of the run',
  grace: 'end of the grace period',
  'not-before': 'the run was due',
}

const WHOLE: Readonly<Record<string, string>> = {
  admit: 'admission',
  approve: 'approval',
  start: 'start',
  // By another process after a death, or by the same one after a long wait.
  adopt: 'taken up again by a process',
  handoff: 'moved to another engine',
  upgrade: 'newer rules',
  fork: 'fork',
  erase: 'erasure',
  integrity: 'what was stored had been altered',
  import: 'import',
  'import:v2': 'import',
}

export function causeWords(cause: string): string {
  const at = cause.indexOf(':')
  const whole = Object.hasOwn(WHOLE, cause) ? WHOLE[cause] : undefined
  const kind = at < 0 ? '' : cause.slice(0, at)
  const told = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined
  return whole ?? told?.(cause.slice(at + 1)) ?? cause
}
