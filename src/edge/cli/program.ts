/**
 * The table of commands and how a command line is matched to it. A command's own code is loaded only when it is called,
 * so that asking for help or listing runs does not pay for everything else.
 */
import { Command, CommanderError, Option } from 'commander'
import { fail } from '../../core/problems/problem.ts'
import { optionsOf, type Act } from './command.ts'
import { EXIT } from './exit-codes.ts'
import type { Terminal } from './terminal.ts'

interface Spec {
  readonly use: string
  readonly about: string
  readonly options?: readonly (readonly [flags: string, about: string])[]
  readonly examples?: readonly string[]
  readonly load: () => Promise<Act>
}

const STEPS = [
  '--steps <file>',
  'step functions; default keelson.steps.ts, .mts, .js or .mjs beside the plan or here',
] as const
const REASON = ['--reason <text>', 'why; recorded in the log'] as const

const COMMANDS: readonly Spec[] = [
  {
    use: 'run <plan>',
    about: 'run a plan file (YAML or JSON) and show it move',
    options: [
      ['--input <file>', "the run's input as JSON; - reads standard input"],
      ['--set <key=value...>', 'one field of the input; the value is JSON, or else text'],
      STEPS,
      ['--request-id <id>', 'the same id starts the run once'],
    ],
    load: async () => (await import('./commands/run.ts')).run,
  },
  {
    use: 'resume [run]',
    about: 'take over runs nobody drives and drive them to their end',
    options: [STEPS],
    load: async () => (await import('./commands/resume.ts')).resume,
  },
  {
    use: 'runs',
    about: 'list runs, newest first',
    options: [
      ['--status <status...>', 'only these, such as RUNNING or FAILED'],
      ['--limit <count>', 'at most so many; default 20'],
    ],
    load: async () => (await import('./commands/runs.ts')).runs,
  },
  {
    use: 'show <run>',
    about: 'a run as it is now: every step, attempt and error',
    load: async () => (await import('./commands/show.ts')).show,
  },
  {
    use: 'events <run>',
    about: "a run's log",
    options: [['--after <runSeq>', 'only what follows this event']],
    load: async () => (await import('./commands/events.ts')).events,
  },
  {
    use: 'why <run> [step]',
    about: 'why a step, or the run, is where it is, and what would move it',
    load: async () => (await import('./commands/why.ts')).why,
  },
  {
    use: 'signal <run> <signal>',
    about: 'pause, resume, cancel, retry-step, skip-step, update-params, emergency-stop …',
    options: [
      ['--step <id>', 'the step it is about'],
      REASON,
      ['--set <key=value...>', 'parameters of update-params and inject-override'],
      ['--id <uuid>', "the signal's own id; the same id is taken once"],
    ],
    load: async () => (await import('./commands/signal.ts')).signal,
  },
  {
    use: 'tasks [run]',
    about: 'open manual tasks and their tokens',
    load: async () => (await import('./commands/tasks.ts')).tasks,
  },
  {
    use: 'complete <run> <task>',
    about: 'complete a manual task, named by its token or its step',
    options: [
      ['--outcome <outcome>', 'Succeeded, Failed or Cancelled'],
      ['--as <user>', 'who completes it; default local'],
      ['--notes <text>', 'kept with the outcome'],
      ['--evidence <ref...>', 'references to evidence'],
      ['--result <json>', "the step's output"],
    ],
    load: async () => (await import('./commands/complete.ts')).complete,
  },
  {
    use: 'fork <run>',
    about: 'a new run that takes over the results of an ended one',
    options: [['--from <step>', 'run this step and what follows it again'], STEPS],
    load: async () => (await import('./commands/fork.ts')).fork,
  },
  {
    use: 'verify <run>',
    about: "check that a run's log, or a bundle file, was not altered",
    options: [
      ['--key <public key>', 'only receipts of this key count, and there must be some'],
      ['--receipts <folder>', 'a copy of the receipts, instead of the ones kept here'],
    ],
    examples: ['keelson verify last', 'keelson verify order.jsonl --key 3b1f…'],
    load: async () => (await import('./commands/verify.ts')).verify,
  },
  {
    use: 'resources',
    about: 'agents and resources that runs share: in use, capacity, waiting',
    load: async () => (await import('./commands/resources.ts')).resources,
  },
  {
    use: 'resources set <name>',
    about: 'declare a resource, or the limit of agent:<id>',
    options: [
      ['--capacity <units>', 'how many units there are'],
      ['--per <ms>', 'so many units every so many milliseconds, instead of at once'],
    ],
    load: async () => (await import('./commands/resources.ts')).setResource,
  },
  {
    use: 'export <run>',
    about: 'a run as one self-contained bundle, to a file or to stdout',
    options: [['--out <file>', 'write it there, and prove what was written']],
    examples: ['keelson export last --out order.jsonl && keelson verify order.jsonl'],
    load: async () => (await import('./commands/export.ts')).exportBundle,
  },
  {
    use: 'archive [run]',
    about: 'move the logs of ended runs into bundle files',
    options: [
      ['--older-than <age>', 'runs that ended so long ago, such as 12h; default 90d'],
      ['--to <folder>', 'where bundles go; default archive in the state folder'],
      ['--dry-run', 'say what would be archived, and do nothing'],
    ],
    examples: ['keelson archive --older-than 90d --dry-run', 'keelson archive 1a2b3c4d'],
    load: async () => (await import('./commands/archive.ts')).archive,
  },
  {
    use: 'erase <run>',
    about: 'delete inputs, outputs and messages of an ended run; the log records it',
    options: [REASON, ['--yes', 'do not ask']],
    examples: ['keelson erase 1a2b3c4d --reason "request 4711"'],
    load: async () => (await import('./commands/erase.ts')).erase,
  },
  {
    use: 'receipts key',
    about: 'the public key that signs receipts; note it elsewhere',
    load: async () => (await import('./commands/receipts.ts')).receiptsKey,
  },
  {
    use: 'receipts issue',
    about: 'sign the starts and ends of runs that were not signed yet',
    load: async () => (await import('./commands/receipts.ts')).receiptsIssue,
  },
  {
    use: 'backup <file>',
    about: 'a consistent copy of the database while runs go on',
    examples: ['keelson backup "backup-$(date +%F).db"'],
    load: async () => (await import('./commands/backup.ts')).backup,
  },
  {
    use: 'restore <file>',
    about: 'put a backup in place and recover its runs',
    options: [['--force', 'replace the database that is there; it is kept beside the new one']],
    examples: ['keelson restore backup-2026-11-15.db --force'],
    load: async () => (await import('./commands/restore.ts')).restore,
  },
  {
    use: 'plan check <file>',
    about: 'every problem of a plan, without running it',
    options: [STEPS],
    load: async () => (await import('./commands/plan-check.ts')).planCheck,
  },
]

/** Resolves with the exit code; wrong usage is thrown as a USAGE problem. */
export async function runProgram(argv: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode: number = EXIT.completed
  const program = build(terminal, (code) => {
    exitCode = code
  })
  if (argv.length === 0) {
    program.outputHelp()
    return EXIT.usage
  }
  try {
    await program.parseAsync([...argv], { from: 'user' })
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown
    if (thrown.exitCode === 0) return EXIT.completed
    if (thrown.code === 'commander.help') fail('USAGE', `'${argv.join(' ')}' is not a whole command`)
    return fail('USAGE', usageMessage(thrown.message))
  }
  return exitCode
}

function usageMessage(message: string): string {
  return message
    .replace(/^error: /, '')
    .replace(/\s*\(Did you mean (.+)\?\)$/s, "; did you mean '$1'?")
    .replaceAll('\n', ' ')
}

function build(terminal: Terminal, done: (code: number) => void): Command {
  const program = new Command('keelson')
  program
    .description('The workflow engine whose log is the truth.')
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.write(text), writeErr: () => undefined })
    .option('-V, --version', 'the version')
    .helpCommand(false)
    .helpOption('-h, --help', 'this help')
    .enablePositionalOptions()
    .configureHelp({
      subcommandTerm: (command) =>
        `${command.name()} ${command.usage().replace('[options] ', '').replace('[options]', '')}`.trim(),
      sortSubcommands: false,
    })
    .usage('<command> …')
    .addHelpText('after', HELP_END)
  for (const spec of COMMANDS) add(program, spec, terminal, done)
  program
    .command('help [topic]')
    .description('the page of an error code, or the help of a command')
    .action(async (topic: string | undefined) => done(await help(program, topic, terminal)))
  return program
}

const HELP_END = `
Each command has its own help: keelson help <command>. A run is named by its id, by four or
more of its first characters, or by 'last'.
Exit codes: 0 completed, 1 failed, 2 wrong usage or plan, 3 cancelled, 4 left running, 5 refused, 6 environment.
`

function add(program: Command, spec: Spec, terminal: Terminal, done: (code: number) => void): void {
  const words = spec.use.split(' ')
  const group = words[1]?.startsWith('<') === false && !words[1].startsWith('[') ? words.shift() : undefined
  const parent = group === undefined ? program : groupOf(program, group)
  const command = parent.command(words.join(' ')).description(spec.about)
  for (const [flags, about] of spec.options ?? []) command.addOption(new Option(flags, about))
  command
    .option('--dir <folder>', 'where runs are kept; default .keelson')
    .option('--json', 'one JSON object per line instead of text')
    .option('--debug', 'stack traces with errors')
    .helpOption('-h, --help', 'this help')
    .addHelpText(
      'after',
      (spec.examples ?? []).map((one, at) => `${at === 0 ? '\nSuch as:\n' : ''}  ${one}`).join('\n'),
    )
    .action(async (...received: unknown[]) => {
      const args = received.filter((one): one is string => typeof one === 'string')
      const act = await spec.load()
      done(await act({ args, options: optionsOf(command.opts()), terminal }))
    })
}

/** Words that only hold other commands. */
const GROUPS: Readonly<Record<string, readonly [usage: string, about: string]>> = {
  plan: ['check <file>', 'every problem of a plan, without running it'],
  receipts: ['key|issue', 'signed receipts of runs: their public key, and signing what is new'],
}

function groupOf(program: Command, name: string): Command {
  const known = program.commands.find((one) => one.name() === name)
  const [usage, about] = GROUPS[name] ?? ['<command>', '']
  return known ?? program.command(name).usage(usage).description(about).helpCommand(false)
}

async function help(program: Command, topic: string | undefined, terminal: Terminal): Promise<number> {
  const command = topic === undefined ? program : program.commands.find((one) => one.name() === topic)
  if (command !== undefined) {
    command.outputHelp()
    return EXIT.completed
  }
  const { helpCode } = await import('./commands/help-code.ts')
  return helpCode(
    terminal,
    topic ?? '',
    program.commands.map((one) => one.name()),
  )
}
