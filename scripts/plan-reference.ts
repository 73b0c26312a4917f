/** The published schema of plans and their reference page, both made from the tables the parser reads with. */
import { ADAPTERS, CAPABILITIES, EMULATIONS } from '../src/core/engine/capabilities.ts'
import { isSection, type Field } from '../src/core/plan/format/fields.ts'
import { planSchema, planSections, type PlanSection } from '../src/core/plan/write/plan-schema.ts'
import type { GeneratedFile } from './generated-file.ts'

export function planFiles(): readonly GeneratedFile[] {
  return [
    { path: 'schemas/plan.schema.json', text: `${JSON.stringify(planSchema(), undefined, 2)}\n` },
    { path: 'docs/reference/plan.md', text: page() },
  ]
}

const INTRODUCTION = `# The plan

<!-- Generated from src/core/plan by \`npm run docs\`. -->

A plan declares the work: the steps, what each step needs from other steps, and what happens when a step fails. You can write a plan in
YAML, JSON or TypeScript. All three compile to the same canonical JSON (RFC 8785). The SHA-256 of those bytes is the
plan's identity. The compiled plan contains all defaults of this page.

\`\`\`yaml
# yaml-language-server: $schema=../../schemas/plan.schema.json
plan: order-fulfilment
version: 1.4.0
steps:
  - id: reserve
    run: stock.reserve
    with: { orderId: "\${input.orderId}" }
    timeout: 30s
    compensate: { run: stock.release }
  - id: charge
    dependsOn: [reserve]
    http: { url: https://pay.example/charges, body: { order: "\${input.orderId}" } }
    secrets: { authorization: secret://payments/token }
\`\`\`

Four fields have a short name: \`plan\` is \`metadata.planId\`, \`version\` is \`metadata.planVersion\`, \`requires\` is
\`metadata.requiresCapabilities\`, and \`id\` is \`stepId\`. Using both names of one field is an error. In YAML, versions that look
like numbers need quotes: \`version: "1.10"\`.

Every field that ends in \`Ms\` has a twin without it that takes text: \`timeout: 30s\` is \`timeoutMs: 30000\`. The text is a whole number and one
unit, \`ms\`, \`s\`, \`m\`, \`h\` or \`d\`: \`500ms\`, \`90s\`, \`2h\`, \`7d\`. Both compile to the same plan; using both is an error.

A field that is not on this page is refused, with a suggestion. A field whose name begins with \`x-\` is yours: it is kept in
the compiled plan and otherwise ignored. A value cannot be empty: leave the field out instead.
`

const RULES = `
## Rules between steps

- Ids are unique. \`RUN\`, \`__proto__\`, \`constructor\` and \`prototype\` are not allowed.
- The steps of a plan without any \`dependsOn\` run one after another. If one step has \`dependsOn\`, even an empty one, the plan
  is a graph: a step without dependencies may start at once, and independent steps run in parallel.
- All dependencies must exist, and steps must not depend on each other in a cycle. The message names the cycle (\`a -> b -> c -> a\`).
- Either no step has \`order\` (then the position counts), or all have one, from 1 to the number of steps without gaps.
- A step has exactly one of: \`run\`, \`http\`, \`command\`, \`wait\`, \`manual\`, \`plan\` or \`dbt\`. A compensation or a fallback
  has one of \`run\`, \`http\`, \`command\`, \`dbt\`.
- \`compensate\` is allowed with the effects \`idempotent\` and \`compensatable\`, but not in \`wait\` or \`manual\` steps. A step with the
  effect \`compensatable\` needs \`compensate\`, unless it runs a child plan. The finished work of a child is compensated by the
  compensations of the child's plan, in a separate run (\`compensationOf\`).
- A compensation without \`with\` gets \`{ input, output }\` of its step. An \`http\` action without \`method\` is a POST if it has a \`body\` or a
  \`with\` that is not empty (which is then the body), and a GET if not.
- With \`maxAttempts: unlimited\` the waits between attempts cannot be 0.
- \`command\` and \`dbt\` steps always run in a separate process.

## Secrets

A plan contains references to secrets, never secrets: \`secret://\` followed by letters, digits, \`-\`, \`_\` and \`/\`. This rule holds in all
your own values (\`with\`, headers, query, body, environment, labels, context, output, defaults of schemas): a key called
password, token, secret, apiKey or authorization, in any spelling (also \`DB_PASSWORD\`), takes exactly one reference:
\`secret://…\`, \`{ secretId, version }\`, or a path such as \`\${steps.login.output.token}\`, optionally after \`Bearer\`. Other text, a list or
an object is refused.

## Expressions

Expressions are [JMESPath](https://jmespath.org). In \`if\`, \`unless\`, \`forEach\` and \`transform\` write the expression alone, or as one whole \`\${…}\`. In the texts of a
mapping write it in \`\${…}\`. A text that is one whole \`\${…}\` keeps the type of its value; within other text the value becomes
text. \`$\${\` is a literal \`\${\`.

- \`input\`: the input of the run.
- \`steps.<id>.output\`: the output of a step that must have ended before: an ancestor in a graph, an earlier step in a sequence. It is null if the step was
  skipped or failed, and a list if the step has \`forEach\`. Quote ids with dashes or dots: \`steps."pack-all".output\`.
- \`previous\`: the output of the only predecessor. It is refused if there is none or more than one.
- \`context\`: the variables of the run.
- \`item\`, \`index\`: in a step with \`forEach\`, but not in its \`if\`, \`unless\` and \`forEach\`.
- \`run\`: \`id\`, \`planId\`, \`planVersion\`, \`attempt\`.
- \`step.input\`, \`step.output\`: only in \`compensate\`: what the step was given and what came of it. In a step with \`forEach\` they are those of
  the item, after a fallback those of the fallback.

A number beside a comparison or a sum, or in a call, needs no backticks here: \`length(input.items) > 3\`. The compiled plan has them, as JMESPath
wants it. Other literals need them: \`\\\`true\\\`\`; text stands in single quotes.

A function that cannot take its value fails the step: \`length(input.items)\` where there are no items. \`or_false(&(length(input.items) > 3))\` is the value of the
expression after \`&\`, or false where it cannot be evaluated; what is too expensive still fails.

Write a default with \`||\`: \`input.city || 'Bern'\`. There are no variables and no environment. A \`transform\` sees only the output of its step.
The \`output\` of the plan may read every step.

## Limits of the text

A plan may have 8 MiB of UTF-8, 64 levels and 100,000 steps. YAML is version 1.2 with one document. Tags, merge keys and other versions are
refused, and so are aliases that refer to themselves or expand to too much text. Keys are text, and each occurs
once. Numbers are finite, and whole numbers are within ±(2⁵³ − 1): write larger ones as text.
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
  const cells = [nameText(name, field), kindText(field), defaultText(field), field.about, `\`${field.example}\``]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

/** A field of milliseconds, and its twin that takes text. */
function nameText(name: string, { kind }: Field<unknown>): string {
  return kind.leastMs === undefined ? `\`${name}\`` : `\`${name}\`, or \`${name.replace(/Ms$/, '')}\` as text`
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
    'A plan may use either spelling. An engine that lacks a capability refuses the plan, unless `fallbackBehavior` is',
    '`emulate` and there is an emulation, or it is `degrade`. A name that is not in this table is always refused.',
    '',
    `| capability | other name | ${engines.map(({ adapter }) => adapter).join(' | ')} | emulated by |`,
    `|---|---|${engines.map(() => '---|').join('')}---|`,
    ...rows,
    '',
  ].join('\n')
}
