/**
 * `command` steps: a program with its arguments, no shell. The output is what it wrote and how it ended; an exit code
 * other than 0 is a failure that carries the end of stderr.
 */
import { placeOfFault, readJsonText } from '../../core/json/read-json-text.ts'
import type { CommandAction, Json } from '../../core/plan/plan.ts'
import { LIMITS } from '../../core/limits.ts'
import { fail } from '../../core/problems/problem.ts'
import type { CommandEnd, CommandRequest, Processes } from '../../ports/processes.ts'
import type { ActionCall, StepSecrets, TextMask } from '../../ports/step-handlers.ts'
import { asText, isEmptyInput } from './mapped-text.ts'

export interface CommandOutput {
  readonly exitCode: 0
  readonly stdout: string
  readonly stderr: string
  /** The parsed stdout, when the whole of it is a JSON object or list. */
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
  const end = maskedAtCuts(await processes.run(request, call.context.signal), call.mask)
  if (end.exitCode !== 0) {
    // The program was asked to stop and stopped: that is not a failure. A result that it still produced counts.
    call.context.signal.throwIfAborted()
    failed(request, end, call.mask)
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
  { input, context, mask }: ActionCall,
): CommandRequest {
  const [program, ...rest] = argv.map((one, at) => asText(one, at === 0 ? 'the program' : `argument ${at}`))
  if (program === undefined || program === '') return fail('INPUT_INVALID', 'argv names no program')
  const fed: Json | undefined = stdin ?? (isEmptyInput(input) ? undefined : (input as Json))
  const variables = Object.entries(env ?? {}).map(([name, value]) => [name, asText(value, `env ${name}`)] as const)
  return {
    argv: [program, ...rest],
    ...(cwd === undefined ? {} : { cwd: asText(cwd, 'cwd') }),
    ...(mask === undefined ? {} : { spareBytes: mask.reachChars }),
    // Each secret becomes the variable of its name; secrets are read by name because they are not enumerable.
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

/** Text is masked before it is cut: half a secret at the cut would no longer be recognised. */
function maskedAtCuts(end: CommandEnd, mask: TextMask | undefined): CommandEnd {
  const { stdout, stdoutBeyond, stderr, stderrBefore } = end
  if (mask === undefined) return end
  const all = stderrBefore + stderr
  return {
    ...end,
    ...(end.stdoutTruncated ? { stdout: mask.part(stdout + stdoutBeyond, 0, stdout.length) } : {}),
    ...(end.stderrTruncated ? { stderr: mask.part(all, stderrBefore.length, all.length) } : {}),
  }
}

function failed({ argv }: CommandRequest, { exitCode, signal, stderr }: CommandEnd, mask?: TextMask): never {
  const how = signal === null ? `exit code ${exitCode}` : `signal ${signal}`
  // The cut may split a character; the rest of that character is dropped.
  const tail = Buffer.from(stderr)
    .subarray(-LIMITS.commandErrorTailBytes)
    .toString('utf8')
    .replace(/^\uFFFD+/, '')
  const told = (mask === undefined ? tail : mask.part(stderr, stderr.length - tail.length, stderr.length)).trim()
  const details = { exitCode, signal }
  fail('COMMAND_FAILED', `${argv[0]} ended with ${how}${told === '' ? '' : `: ${told}`}`, { details })
}

/**
 * Text that only looks like JSON gives no value; JSON that cannot be kept exactly must not become a different value.
 */
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
