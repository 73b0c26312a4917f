/** Commands for a plan file: begin one, check it, show it, compare two. */
import { REPLACE_VERSION, STEPS, type Spec } from '../terminal/command-spec.ts'

export const PLAN_COMMANDS: readonly Spec[] = [
  {
    use: 'init [folder]',
    about: 'make a new project with a working example',
    examples: ['keelson init', 'keelson init orders'],
    load: async () => (await import('../commands/init.ts')).init,
  },
  {
    use: 'plan check <file>',
    about: 'list every problem of a plan without running it',
    options: [STEPS, ['--engine <name>', 'the engine that must have what it requires; default embedded']],
    examples: [
      'keelson plan check plan.yaml',
      'keelson plan check plan.yaml --steps other.steps.ts --json',
      'keelson plan check plan.yaml --engine temporal',
    ],
    load: async () => (await import('../commands/plan-check.ts')).planCheck,
  },
  {
    use: 'plan compile <file>',
    about: 'show the canonical JSON of a plan and its SHA-256',
    options: [['--out <file>', 'write it to this file']],
    examples: ['keelson plan compile plan.yaml --out plan.json', 'keelson plan compile plan.yaml | sha256sum'],
    load: async () => (await import('../commands/plan-compile.ts')).planCompile,
  },
  {
    use: 'plan hash <file>',
    about: 'show the SHA-256 of a file as it is, and of the plan that is made of it',
    examples: ['keelson plan hash plan.yaml', 'keelson plan hash workflow.json --json'],
    load: async () => (await import('../commands/plan-hash.ts')).planHash,
  },
  {
    use: 'plan list [plan]',
    about: 'list published plans with their newest version, or all versions of one',
    examples: ['keelson plan list', 'keelson plan list --json'],
    load: async () => (await import('../commands/plan-list.ts')).planList,
  },
  {
    use: 'plan publish <file>',
    about: 'publish a plan: plan steps and programs find it by its id',
    options: [REPLACE_VERSION],
    examples: [
      'keelson plan publish ship.yaml',
      'keelson plan publish ship.yaml --store postgres://db.internal/keelson',
    ],
    load: async () => (await import('../commands/plan-publish.ts')).planPublish,
  },
  {
    use: 'plan import <workflow>',
    about: 'make a plan from a document of orchestr8, dvt or Portarium',
    options: [
      ['--from <project>', 'orchestr8, dvt or portarium; default: told by its shape'],
      ['--matrix <file...>', 'capability matrices: operations of the adapters and their compensations'],
      ['--out <file>', 'write the plan to this file, as JSON if the name ends in .json'],
    ],
    examples: [
      'keelson plan import workflow.json --out plan.yaml',
      'keelson plan import workflow.json --matrix finance.json --out plan.yaml',
    ],
    load: async () => (await import('../commands/plan-import.ts')).planImport,
  },
  {
    use: 'plan graph <file>',
    about: 'draw a plan, layer by layer',
    options: [['--format <format>', 'text, mermaid or dot; default text']],
    examples: ['keelson plan graph plan.yaml', 'keelson plan graph plan.yaml --format dot | dot -Tsvg > plan.svg'],
    load: async () => (await import('../commands/plan-graph.ts')).planGraph,
  },
  {
    use: 'conformance',
    about: 'run plans on several engines and compare their logs',
    options: [
      [
        '--engines <names>',
        'engines, separated by commas; the others are compared with the first; default embedded,mock',
      ],
      ['--plans <path...>', 'plans or entries to run, files or folders; default: the corpus of Keelson'],
      ['--only <name...>', 'only entries with these names; * matches anything'],
      ['--at-once <count>', 'number of entries that run at once; default 1'],
      ['--patience <time>', 'time limit for an entry on one engine, such as 2m; default 60s'],
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
    about: 'show what changed between two plans, files or published ones, and which runs use the old one',
    examples: [
      'keelson plan diff plan.yaml new-plan.yaml',
      'keelson plan diff old.json plan.yaml --json',
      'keelson plan diff order@1.0.0 order@1.1.0 --server https://keelson.example.com',
    ],
    load: async () => (await import('../commands/plan-diff.ts')).planDiff,
  },
]
