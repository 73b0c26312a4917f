/** Commands around a plan file: begin one, check it, look at it, compare two. */
import { STEPS, type Spec } from './spec.ts'

export const PLAN_COMMANDS: readonly Spec[] = [
  {
    use: 'init [folder]',
    about: 'a new project with an example that runs at once',
    examples: ['keelson init', 'keelson init orders'],
    load: async () => (await import('../commands/init.ts')).init,
  },
  {
    use: 'plan check <file>',
    about: 'every problem of a plan, without running it',
    options: [STEPS],
    examples: ['keelson plan check plan.yaml', 'keelson plan check plan.yaml --steps other.steps.ts --json'],
    load: async () => (await import('../commands/plan-check.ts')).planCheck,
  },
  {
    use: 'plan compile <file>',
    about: 'the canonical JSON of a plan and its SHA-256',
    options: [['--out <file>', 'write it there']],
    examples: ['keelson plan compile plan.yaml --out plan.json', 'keelson plan compile plan.yaml | sha256sum'],
    load: async () => (await import('../commands/plan-compile.ts')).planCompile,
  },
  {
    use: 'plan import <workflow>',
    about: 'a plan made of a WorkflowV1 document',
    options: [
      ['--matrix <file...>', 'capability matrices: what the adapters can do, and how it is undone'],
      ['--out <file>', 'write the plan there, as JSON where the name ends in .json'],
    ],
    examples: [
      'keelson plan import workflow.json --out plan.yaml',
      'keelson plan import workflow.json --matrix finance.json --out plan.yaml',
    ],
    load: async () => (await import('../commands/plan-import.ts')).planImport,
  },
  {
    use: 'plan graph <file>',
    about: 'a picture of a plan, layer by layer',
    options: [['--format <format>', 'text, mermaid or dot; default text']],
    examples: ['keelson plan graph plan.yaml', 'keelson plan graph plan.yaml --format dot | dot -Tsvg > plan.svg'],
    load: async () => (await import('../commands/plan-graph.ts')).planGraph,
  },
  {
    use: 'conformance',
    about: 'play plans on several engines and compare their logs',
    options: [
      [
        '--engines <names>',
        'which, with commas between; the first is what the others are held against; default embedded,mock',
      ],
      ['--plans <path...>', 'plans or entries to play, files or folders; default the corpus that comes with Keelson'],
      ['--only <name...>', 'only entries of these names; * stands for anything'],
      ['--at-once <count>', 'so many entries are played at once; default 1'],
      ['--patience <ms>', 'how long an entry may take on an engine; default 60000'],
    ],
    examples: [
      'keelson conformance --engines embedded,mock',
      "keelson conformance --only 'child-*' --json",
      'keelson conformance --engines mock,mock --plans plan.yaml',
    ],
    load: async () => (await import('../commands/conformance.ts')).conformance,
  },
  {
    use: 'plan diff <old> <new>',
    about: 'what changed between two plans, and which runs are on the old one',
    examples: ['keelson plan diff plan.yaml new-plan.yaml', 'keelson plan diff old.json plan.yaml --json'],
    load: async () => (await import('../commands/plan-diff.ts')).planDiff,
  },
]
