/**
 * Matches a command line to the table of commands (table/). Wrong usage is a USAGE problem with a suggestion; a
 * command's own code is loaded only when it is called.
 */
import { Command, CommanderError, Option } from 'commander'
import { fail } from '../../core/problems/problem.ts'
import { optionsOf, type Call, type OptionSpec } from './terminal/command.ts'
import { EXIT } from './terminal/exit-codes.ts'
import { COMMANDS, SECTIONS } from './table/command-table.ts'
import { needFromAfar } from './table/from-afar.ts'
import { meantBy } from './table/meant-commands.ts'
import { EVERYWHERE, wordsOf, type Spec } from './terminal/command-spec.ts'
import type { Terminal } from './terminal/terminal.ts'

/** Handles a command line that fits the table; resolves with the exit code. */
type Serve = (spec: Spec, call: Call) => Promise<number>

/** Resolves with the exit code; wrong usage is thrown as a USAGE problem. */
export function runProgram(argv: readonly string[], terminal: Terminal): Promise<number> {
  return matchProgram(argv, terminal, async (spec, call) => {
    needFromAfar(spec, call.options)
    // Who reads JSON has stdout alone. Functions of steps may write from the moment that their file is loaded.
    if (call.options.json) terminal.catchOthers((text) => terminal.othersText(text, 'stderr'))
    return (await spec.load())(call)
  })
}

export async function matchProgram(argv: readonly string[], terminal: Terminal, serve: Serve): Promise<number> {
  let exitCode: number = EXIT.completed
  const program = build(argv, terminal, serve, (code) => {
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
    const meant = thrown.code === 'commander.unknownCommand' ? meantBy(argv[0] ?? '') : undefined
    if (meant !== undefined) return fail('USAGE', `unknown command '${argv[0] ?? ''}'; did you mean '${meant}'?`)
    return refuse(program, argv, thrown)
  }
  return exitCode
}

/** With the help of what was typed, as far as it is a command. */
function refuse(program: Command, argv: readonly string[], thrown: CommanderError): never {
  let command = program
  const typed: string[] = []
  for (const word of argv) {
    const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word))
    if (next === undefined) break
    command = next
    typed.push(word)
  }
  const words = typed.join(' ')
  const about = typed.length === 0 ? {} : { details: { command: words } }
  if (typed.length === 0 && thrown.code === 'commander.help')
    return fail('USAGE', `'${argv.join(' ')}' is not a whole command`)
  const isGroup = typed.length > 0 && command.commands.length > 0
  // An option behind a group is not unknown: the word before it is missing.
  const isHalf = isGroup && ['commander.help', 'commander.unknownOption'].includes(thrown.code)
  if (!isHalf) return fail('USAGE', usageMessage(thrown.message), about)
  return fail('USAGE', `'${words}' is not a whole command: ${command.usage()} comes after it`, about)
}

function usageMessage(message: string): string {
  return message
    .replace(/^error: /, '')
    .replace(/\s*\(Did you mean (.+)\?\)$/s, "; did you mean '$1'?")
    .replaceAll('\n', ' ')
}

function build(argv: readonly string[], terminal: Terminal, serve: Serve, done: (code: number) => void): Command {
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
        // Other words for it are in its own help.
        `${command.name()} ${command.usage().replace('[options] ', '').replace('[options]', '')}`.trim(),
      sortSubcommands: false,
    })
    .usage('<command> …')
    .addHelpText('after', HELP_END)
  for (const { title, commands } of SECTIONS) {
    program.commandsGroup(title)
    for (const spec of commands) {
      const command = add(program, spec)
      if (isAsked(spec, argv)) equip(command, spec, terminal, serve, done)
    }
  }
  program.commandsGroup('Help:')
  program
    .command('help [topic...]')
    .description('show the help of a command or an error code')
    .action(async (topic: readonly string[]) => done(await help(program, topic, terminal)))
  return program
}

const HELP_END = `
Help and examples of a command: keelson help <command>. Name a run by its id, by the first four or
more characters of its id, or by 'last'.
Exit codes: 0 completed, 1 failed, 2 wrong usage or plan, 3 cancelled, 4 left running, 5 refused, 6 environment,
7 the process ended too early.
`

/** Of all other commands only the names and their meaning are shown: their options would be made for nothing, at every start. */
function isAsked(spec: Spec, argv: readonly string[]): boolean {
  const [first = ''] = wordsOf(spec)
  return [first, ...(spec.aliases ?? [])].some((word) => argv.includes(word))
}

function add(program: Command, spec: Spec): Command {
  const [group, sub] = wordsOf(spec)
  const parent = sub === undefined || group === undefined ? program : groupOf(program, group)
  const words = sub === undefined ? spec.use : spec.use.slice(spec.use.indexOf(' ') + 1)
  const command = parent
    .command(words)
    .description(spec.about)
    .aliases(spec.aliases ?? [])
  // Another word for the parent is in front of it: its help is titled as it is typed.
  const typed =
    group !== undefined && sub !== undefined && parent.name() !== group ? `keelson ${group} ${sub}` : undefined
  if (typed === undefined) return command
  return command.configureHelp({ ...parent.configureHelp(), commandUsage: (one) => `${typed} ${one.usage()}` })
}

function equip(command: Command, spec: Spec, terminal: Terminal, serve: Serve, done: (code: number) => void): void {
  for (const [flags, about] of optionsFor(spec)) command.addOption(new Option(flags, about))
  command
    .helpOption('-h, --help', 'this help')
    .addHelpText('after', `\nExamples:\n${spec.examples.map((one) => `  ${one}`).join('\n')}`)
    .action(async (...received: unknown[]) => {
      const args = received.filter((one): one is string => typeof one === 'string')
      done(await serve(spec, { args, options: optionsOf(command.opts()), terminal, table: COMMANDS }))
    })
}

/** A command may define one of the common options in its own way. */
function optionsFor({ options = [] }: Spec): readonly OptionSpec[] {
  const nameOf = ([flags]: OptionSpec): string => flags.split(' ', 1)[0] ?? flags
  const own = new Set(options.map(nameOf))
  return [...options, ...EVERYWHERE.filter((option) => !own.has(nameOf(option)))]
}

/** Words that only group other commands. */
const GROUPS: Readonly<Record<string, string>> = {
  dev: 'servers for development on this machine',
  keys: 'keys for the API of a server: make, list, revoke',
  tenants: 'tenants of a server: list, delete',
  fleet: 'one signal to many runs: look what it would do, begin it, follow it, abort it',
  triggers: 'runs of a server that start by signed deliveries: list, make, try, change',
  schedules: 'runs that a server starts by the clock: list, make, pause, catch up',
  plan: 'check, compile, draw and compare plans, without running them',
  store: 'make the database and its roles',
  receipts: 'signed receipts of runs: show the public key, sign what is new',
}

function groupOf(program: Command, name: string): Command {
  const known = program.commands.find((one) => one.name() === name || one.aliases().includes(name))
  if (known !== undefined) return known
  const members = COMMANDS.map(wordsOf).flatMap(([group, sub]) => (group === name && sub !== undefined ? [sub] : []))
  return program
    .command(name)
    .usage(members.join('|'))
    .description(GROUPS[name] ?? '')
    .helpCommand(false)
}

async function help(program: Command, topic: readonly string[], terminal: Terminal): Promise<number> {
  let command: Command | undefined = program
  for (const word of topic)
    command = command?.commands.find((one) => one.name() === word || one.aliases().includes(word))
  if (command !== undefined) {
    command.outputHelp()
    return EXIT.completed
  }
  const { helpCode } = await import('./commands/help-code.ts')
  const names = COMMANDS.map((spec) => wordsOf(spec).join(' '))
  return helpCode(terminal, topic.join(' '), names)
}
