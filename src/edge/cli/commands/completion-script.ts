/**
 * Completion scripts, made from the table of commands: words, subcommands, options with their meaning, and the signals.
 * The shell itself completes everything else as a file name.
 */
import { SIGNAL_TYPES } from '../../../core/run/signals/catalogue.ts'
import type { CommandSketch, OptionSpec } from '../terminal/command.ts'
import { EVERYWHERE, wordsOf } from '../terminal/command-spec.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

interface Flag {
  /** With its dashes. */
  readonly names: readonly string[]
  readonly about: string
  readonly takesValue: boolean
}

interface Entry {
  readonly words: readonly string[]
  readonly about: string
  readonly flags: readonly Flag[]
}

function flagOf([flags, about]: OptionSpec): Flag {
  return { names: flags.match(/--?[a-z][a-z-]*/g) ?? [], about, takesValue: flags.includes('<') }
}

const HELP: OptionSpec = ['-h, --help', 'this help']

/** All the words a script needs. */
interface Vocabulary {
  readonly entries: readonly Entry[]
  readonly first: readonly string[]
  /** By first word: the words that may follow it. */
  readonly groups: ReadonlyMap<string, readonly string[]>
}

function vocabularyOf(table: readonly CommandSketch[]): Vocabulary {
  const entries = [
    ...table.map((spec) => ({
      words: wordsOf(spec),
      about: spec.about,
      flags: [...(spec.options ?? []), ...EVERYWHERE, HELP].map(flagOf),
    })),
    { words: ['help'], about: 'show the help of a command or an error code', flags: [] },
  ]
  const first = [...new Set(entries.map(({ words }) => words[0] ?? ''))]
  const followers = (group: string): readonly string[] =>
    entries.flatMap(({ words }) => (words[0] === group && words[1] !== undefined ? [words[1]] : []))
  const groups = first.map((word) => [word, followers(word)] as const).filter(([, words]) => words.length > 0)
  return { entries, first, groups: new Map(groups) }
}

const SIGNAL_WORDS = SIGNAL_TYPES.map((type) => type.toLowerCase().replaceAll('_', '-'))
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Arms of a `case`: the options by the words of the command. */
function optionArms({ entries }: Vocabulary): string {
  const arm = ({ words, flags }: Entry): string =>
    `    ${quoted(words.join(' '))}) options=${quoted(flags.flatMap(({ names }) => names).join(' '))} ;;`
  return entries.map(arm).join('\n')
}

function groupArms({ groups }: Vocabulary): string {
  return [...groups].map(([word, words]) => `    ${word}) list=${quoted(words.join(' '))} ;;`).join('\n')
}

const bash = (words: Vocabulary): string => `# keelson completion for bash:  eval "$(keelson completion bash)"
_keelson() {
  local current="\${COMP_WORDS[COMP_CWORD]}" command="\${COMP_WORDS[1]}" list='' options=''
  case "$command" in
${groupArms(words)}
  esac
  if [[ -n $list && " $list " == *" \${COMP_WORDS[2]} "* && $COMP_CWORD -gt 2 ]]; then
    command="$command \${COMP_WORDS[2]}"
    list=''
  fi
  case "$command" in
${optionArms(words)}
  esac
  if [[ $COMP_CWORD -eq 1 ]]; then list=${quoted(words.first.join(' '))}
  elif [[ $current == -* ]]; then list="$options"
  elif [[ $command == signal && $COMP_CWORD -eq 3 ]]; then list=${quoted(SIGNAL_WORDS.join(' '))}
  elif [[ $command == completion && $COMP_CWORD -eq 2 ]]; then list='${SHELLS.join(' ')}'
  elif [[ $command == help && $COMP_CWORD -eq 2 ]]; then list=${quoted(words.first.join(' '))}
  elif [[ $COMP_CWORD -ne 2 ]]; then list=''
  fi
  COMPREPLY=($(compgen -W "$list" -- "$current"))
}
complete -o default -F _keelson keelson
`

/** The same words as in bash, whose completions zsh can load. */
const zsh = (words: Vocabulary): string => `#compdef keelson
# keelson completion for zsh:  eval "$(keelson completion zsh)"
_keelson() {
  local command="\${words[2]}" options='' list=''
  case "$command" in
${groupArms(words)}
  esac
  if [[ -n $list && " $list " == *" \${words[3]} "* && $CURRENT -gt 3 ]]; then
    command="$command \${words[3]}"
    list=''
  fi
  case "$command" in
${optionArms(words)}
  esac
  if [[ $CURRENT -eq 2 ]]; then list=${quoted(words.first.join(' '))}
  elif [[ \${words[CURRENT]} == -* ]]; then list="$options"
  elif [[ $command == signal && $CURRENT -eq 4 ]]; then list=${quoted(SIGNAL_WORDS.join(' '))}
  elif [[ $command == completion && $CURRENT -eq 3 ]]; then list='${SHELLS.join(' ')}'
  elif [[ $command == help && $CURRENT -eq 3 ]]; then list=${quoted(words.first.join(' '))}
  elif [[ $CURRENT -ne 3 ]]; then list=''
  fi
  if [[ -n $list ]]; then compadd -- \${=list}; else _files; fi
}
if [[ $funcstack[1] == _keelson ]]; then _keelson "$@"; else compdef _keelson keelson; fi
`

function fish({ entries, first }: Vocabulary): string {
  const firsts = first.map((word) => {
    const about = entries.find(({ words }) => words[0] === word && words.length === 1)?.about ?? `${word} …`
    return `complete -c keelson -n __fish_use_subcommand -f -a ${word} -d ${quoted(about)}`
  })
  const subs = entries.flatMap(({ words: [group, sub], about }) =>
    sub === undefined
      ? []
      : [`complete -c keelson -n ${quoted(`__fish_seen_subcommand_from ${group}`)} -f -a ${sub} -d ${quoted(about)}`],
  )
  const flags = entries.flatMap(({ words, flags: own }) => {
    const seen = quoted(words.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and '))
    return own.map(({ names, about, takesValue }) => {
      const each = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
      return `complete -c keelson -n ${seen} ${each.join(' ')}${takesValue ? ' -r' : ''} -d ${quoted(about)}`
    })
  })
  const more = [
    ['signal', SIGNAL_WORDS],
    ['completion', SHELLS],
    ['help', first],
  ] as const
  const named = more.map(
    ([word, list]) =>
      `complete -c keelson -n ${quoted(`__fish_seen_subcommand_from ${word}`)} -f -a ${quoted(list.join(' '))}`,
  )
  return [
    '# keelson completion for fish:  keelson completion fish > ~/.config/fish/completions/keelson.fish',
    ...firsts,
    ...subs,
    ...named,
    ...flags,
    '',
  ].join('\n')
}

const SCRIPTS: { readonly [shell in Shell]: (words: Vocabulary) => string } = { bash, zsh, fish }

export function completionScript(shell: Shell, table: readonly CommandSketch[]): string {
  return SCRIPTS[shell](vocabularyOf(table))
}
