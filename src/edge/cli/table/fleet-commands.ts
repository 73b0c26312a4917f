/** Commands of operations on many runs at once. */
import type { OptionSpec } from '../terminal/command.ts'
import type { Spec } from '../terminal/command-spec.ts'

const AS: OptionSpec = ['--as <user>', 'who does it; recorded in the log of each run; default local']
const CHOSEN: readonly OptionSpec[] = [
  ['--status <status...>', 'only runs with these statuses, such as RUNNING or PAUSED'],
  ['--plan <id>', 'only runs of this plan'],
  ['--since <when>', 'created since then: 2h, 7d, 2026-11-15 or an instant'],
  ['--until <when>', 'created before then'],
  ['--label <name=value...>', 'runs with this label, of their plan or made of their input'],
]
const SIGNAL: readonly OptionSpec[] = [
  [
    '--reason <text>',
    'why; recorded in the log. Required by update-params, inject-override, update-target and emergency-stop',
  ],
  ['--step <id>', 'the step of the signal'],
  ['--set <key=value...>', 'fields of update-params, inject-override and update-target'],
  ['--from <step>', 'for retry-run: repeat this step and everything after it'],
  ['--undo', 'for cancel: undo what the run has finished before it ends'],
]

export const FLEET_COMMANDS: readonly Spec[] = [
  {
    use: 'fleet preview <signal>',
    about: 'count the runs that a signal would go to, and say which would refuse it and why; sends nothing',
    options: [...CHOSEN, ...SIGNAL, AS],
    examples: [
      'keelson fleet preview pause --plan order --status RUNNING',
      'keelson fleet preview cancel --label team=logistics --since 24h --json',
    ],
    load: async () => (await import('../commands/fleet.ts')).previewFleet,
  },
  {
    use: 'fleet start <signal>',
    about: 'send a signal to all runs that match; without --yes it only says how many there are',
    options: [
      ...CHOSEN,
      ...SIGNAL,
      ['--preview <sha256>', 'only if the same runs match as in this preview'],
      ['--id <uuid>', 'the id of the operation; the same id counts once'],
      ['--yes', 'begin it'],
      AS,
    ],
    examples: [
      'keelson fleet start pause --plan order --status RUNNING',
      'keelson fleet start pause --plan order --status RUNNING --reason "stock count" --yes',
    ],
    load: async () => (await import('../commands/fleet.ts')).startFleet,
  },
  {
    use: 'fleet list',
    about: 'list operations on many runs, newest first',
    options: [AS],
    examples: ['keelson fleet list', 'keelson fleet list --json'],
    load: async () => (await import('../commands/fleet.ts')).listFleet,
  },
  {
    use: 'fleet show <operation>',
    about: 'show how far an operation is, and which runs refused it',
    options: [AS],
    examples: [
      'keelson fleet show 0b6f5f1e-6a43-4c52-9a3b-1f6b8f0f8a11',
      'keelson fleet show 0b6f5f1e-6a43-4c52-9a3b-1f6b8f0f8a11 --json',
    ],
    load: async () => (await import('../commands/fleet.ts')).showFleet,
  },
  {
    use: 'fleet abort <operation>',
    about: 'abort an operation: runs whose turn has not come get no signal',
    options: [['--reason <text>', 'why'], AS],
    examples: [
      'keelson fleet abort 0b6f5f1e-6a43-4c52-9a3b-1f6b8f0f8a11 --reason "wrong plan"',
      'keelson fleet abort 0b6f5f1e-6a43-4c52-9a3b-1f6b8f0f8a11 --json',
    ],
    load: async () => (await import('../commands/fleet.ts')).abortFleet,
  },
]
