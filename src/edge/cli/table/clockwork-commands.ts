/** Commands of what starts by the clock. */
import type { OptionSpec } from '../terminal/command.ts'
import type { Spec } from '../terminal/command-spec.ts'

const AS: OptionSpec = ['--as <user>', 'with --server: who does it, where the server lets you act for others']

export const CLOCKWORK_COMMANDS: readonly Spec[] = [
  {
    use: 'schedules list',
    about: 'list schedules with their next occurrence',
    options: [AS],
    examples: ['keelson schedules list', 'keelson schedules list --json'],
    load: async () => (await import('../commands/schedules.ts')).listSchedules,
  },
  {
    use: 'schedules show <schedule>',
    about: 'show the last and next ten occurrences of a schedule, and its backfills',
    options: [AS],
    examples: ['keelson schedules show nightly', 'keelson schedules show nightly --json'],
    load: async () => (await import('../commands/schedules.ts')).showSchedule,
  },
  {
    use: 'schedules create <schedule> <plan>',
    about: 'start a published plan by the clock of the server',
    options: [
      ['--cron <line>', 'minute, hour, day, month and weekday, or a word such as @daily'],
      ['--every <duration>', 'instead: after each such time'],
      ['--zone <zone>', 'the time zone of --cron; default UTC'],
      ['--version <version>', 'always this version of the plan; default the newest'],
      ['--input <json>', 'the input as JSON, a JSON file, or - for standard input'],
      ['--set <name=value...>', 'a field of the input'],
      ['--overlap <how>', 'while the run before goes on: allow, skip, queue or cancelOld; default skip'],
      ['--catch-up <how>', 'of missed occurrences: none, latest or all; default latest'],
      ['--catch-up-max <n>', 'with all: no more than so many; default 100'],
      ['--jitter <duration>', 'each occurrence is later by up to this time'],
      AS,
    ],
    examples: [
      `keelson schedules create nightly etl --cron '30 2 * * *' --zone Europe/Berlin`,
      `keelson schedules create often etl --every 15m --overlap queue --catch-up none`,
    ],
    load: async () => (await import('../commands/schedules.ts')).createSchedule,
  },
  {
    use: 'schedules pause <schedule>',
    about: 'pause a schedule; what comes meanwhile is passed over',
    options: [
      ['--until <when>', 'a time such as 2h or 7d, a day or an instant; default until it is resumed'],
      ['--reason <text>', 'why'],
      AS,
    ],
    examples: ['keelson schedules pause nightly', 'keelson schedules pause nightly --until 7d --reason "stock count"'],
    load: async () => (await import('../commands/schedules.ts')).pauseSchedule,
  },
  {
    use: 'schedules resume <schedule>',
    about: 'resume a schedule at its next occurrence after now',
    options: [AS],
    examples: ['keelson schedules resume nightly', 'keelson schedules resume nightly --json'],
    load: async () => (await import('../commands/schedules.ts')).resumeSchedule,
  },
  {
    use: 'schedules backfill <schedule>',
    about: 'count the occurrences of a time that has passed, and with --yes start those that did not run',
    options: [
      ['--from <when>', 'an age such as 7d, a day or an instant'],
      ['--to <when>', 'the same'],
      ['--concurrency <n>', 'so many runs at once; default 1'],
      ['--yes', 'start it'],
      AS,
    ],
    examples: [
      'keelson schedules backfill nightly --from 7d --to 1d',
      'keelson schedules backfill nightly --from 7d --to 1d --concurrency 4 --yes',
    ],
    load: async () => (await import('../commands/schedules.ts')).backfillSchedule,
  },
  {
    use: 'schedules delete <schedule>',
    about: 'remove a schedule; runs that it started go on',
    options: [AS],
    examples: ['keelson schedules delete nightly', 'keelson schedules delete nightly --json'],
    load: async () => (await import('../commands/schedules.ts')).deleteSchedule,
  },
]
