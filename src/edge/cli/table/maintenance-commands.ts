/** Commands for the state folder: what runs share, what must last, and whether everything is in order. */
import { REASON, TEMPORAL_OPTIONS, type Spec } from '../terminal/command-spec.ts'

const OF_TENANT = ['--tenant <id>', 'whose; default local, and of a server the tenant who asks'] as const

export const MAINTENANCE_COMMANDS: readonly Spec[] = [
  {
    use: 'doctor',
    about: 'check the installation and show what to do',
    examples: ['keelson doctor', 'keelson doctor --json'],
    load: async () => (await import('../commands/doctor.ts')).doctor,
  },
  {
    use: 'store init',
    about: 'make the database, or its tables on a server; with --roles also the database roles',
    options: [
      ['--roles', 'on PostgreSQL: roles for owner, runner and archivist, each with the least rights'],
      ['--tenant <id>', 'with --roles: a runner that sees and writes only the data of this tenant'],
      ['--runner <login...>', 'with --roles: logins that become runners'],
      ['--archivist <login...>', 'with --roles: logins that become archivists'],
    ],
    examples: [
      'keelson store init --roles --runner keelson_app --store postgres://postgres@db.internal/keelson',
      'keelson store init --roles --tenant acme --runner acme_app --json',
    ],
    load: async () => (await import('../commands/store-init.ts')).storeInit,
  },
  {
    use: 'resources',
    about: 'list shared agents and resources: in use, capacity, waiting',
    examples: ['keelson resources', 'keelson resources --json'],
    load: async () => (await import('../commands/resources.ts')).resources,
  },
  {
    use: 'resources set <name>',
    about: 'declare the capacity of a resource or of agent:<id>',
    options: [
      ['--capacity <units>', 'number of units'],
      ['--per <time>', 'the units are for each period of this length, such as 1s or 1m, instead of at once'],
    ],
    examples: ['keelson resources set gpu --capacity 2', 'keelson resources set api --capacity 10 --per 1000'],
    load: async () => (await import('../commands/resources.ts')).setResource,
  },
  {
    use: 'workers',
    about: 'list remote workers that ask for steps: queues, functions, when they last asked',
    options: [OF_TENANT],
    examples: ['keelson workers', 'keelson workers --tenant acme --json'],
    load: async () => (await import('../commands/workers.ts')).workers,
  },
  {
    use: 'limits',
    about: 'list the limits for starts of a tenant, and who set them',
    options: [OF_TENANT],
    examples: ['keelson limits', 'keelson limits --tenant acme --json'],
    load: async () => (await import('../commands/limits.ts')).limits,
  },
  {
    use: 'limits set <name>',
    about: 'limit starts: tenant, plan:<planId>, or key:<planId> for each concurrencyKey of a plan',
    options: [
      OF_TENANT,
      ['--max-running <n>', 'runs at once'],
      ['--rate-per-minute <n>', 'starts in a minute'],
      ['--when-full <mode>', 'reject, queue, delay or replace-oldest; default queue'],
      ['--priority <n>', 'lower goes first among those that wait; default 0'],
      ['--max-concurrent-steps <n>', 'of the tenant: the most that a plan may ask for as its concurrency'],
      ['--as <name>', 'who sets it'],
    ],
    examples: [
      'keelson limits set tenant --max-running 20',
      'keelson limits set plan:order --rate-per-minute 60 --when-full reject',
    ],
    load: async () => (await import('../commands/limits.ts')).setLimit,
  },
  {
    use: 'limits remove <name>',
    about: 'take a limit for starts away: what waits for it starts',
    options: [OF_TENANT],
    examples: ['keelson limits remove tenant', 'keelson limits remove plan:order --json'],
    load: async () => (await import('../commands/limits.ts')).removeLimit,
  },
  {
    use: 'pauses',
    about: 'list what pauses a whole plan or tenant',
    options: [OF_TENANT, ...TEMPORAL_OPTIONS],
    examples: ['keelson pauses', 'keelson pauses --json'],
    load: async () => (await import('../commands/pauses.ts')).pauses,
  },
  {
    use: 'pauses set <scope>',
    about: 'pause every run of tenant or plan:<planId>, also those that start meanwhile',
    options: [OF_TENANT, REASON, ...TEMPORAL_OPTIONS],
    examples: ['keelson pauses set plan:order --reason "stock count"', 'keelson pauses set tenant'],
    load: async () => (await import('../commands/pauses.ts')).setPause,
  },
  {
    use: 'pauses lift <scope>',
    about: 'end such a pause: what it paused goes on, what a person paused stays paused',
    options: [OF_TENANT, ...TEMPORAL_OPTIONS],
    examples: ['keelson pauses lift plan:order', 'keelson pauses lift tenant --json'],
    load: async () => (await import('../commands/pauses.ts')).liftPause,
  },
  {
    use: 'verify [run]',
    about: 'check that a run, a bundle file or the whole store was not altered',
    options: [
      ['--store [url]', 'check the whole store: every run, plan and row, and runs that only receipts know'],
      ['--audit', 'check the audit logs of all tenants: their chains and signatures'],
      ['--key <public key>', 'count only receipts of this key; there must be at least one'],
      ['--receipts <folder>', 'a copy of the receipts, instead of the local ones'],
      ['--source <file>', 'the file that the plan was made of: it must be the one on record, and give the plan'],
    ],
    examples: [
      'keelson verify last',
      'keelson verify last --source plan.yaml',
      'keelson verify order.jsonl --key "$KEY"',
      'keelson verify --store',
      'keelson verify --audit',
    ],
    load: async () => (await import('../commands/verify.ts')).verify,
  },
  {
    use: 'export <run>',
    about: 'write a run as one self-contained bundle, to a file or to stdout',
    options: [['--out <file>', 'write it to this file, and check the file']],
    examples: ['keelson export last > order.jsonl', 'keelson export last --out order.jsonl'],
    load: async () => (await import('../commands/export.ts')).exportBundle,
  },
  {
    use: 'archive [run]',
    about: 'move the logs of ended runs into bundle files',
    options: [
      ['--older-than <age>', 'runs that ended at least this long ago, such as 12h; default 90d'],
      ['--to <folder>', 'folder for the bundles; default: archive in the state folder'],
      ['--dry-run', 'only show what would be archived'],
      ['--force', 'also archive events that subscribers have not read; they will never get them'],
    ],
    examples: ['keelson archive --older-than 90d --dry-run', 'keelson archive 1a2b3c4d'],
    load: async () => (await import('../commands/archive.ts')).archive,
  },
  {
    use: 'erase <run>',
    about: 'delete the inputs, outputs and messages of an ended run; the log records this',
    options: [REASON, ['--yes', 'do not ask']],
    examples: [
      'keelson erase 1a2b3c4d --reason "request 4711"',
      'keelson erase 1a2b3c4d --reason "request 4711" --yes',
    ],
    load: async () => (await import('../commands/erase.ts')).erase,
  },
  {
    use: 'receipts key',
    about: 'show the public key of receipts; keep a copy elsewhere',
    examples: ['keelson receipts key', 'keelson receipts key --json'],
    load: async () => (await import('../commands/receipts.ts')).receiptsKey,
  },
  {
    use: 'receipts issue',
    about: 'sign the starts and ends of runs that are not signed yet',
    examples: ['keelson receipts issue', 'keelson receipts issue --dir /srv/orders/.keelson'],
    load: async () => (await import('../commands/receipts.ts')).receiptsIssue,
  },
  {
    use: 'backup <file>',
    about: 'make a consistent copy of the database while runs are active',
    examples: ['keelson backup orders.db', 'keelson backup "backup-$(date +%F).db"'],
    load: async () => (await import('../commands/backup.ts')).backup,
  },
  {
    use: 'restore <file>',
    about: 'restore a backup and recover its runs',
    options: [['--force', 'replace the existing database; the old one is kept beside the new one']],
    examples: ['keelson restore orders.db', 'keelson restore backup-2026-11-15.db --force'],
    load: async () => (await import('../commands/restore.ts')).restore,
  },
  {
    use: 'recover',
    about: 'recover runs after the database server was restored or failed over',
    options: [['--yes', 'do not ask']],
    examples: ['keelson recover --store postgres://keelson@db.internal/keelson', 'keelson recover --yes --json'],
    load: async () => (await import('../commands/recover.ts')).recover,
  },
  {
    use: 'completion <shell>',
    about: 'print the completion script for bash, zsh or fish',
    examples: [
      'eval "$(keelson completion bash)"',
      'keelson completion fish > ~/.config/fish/completions/keelson.fish',
    ],
    load: async () => (await import('../commands/completion.ts')).completion,
  },
]
