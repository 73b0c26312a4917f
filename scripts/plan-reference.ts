/** The published schema of plans and their reference page, both made from the tables the parser reads with. */
import { ADAPTERS, CAPABILITIES, EMULATIONS } from '../src/core/plan/capability-names.ts'
import { isSection, type Field } from '../src/core/plan/fields.ts'
import { planSchema, planSections, type PlanSection } from '../src/core/plan/plan-schema.ts'
import type { GeneratedFile } from './generated-file.ts'

export function planFiles(): readonly GeneratedFile[] {
  return [
    { path: 'schemas/plan.schema.json', text: `${JSON.stringify(planSchema(), undefined, 2)}\n` },
    { path: 'docs/reference/plan.md', text: page() },
  ]
}

const INTRODUCTION = `# The plan

<!-- Generated from src/core/plan by \`npm run docs\`. -->

A plan says what is to be done: steps, what each needs from the others, and what happens when one fails. It is written in
YAML, JSON or TypeScript; all three compile to the same canonical JSON (RFC 8785), and the SHA-256 of those bytes is the
plan's identity. The compiled plan has every default of this page written out.

\`\`\`yaml
# yaml-language-server: $schema=../../schemas/plan.schema.json
plan: order-fulfilment
version: 1.4.0
steps:
  - id: reserve
    run: stock.reserve
    with: { orderId: "\${input.orderId}" }
    compensate: { run: stock.release, with: { id: "\${steps.reserve.output.id}" } }
  - id: charge
    dependsOn: [reserve]
    http: { url: https://pay.example/charges, body: { order: "\${input.orderId}" } }
    secrets: { authorization: secret://payments/token }
\`\`\`

Four fields have a short name: \`plan\` is \`metadata.planId\`, \`version\` is \`metadata.planVersion\`, \`requires\` is
\`metadata.requiresCapabilities\`, and \`id\` is \`stepId\`. Writing both names of one field is an error. Versions that look
like numbers need quotes in YAML: \`version: "1.10"\`.

A field this page does not list is refused, with a suggestion. A field whose name begins with \`x-\` is yours: it is kept in
the compiled plan and otherwise ignored. A value is never empty: leave a field out instead of writing nothing after it.
`

const RULES = `
## Rules between steps

- Ids are unique. \`RUN\`, \`__proto__\`, \`constructor\` and \`prototype\` are not allowed.
- A plan without any \`dependsOn\` runs its steps one after another. As soon as one step has \`dependsOn\`, even empty, the plan
  is a graph: a step without dependencies may start at once, and steps that do not wait for each other run side by side.
- Dependencies exist, and no steps wait for each other in a circle; the message names the circle (\`a -> b -> c -> a\`).
- Either no step has \`order\` (the position counts) or all have one, from 1 to the number of steps without holes.
- A step does exactly one thing: \`run\`, \`http\`, \`command\`, \`wait\`, \`manual\`, \`plan\` or \`dbt\`. A compensation or a fallback
  is one of \`run\`, \`http\`, \`command\`, \`dbt\`.
- \`compensate\` goes with the effects \`idempotent\` and \`compensatable\`, and not with \`wait\` or \`manual\` steps. A step whose
  effect is \`compensatable\` has \`compensate\`, unless it runs a child plan: what the child has finished is then undone by the
  hooks of its own plan, in a run of its own (\`compensationOf\`).
- \`command\` and \`dbt\` steps always run in a process of their own.

## Secrets

A plan holds references to secrets, never secrets: \`secret://\` followed by letters, digits, \`-\`, \`_\` and \`/\`. Wherever
your own values stand (\`with\`, headers, query, body, environment, context, output), a literal under a key called password,
token, secret or apiKey, in any spelling, is refused.

## Expressions

Expressions are [JMESPath](https://jmespath.org). In \`if\`, \`unless\`, \`forEach\` and \`transform\` they stand alone; in the texts of a
mapping they stand in \`\${…}\`. A text that is one whole \`\${…}\` keeps the type of its value, and within other text it becomes
text. \`$\${\` is a literal \`\${\`. An expression may be wrapped whole in \`if\`, \`unless\`, \`forEach\` and \`transform\` too.

| root | gives |
|---|---|
| \`input\` | the input of the run |
| \`steps.<id>.output\` | the output of a step that must have ended by then: an ancestor in a graph, an earlier step in a sequence. Null if it was skipped or failed; a list if it has \`forEach\`. Quote ids with dashes or dots: \`steps."pack-all".output\` |
| \`previous\` | the output of the only predecessor; refused where there is none or more than one |
| \`context\` | the variables of the run |
| \`item\`, \`index\` | in a step with \`forEach\`, but not in its \`if\`, \`unless\` and \`forEach\` |
| \`run\` | \`id\`, \`planId\`, \`planVersion\`, \`attempt\` |

A default is written \`||\`: \`input.city || 'Bern'\`. There are no variables and no environment. \`transform\` alone sees only the output of its step.
A compensation may read the output of its own step. The \`output\` of the plan may read every step.

## Limits of the text

8 MiB of UTF-8, 64 levels, 100,000 steps. YAML is version 1.2 with one document; tags, merge keys and other versions are
refused, and so are aliases that refer to themselves or expand to more than a plan may hold. Keys are text and written
once. Numbers are finite, and whole numbers lie within ±(2⁵³ − 1): write larger ones as text.
`

function page(): string {
  return [INTRODUCTION, ...planSections().map(sectionText), RULES, capabilities()]
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
}

function sectionText(section: PlanSection): string {
  const title = section.name === 'plan document' ? 'Fields of a plan' : `\`${section.name}\``
  const rows = Object.entries(section.fields).map(([name, field]) => row(name, field))
  return [
    `## ${title}`,
    '',
    '| field | kind | default | meaning | example |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

function row(name: string, field: Field<unknown>): string {
  const cells = [`\`${name}\``, kindText(field), defaultText(field), field.about, `\`${field.example}\``]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function kindText({ kind }: Field<unknown>): string {
  if (isSection(kind)) return `object, see [${kind.name}](#${kind.name.toLowerCase()})`
  if (kind.of !== undefined && isSection(kind.of)) return `list of [${kind.of.name}](#${kind.of.name.toLowerCase()})`
  return kind.what === 'a list of steps' ? 'list of [step](#step), 1 to 100,000' : kind.what
}

function defaultText({ presence, fallback, defaultText: told }: Field<unknown>): string {
  if (presence === 'required') return '**required**'
  if (told !== undefined) return told === 'required' ? '**required**' : told
  return fallback === undefined ? 'none' : `\`${JSON.stringify(fallback)}\``
}

function capabilities(): string {
  const engines = Object.values(ADAPTERS)
  const rows = Object.entries(CAPABILITIES).map(([constant, dotted]) => {
    const meant = dotted === 'history.rotation' ? 'workflow.continue.as.new' : dotted
    const cells = engines.map(({ capabilities: offered }) => (offered.includes(meant) ? 'yes' : '–'))
    return `| \`${dotted}\` | \`${constant}\` | ${cells.join(' | ')} | ${EMULATIONS[meant] ?? ''} |`
  })
  return [
    '## Capabilities',
    '',
    'A plan may require them in either spelling. An engine that lacks one refuses the plan, unless `fallbackBehavior` is',
    '`emulate` and an emulation is known, or `degrade`. A name that is not in this table is refused always.',
    '',
    `| capability | also | ${engines.map(({ adapter }) => adapter).join(' | ')} | emulated by |`,
    `|---|---|${engines.map(() => '---|').join('')}---|`,
    ...rows,
    '',
  ].join('\n')
}
