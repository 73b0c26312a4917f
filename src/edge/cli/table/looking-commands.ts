/** Commands that show runs and change nothing. */
import { type Spec } from '../terminal/command-spec.ts'

export const LOOKING_COMMANDS: readonly Spec[] = [
  {
    use: 'runs',
    aliases: ['list', 'ls'],
    about: 'list runs, newest first; child runs under the run that started them',
    options: [
      ['--filter <text>', 'the filter of the page: status:failed plan:order since:24h error:HTTP_503 actor:ana'],
      ['--status <status...>', 'only runs with these statuses, such as RUNNING or FAILED'],
      ['--plan <id>', 'only runs of this plan'],
      ['--since <when>', 'created since then: 2h, 7d, 2026-11-15 or an instant'],
      ['--until <when>', 'created before then'],
      ['--request-id <id>', 'the run that was started with this request id'],
      ['--correlation-id <id>', 'runs connected by this id'],
      ['--label <name=value...>', 'runs with this label, of their plan or made of their input'],
      ['--limit <count>', 'at most this number of runs; default 20'],
      ['--cursor <cursor>', 'continue where a list ended'],
      ['--all', 'all runs'],
      ['--counts', 'number of runs in each status'],
    ],
    examples: [
      'keelson runs --status RUNNING PAUSED',
      'keelson runs --plan order --since 24h --all',
      'keelson runs --filter "status:failed since:24h error:HTTP_503"',
      'keelson runs --request-id order-17',
      'keelson runs --label team=logistics --since 7d',
      'keelson runs --counts',
    ],
    load: async () => (await import('../commands/runs.ts')).runs,
  },
  {
    use: 'ps',
    about: 'list runs that have not ended',
    options: [
      ['--plan <id>', 'only runs of this plan'],
      ['--all', 'all of them'],
    ],
    examples: ['keelson ps', 'keelson ps --plan order'],
    load: async () => (await import('../commands/runs.ts')).liveOnly,
  },
  {
    use: 'show <run> [step]',
    about: 'show a run, or a step or item of it: input, output, every attempt and error',
    options: [['--as <project>', 'how it stands, in the words of orchestr8 or portarium, as JSON']],
    examples: [
      'keelson show last',
      'keelson show 7f3a91c2 --json',
      'keelson show last pack',
      'keelson show last --as portarium',
    ],
    load: async () => (await import('../commands/show.ts')).show,
  },
  {
    use: 'events <run>',
    aliases: ['logs', 'log'],
    about: 'show the log of a run',
    options: [
      ['--after <runSeq>', 'only later events'],
      ['-f, --follow', 'show new events until the run ends'],
      ['--as <form>', 'as JSON lines that other programs read: s0, s1 or cloudevents'],
    ],
    examples: [
      'keelson events last',
      'keelson events 7f3a91c2 --after 12',
      'keelson events last --follow --json',
      'keelson events last --as cloudevents',
    ],
    load: async () => (await import('../commands/events.ts')).events,
  },
  {
    use: 'log import <file>',
    about: 'take in the log of a run that was made elsewhere, to read and verify it; nobody drives it here',
    options: [
      ['--key-version <version>', 'the formula of its idempotency keys: v1 (five parts) or v2 (six); default v1'],
      ['--strict', 'refuse a log with an event that is stored already; default: such events are counted'],
    ],
    examples: ['keelson log import run.s0.jsonl', 'keelson log import run.s0.jsonl --strict --json'],
    load: async () => (await import('../commands/log-import.ts')).logImport,
  },
  {
    use: 'journal <run>',
    about: 'show what was stored of a run, and when, by the clock of the store',
    options: [
      ['--since <when>', 'stored since then: 2h, 7d, 2026-11-15 or an instant'],
      ['--until <when>', 'stored before then'],
    ],
    examples: ['keelson journal last', 'keelson journal 7f3a91c2 --since 2h --json'],
    load: async () => (await import('../commands/journal.ts')).journal,
  },
  {
    use: 'evidence [run]',
    about: 'show what each attempt and each step of a run came to, as entries chained by hashes; or check such entries',
    options: [
      ['--check <file>', 'check that entries (evidence --json) were not altered, moved, removed or back-dated'],
    ],
    examples: ['keelson evidence last', 'keelson evidence last --json', 'keelson evidence --check evidence.jsonl'],
    load: async () => (await import('../commands/evidence.ts')).evidence,
  },
  {
    use: 'signals <run> [id]',
    about: 'show what was decided on the signals of a run, or on one of them',
    examples: ['keelson signals last', 'keelson signals 7f3a91c2 --json'],
    load: async () => (await import('../commands/signals.ts')).signals,
  },
  {
    use: 'why <run> [step]',
    about: 'explain the state of a run or a step, and what it waits for',
    options: [['--at <runSeq>', 'the state after this event']],
    examples: ['keelson why last', 'keelson why 7f3a91c2 pack', 'keelson why last pack --at 12'],
    load: async () => (await import('../commands/why.ts')).why,
  },
  {
    use: 'alerts [run]',
    about: 'show alerts about runs: clocks that differ, events out of order, alerts on record',
    options: [
      [
        '--since <when>',
        'of events stored since then: 2h, 7d, 2026-11-15 or an instant; default 24h, or all of one run',
      ],
    ],
    examples: ['keelson alerts', 'keelson alerts last', 'keelson alerts --since 7d --json'],
    load: async () => (await import('../commands/alerts.ts')).alerts,
  },
]
