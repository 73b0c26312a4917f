/** Commands of the feed: who follows the logs, and what could not be delivered. */
import type { OptionSpec } from '../terminal/command.ts'
import type { Spec } from '../terminal/command-spec.ts'

const AS: OptionSpec = ['--as <user>', 'who does it, for the audit log; default local']

export const FEED_COMMANDS: readonly Spec[] = [
  {
    use: 'feed',
    about: 'list who follows the logs of runs, how far behind they are, and their dead letters',
    options: [AS],
    examples: ['keelson feed', 'keelson feed --json'],
    load: async () => (await import('../commands/feed.ts')).feed,
  },
  {
    use: 'feed dead-letters <subscriber> [id]',
    about: 'list the events that a subscriber could not be given, oldest first, or show one',
    options: [['--limit <count>', 'at most so many; default 100, at most 1000'], AS],
    examples: ['keelson feed dead-letters mail', 'keelson feed dead-letters mail 12-3 --json'],
    load: async () => (await import('../commands/feed.ts')).listLetters,
  },
  {
    use: 'feed redeliver <subscriber>',
    about: 'have dead letters delivered once more, by whoever follows under this name',
    options: [['--id <id...>', 'only these; default the oldest hundred'], AS],
    examples: ['keelson feed redeliver mail', 'keelson feed redeliver mail --id 12-3 --id 12-4'],
    load: async () => (await import('../commands/feed.ts')).redeliver,
  },
  {
    use: 'feed drop <subscriber> <id>',
    about: 'give a dead letter up: the subscriber never gets this event; asks first',
    options: [
      ['--reason <word>', 'handled-elsewhere, not-needed or never-taken; the audit log keeps it'],
      ['--yes', 'do not ask'],
      AS,
    ],
    examples: [
      'keelson feed drop mail 12-3 --reason not-needed',
      'keelson feed drop mail 12-3 --reason handled-elsewhere --yes',
    ],
    load: async () => (await import('../commands/feed.ts')).dropLetter,
  },
]
