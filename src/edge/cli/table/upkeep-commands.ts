/** Commands around the state folder: what runs share, what must last, and whether all is well. */
import { REASON, type Spec } from './spec.ts'

export const UPKEEP_COMMANDS: readonly Spec[] = [
  {
    use: 'doctor',
    about: 'is everything here as it should be, and what to do if not',
    examples: ['keelson doctor', 'keelson doctor --json'],
    load: async () => (await import('../commands/doctor.ts')).doctor,
  },
  {
    use: 'resources',
    about: 'agents and resources that runs share: in use, capacity, waiting',
    examples: ['keelson resources', 'keelson resources --json'],
    load: async () => (await import('../commands/resources.ts')).resources,
  },
  {
    use: 'resources set <name>',
    about: 'declare a resource, or the limit of agent:<id>',
    options: [
      ['--capacity <units>', 'how many units there are'],
      ['--per <ms>', 'so many units every so many milliseconds, instead of at once'],
    ],
    examples: ['keelson resources set gpu --capacity 2', 'keelson resources set api --capacity 10 --per 1000'],
    load: async () => (await import('../commands/resources.ts')).setResource,
  },
  {
    use: 'verify <run>',
    about: "check that a run's log, or a bundle file, was not altered",
    options: [
      ['--key <public key>', 'only receipts of this key count, and there must be some'],
      ['--receipts <folder>', 'a copy of the receipts, instead of the ones kept here'],
    ],
    examples: ['keelson verify last', 'keelson verify order.jsonl --key "$KEY"'],
    load: async () => (await import('../commands/verify.ts')).verify,
  },
  {
    use: 'export <run>',
    about: 'a run as one self-contained bundle, to a file or to stdout',
    options: [['--out <file>', 'write it there, and prove what was written']],
    examples: ['keelson export last > order.jsonl', 'keelson export last --out order.jsonl'],
    load: async () => (await import('../commands/export.ts')).exportBundle,
  },
  {
    use: 'archive [run]',
    about: 'move the logs of ended runs into bundle files',
    options: [
      ['--older-than <age>', 'runs that ended so long ago, such as 12h; default 90d'],
      ['--to <folder>', 'where bundles go; default archive in the state folder'],
      ['--dry-run', 'say what would be archived, and do nothing'],
      ['--force', 'also what subscribers have not read yet: they never will'],
    ],
    examples: ['keelson archive --older-than 90d --dry-run', 'keelson archive 1a2b3c4d'],
    load: async () => (await import('../commands/archive.ts')).archive,
  },
  {
    use: 'erase <run>',
    about: 'delete inputs, outputs and messages of an ended run; the log records it',
    options: [REASON, ['--yes', 'do not ask']],
    examples: [
      'keelson erase 1a2b3c4d --reason "request 4711"',
      'keelson erase 1a2b3c4d --reason "request 4711" --yes',
    ],
    load: async () => (await import('../commands/erase.ts')).erase,
  },
  {
    use: 'receipts key',
    about: 'the public key that signs receipts; note it elsewhere',
    examples: ['keelson receipts key', 'keelson receipts key --json'],
    load: async () => (await import('../commands/receipts.ts')).receiptsKey,
  },
  {
    use: 'receipts issue',
    about: 'sign the starts and ends of runs that were not signed yet',
    examples: ['keelson receipts issue', 'keelson receipts issue --dir /srv/orders/.keelson'],
    load: async () => (await import('../commands/receipts.ts')).receiptsIssue,
  },
  {
    use: 'backup <file>',
    about: 'a consistent copy of the database while runs go on',
    examples: ['keelson backup orders.db', 'keelson backup "backup-$(date +%F).db"'],
    load: async () => (await import('../commands/backup.ts')).backup,
  },
  {
    use: 'restore <file>',
    about: 'put a backup in place and recover its runs',
    options: [['--force', 'replace the database that is there; it is kept beside the new one']],
    examples: ['keelson restore orders.db', 'keelson restore backup-2026-11-15.db --force'],
    load: async () => (await import('../commands/restore.ts')).restore,
  },
  {
    use: 'recover',
    about: 'recover the runs of a database that was restored or failed over by its own tools',
    options: [['--yes', 'do not ask']],
    examples: ['keelson recover --store postgres://keelson@db.internal/keelson', 'keelson recover --yes --json'],
    load: async () => (await import('../commands/recover.ts')).recover,
  },
  {
    use: 'completion <shell>',
    about: 'completion of this command for bash, zsh or fish',
    examples: [
      'eval "$(keelson completion bash)"',
      'keelson completion fish > ~/.config/fish/completions/keelson.fish',
    ],
    load: async () => (await import('../commands/completion.ts')).completion,
  },
]
