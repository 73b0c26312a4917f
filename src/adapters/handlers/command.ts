/**
 * `command` steps: a program with its arguments, no shell. Its output is what it wrote and how it ended; any other exit
 * code than 0 is a failure that carries the end of stderr.
 */
import { placeOfFault, readJsonText } from '../../core/json/read-json-text.ts'
import type { CommandAction, Json } from '../../core/plan/plan.ts'
import { LIMITS } from '../../core/limits.ts'
import { fail } from '../../core/problems/problem.ts'
import type { CommandEnd, CommandRequest, Processes } from '../../ports/processes.ts'
import type { ActionCall, StepSecrets } from '../../ports/step-handlers.ts'
import { asText, isEmptyInput } from './mapped-text.ts'

export interface CommandOutput {
  readonly exitCode: 0
  readonly stdout: string
  readonly stderr: string
  /** What stdout says, when the whole of it is a JSON object or list. */
  readonly json?: unknown
  readonly stdoutTruncated?: true
  readonly stderrTruncated?: true
  /** Some of its bytes were not UTF-8; each such place holds U+FFFD. */
  readonly stdoutReplaced?: true
  readonly stderrReplaced?: true
}

export async function callCommand(
  processes: Processes,
  { command }: CommandAction,
  call: ActionCall,
): Promise<CommandOutput> {
  const request = requestOf(command, call)
  const end = await processes.run(request, call.context.signal)
  if (end.exitCode !== 0) {
    // It was asked to stop, and did: that is no failure of its own. What it still finished counts.
    call.context.signal.throwIfAborted()
    failed(request, end)
  }
  return {
    exitCode: 0,
    stdout: end.stdout,
    stderr: end.stderr,
    ...jsonOf(end, command.bigints),
    ...(end.stdoutTruncated ? { stdoutTruncated: true } : {}),
    ...(end.stderrTruncated ? { stderrTruncated: true } : {}),
    ...(end.stdoutReplaced ? { stdoutReplaced: true } : {}),
    ...(end.stderrReplaced ? { stderrReplaced: true } : {}),
  }
}

function requestOf(
  { argv, cwd, env, stdin }: CommandAction['command'],
  { input, context }: ActionCall,
): CommandRequest {
  const [program, ...rest] = argv.map((one, at) => asText(one, at === 0 ? 'the program' : `argument ${at}`))
  if (program === undefined || program === '') return fail('INPUT_INVALID', 'argv names no program')
  const fed: Json | undefined = stdin ?? (isEmptyInput(input) ? undefined : (input as Json))
  const variables = Object.entries(env ?? {}).map(([name, value]) => [name, asText(value, `env ${name}`)] as const)
  return {
    argv: [program, ...rest],
    ...(cwd === undefined ? {} : { cwd: asText(cwd, 'cwd') }),
    // A step's secret is the variable of its name; it is read by name, for nothing of it is enumerable.
    env: {
      KEELSON_CORRELATION_ID: context.execution.correlationId,
      ...Object.fromEntries([...variables, ...secretsOf(context.secrets)]),
    },
    ...(fed === undefined ? {} : { stdin: typeof fed === 'string' ? fed : JSON.stringify(fed) }),
  }
}

function secretsOf(secrets: StepSecrets): readonly (readonly [string, string])[] {
  return Object.getOwnPropertyNames(secrets).map((name) => [name, secrets[name] ?? ''] as const)
}

function failed({ argv }: CommandRequest, { exitCode, signal, stderr }: CommandEnd): never {
  const how = signal === null ? `exit code ${exitCode}` : `signal ${signal}`
  const tail = Buffer.from(stderr).subarray(-LIMITS.commandErrorTailBytes)
  // The cut may go through a character; what is left of it is dropped.
  const told = tail
    .toString('utf8')
    .replace(/^\uFFFD+/, '')
    .trim()
  const details = { exitCode, signal }
  fail('COMMAND_FAILED', `${argv[0]} ended with ${how}${told === '' ? '' : `: ${told}`}`, { details })
}

/** Text that only looks like JSON gives none; JSON that cannot be kept as it is written must not become something else. */
function jsonOf(end: CommandEnd, bigints: 'text' | undefined): { readonly json?: unknown } {
  const { stdout, stdoutTruncated } = end
  if (stdoutTruncated || !/^\s*[[{]/.test(stdout)) return {}
  const reading = readJsonText(stdout, bigints === undefined ? {} : { bigints })
  if (!reading.ok && reading.fault.kind === 'syntax') return {}
  if (!reading.ok)
    return fail(
      'OUTPUT_INVALID',
      `the JSON that the program wrote cannot be kept as it is: ${reading.fault.message} (${placeOfFault(reading.fault)})`,
      { hint: '`bigints: text` keeps such whole numbers as text' },
    )
  return end.stdoutReplaced
    ? fail('OUTPUT_INVALID', 'the JSON that the program wrote is not UTF-8')
    : { json: reading.value }
}
