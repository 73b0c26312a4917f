/** Commands about what only a server has: its triggers, decisions that wait for a second person, its audit log. */
import type { OptionSpec } from '../terminal/command.ts'
import type { Spec } from '../terminal/command-spec.ts'

const AS: OptionSpec = ['--as <user>', 'who asks, where the server lets you act for others']
const REASON: OptionSpec = ['--reason <text>', 'why; it is on record']

const TRIGGER: readonly OptionSpec[] = [
  ['--scheme <name>', 'how deliveries are signed: standard-webhooks, github or stripe'],
  ['--version <version>', 'always this version of the plan; default the newest'],
  [
    '--input <json>',
    'the input as JSON or a JSON file, with expressions over input.body, input.event and input.deliveryId',
  ],
  ['--secret-ref <name>', 'the secret is this one of the server, such as secret://PUSH'],
  ['--secret-file <file>', 'the file with the secret; default: the server makes one and shows it once'],
  AS,
]

const AT = '--server https://keelson.example.com'

export const ASKING_COMMANDS: readonly Spec[] = [
  {
    use: 'decisions',
    about: 'list signals that wait for a second person',
    options: [['--all', 'also those that were decided'], AS],
    examples: [
      `keelson decisions ${AT}`,
      `keelson decisions --all --json ${AT}`,
      `keelson decisions --json ${AT}`,
      `keelson decisions --all --json --json ${AT}`,
    ],
    load: async () => (await import('../commands/decisions.ts')).decisions,
  },
  {
    use: 'decisions accept <decision>',
    about: 'accept a signal as the second person; it is applied once',
    options: [REASON, AS],
    examples: [
      `keelson decisions accept 0b6f5f1e-6a43-4c52-9a3b-1f6b8f0f8a11 --reason checked ${AT}`,
      `keelson decisions accept 0b6f5f1e-6a43-4c52-9a3b-1f6b8f0f8a11 --reason checked --json ${AT}`,
    ],
    load: async () => (await import('../commands/decisions.ts')).acceptSignal,
  },
  {
    use: 'decisions refuse <decision>',
    about: 'refuse a signal as the second person; it is never applied',
    options: [REASON, AS],
    examples: [
      `keelson decisions refuse 0b6f5f1e-6a43-4c52-9a3b-1f6b8f0f8a11 --reason "wrong run" ${AT}`,
      `keelson decisions refuse 0b6f5f1e-6a43-4c52-9a3b-1f6b8f0f8a11 --reason "wrong run" --json ${AT}`,
    ],
    load: async () => (await import('../commands/decisions.ts')).refuseSignal,
  },
  {
    use: 'triggers list',
    about: 'list triggers: signed deliveries to their addresses start runs',
    options: [AS],
    examples: [`keelson triggers list ${AT}`, `keelson triggers list --json ${AT}`],
    load: async () => (await import('../commands/triggers.ts')).listTriggers,
  },
  {
    use: 'triggers show <trigger>',
    about: 'show a trigger with its newest deliveries: what each started, or why it was refused',
    options: [AS],
    examples: [`keelson triggers show push ${AT}`, `keelson triggers show push --json ${AT}`],
    load: async () => (await import('../commands/triggers.ts')).showTrigger,
  },
  {
    use: 'triggers create <trigger> <plan>',
    about: 'start a published plan by signed deliveries',
    options: TRIGGER,
    examples: [
      `keelson triggers create push order --scheme github --input '{"name": "\${input.body.pusher}"}' ${AT}`,
      `keelson triggers create push order --scheme github --input '{"name": "\${input.body.pusher}"}' --json ${AT}`,
    ],
    load: async () => (await import('../commands/triggers.ts')).createTrigger,
  },
  {
    use: 'triggers update <trigger> <plan>',
    about: 'say anew what a trigger starts and how; its address stays, and its secret unless one is given',
    options: TRIGGER,
    examples: [
      `keelson triggers update push order --scheme github --version 2.0.0 ${AT}`,
      `keelson triggers update push order --scheme github --version 2.0.0 --json ${AT}`,
    ],
    load: async () => (await import('../commands/triggers.ts')).updateTrigger,
  },
  {
    use: 'triggers test <trigger>',
    about: 'show the input that a body would give; starts nothing',
    options: [
      ['--data <json>', 'the body as JSON, a JSON file, or - for standard input'],
      ['--event <name>', 'its kind'],
      AS,
    ],
    examples: [
      `keelson triggers test push --data '{"pusher": "Ana"}' ${AT}`,
      `keelson triggers test push --data '{"pusher": "Ana"}' --json ${AT}`,
    ],
    load: async () => (await import('../commands/triggers.ts')).testTrigger,
  },
  {
    use: 'triggers delete <trigger>',
    about: 'remove a trigger, its address and its list of deliveries',
    options: [AS],
    examples: [`keelson triggers delete push ${AT}`, `keelson triggers delete push --json ${AT}`],
    load: async () => (await import('../commands/triggers.ts')).deleteTrigger,
  },
  {
    use: 'audit',
    about: 'show who did what on a server, and who was refused what',
    options: [
      ['--actor <id>', 'only of this person or program'],
      ['--action <name>', 'only this action, such as RUN_CANCEL'],
      ['--target <id>', 'only about this run, plan or key'],
      ['--decision <word>', 'granted or denied'],
      ['--since <when>', 'an age such as 2h or 7d, a day or an instant'],
      ['--until <when>', 'the same'],
      ['--limit <count>', 'at most so many; default 100, with --json all, oldest first'],
      AS,
    ],
    examples: [
      `keelson audit --decision denied --since 7d ${AT}`,
      `keelson audit --json ${AT}`,
      `keelson audit --decision denied --since 7d --json ${AT}`,
      `keelson audit --json --json ${AT}`,
    ],
    load: async () => (await import('../commands/audit.ts')).audit,
  },
]
