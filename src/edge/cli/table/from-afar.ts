/**
 * What each command does when a server has the runs (`--server`): it asks the server, it needs no runs and works as ever, or it
 * cannot, and says what to do instead. A test holds that every command has an entry.
 */
import { fail } from '../../../core/problems/problem.ts'
import { serverUrl } from '../files/place.ts'
import type { Options } from '../terminal/command.ts'
import { wordsOf, type Spec } from '../terminal/command-spec.ts'

/** `here`: it reads and writes files of this machine, and no runs. */
type FromAfar = 'asks' | 'here' | { readonly instead: string }

const ON_THE_MACHINE = 'run it on the machine of the server, where the state folder or the database is'

export const FROM_AFAR: Readonly<Record<string, FromAfar>> = {
  init: 'here',
  'plan check': 'here',
  'plan compile': 'here',
  'plan hash': 'here',
  'plan graph': 'here',
  'plan import': 'here',
  'plan diff': 'asks',
  'plan publish': 'asks',
  'plan list': 'asks',
  conformance: 'here',
  run: 'asks',
  resume: 'asks',
  migrate: { instead: ON_THE_MACHINE },
  queue: 'asks',
  'queue start': 'asks',
  'queue approve': 'asks',
  'queue reject': 'asks',
  fork: 'asks',
  signal: 'asks',
  pause: 'asks',
  retry: 'asks',
  cancel: 'asks',
  send: 'asks',
  tasks: 'asks',
  complete: 'asks',
  runs: 'asks',
  ps: 'asks',
  show: 'asks',
  events: 'asks',
  'log import': { instead: ON_THE_MACHINE },
  journal: 'asks',
  evidence: 'asks',
  signals: 'asks',
  why: 'asks',
  alerts: 'asks',
  worker: { instead: 'a worker needs the database of the server: name it with --store' },
  serve: 'here',
  dev: 'here',
  login: 'asks',
  logout: 'asks',
  'keys create': 'asks',
  'keys list': 'asks',
  'keys revoke': 'asks',
  'tenants list': { instead: ON_THE_MACHINE },
  'tenants delete': { instead: ON_THE_MACHINE },
  'schedules list': 'asks',
  'schedules show': 'asks',
  'schedules create': 'asks',
  'schedules pause': 'asks',
  'schedules resume': 'asks',
  'schedules backfill': 'asks',
  'schedules delete': 'asks',
  decisions: 'asks',
  'decisions accept': 'asks',
  'decisions refuse': 'asks',
  'triggers list': 'asks',
  'triggers show': 'asks',
  'triggers create': 'asks',
  'triggers update': 'asks',
  'triggers test': 'asks',
  'triggers delete': 'asks',
  audit: 'asks',
  'fleet preview': 'asks',
  'fleet start': 'asks',
  'fleet list': 'asks',
  'fleet show': 'asks',
  'fleet abort': 'asks',
  feed: 'asks',
  'feed dead-letters': 'asks',
  'feed redeliver': 'asks',
  'feed drop': 'asks',
  engines: 'asks',
  'dev temporal': 'here',
  doctor: { instead: 'ask the server itself: GET /readyz says whether each of its duties works' },
  'store init': { instead: ON_THE_MACHINE },
  workers: 'asks',
  limits: 'asks',
  'limits set': 'asks',
  'limits remove': 'asks',
  pauses: 'asks',
  'pauses set': 'asks',
  'pauses lift': 'asks',
  resources: 'asks',
  'resources set': { instead: ON_THE_MACHINE },
  verify: 'asks',
  export: 'asks',
  archive: { instead: ON_THE_MACHINE },
  erase: { instead: ON_THE_MACHINE },
  'receipts key': { instead: ON_THE_MACHINE },
  'receipts issue': { instead: ON_THE_MACHINE },
  backup: { instead: ON_THE_MACHINE },
  restore: { instead: ON_THE_MACHINE },
  recover: { instead: ON_THE_MACHINE },
  completion: 'here',
}

/** Refuses a command that a server cannot carry out, before its code is loaded. */
export function needFromAfar(spec: Spec, options: Options): void {
  if (serverUrl(options) === undefined) return
  const name = wordsOf(spec).join(' ')
  const how = FROM_AFAR[name]
  if (how === undefined || typeof how === 'string') return
  fail('NOT_FROM_AFAR', `'${name}' cannot be asked of a server: ${how.instead}`)
}
