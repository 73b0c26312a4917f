/**
 * What is told of a failure to people who do not operate the machine. Where the store, the keys or an engine fails, its message names
 * files, addresses and statements: of these only the code leaves the process, in the words of the registry, and the log has the rest.
 */
import { problem, type Problem, type Problems } from './problem.ts'
import { REGISTRY, type ProblemCode } from './registry.ts'

const OF_MACHINE: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'ADAPTER_PROVIDER_ERROR',
  'ENGINE_DRIVER_MISSING',
  'EVENTS_APPEND_ONLY',
  'FILE_NOT_FOUND',
  'FILE_UNUSABLE',
  'INTENT_BUFFER_FAILED',
  'INTERNAL',
  'KEYS_NOT_CONFIGURED',
  'RECEIPTS_NOT_ISSUED',
  'SECRETS_FILE_REFUSED',
  'STATE_LINK_REFUSED',
  'TEMPORAL_CLIENT_NOT_CONNECTED',
])

/** Of these details no one is a place of the machine. */
const TOLD = ['operation', 'provider', 'retryAfterSeconds', 'runId']

/** Its message is for who operates the machine. */
export function isOfMachine(code: ProblemCode): boolean {
  return code.startsWith('STORE_') || OF_MACHINE.has(code)
}

/** `where`: how to learn the rest. */
export function toldOutside(problems: Problems, where = 'Whoever runs the server can find out why.'): Problems {
  const [first, ...others] = problems
  return [outside(first, where), ...others.map((one) => outside(one, where))]
}

function outside(one: Problem, where: string): Problem {
  const { code, details = {} } = one
  // Where an archive lies is the operator's affair too.
  if (code === 'RUN_ARCHIVED') return problem(code, 'the run was archived; its log is in a bundle')
  if (!isOfMachine(code)) return one
  const told = Object.entries(details).filter(([name]) => TOLD.includes(name))
  const message = `${REGISTRY[code].title} ${where}`
  return { ...problem(code, message, told.length === 0 ? {} : { details: Object.fromEntries(told) }) }
}
