/** `keelson triggers`: runs of a server that start by signed deliveries. A secret is never an option: other users see command lines. */
import { cursorPages } from '../../../client/pages.ts'
import type { AnswerOf, BodyOf } from '../../../core/api/contract.ts'
import type * as api from '../../../core/api/triggers.ts'
import { didYouMean } from '../../../core/did-you-mean.ts'
import { LIMITS } from '../../../core/limits.ts'
import { fail } from '../../../core/problems/problem.ts'
import { readJsonOption } from '../files/run-input.ts'
import { readText } from '../files/text-file.ts'
import { needServer } from '../remote/server-client.ts'
import type { Call, Options } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { printTable } from '../terminal/table.ts'

type Trigger = AnswerOf<typeof api.getTrigger>
type Definition = BodyOf<typeof api.updateTrigger>

const SCHEMES = ['standard-webhooks', 'github', 'stripe'] as const

export async function listTriggers({ options, terminal }: Call): Promise<number> {
  const client = await needServer(options)
  const found: Trigger[] = []
  const pages = cursorPages<Trigger, string | undefined>(undefined, async (cursor) => {
    const { triggers, next } = await client.call('listTriggers', { query: cursor === undefined ? {} : { cursor } })
    return { items: triggers, next }
  })
  for await (const one of pages) found.push(one)
  if (options.json) for (const one of found) terminal.json(one)
  else if (found.length === 0) terminal.line('there are no triggers')
  else printTable(terminal, ['TRIGGER', 'PLAN', 'SIGNED AS', 'DELIVER TO'], found.map(cells))
  return EXIT.completed
}

function cells({ trigger, planId, planVersion = '', scheme, deliverTo }: Trigger): readonly string[] {
  return [trigger, `${planId} ${planVersion}`.trim(), scheme, deliverTo]
}

/** With its newest deliveries: what each started, or why it was refused. */
export async function showTrigger({ args, options, terminal }: Call): Promise<number> {
  const client = await needServer(options)
  const params = { trigger: args[0] ?? '' }
  const trigger = await client.call('getTrigger', { params })
  const { deliveries } = await client.call('listDeliveries', { params })
  if (options.json) terminal.json({ trigger, deliveries })
  else {
    terminal.line(`${terminal.paint.bold(trigger.trigger)}   ${trigger.planId}, signed as ${trigger.scheme}`)
    terminal.line(`  deliver to  ${client.url}${trigger.deliverTo}`)
    for (const { at, outcome, executionId = '', code = '', reason = '' } of deliveries)
      terminal.line(`  ${outcome.padEnd(10)}  ${[at, executionId, code, reason].filter(Boolean).join('   ')}`)
  }
  return EXIT.completed
}

export async function createTrigger({ args: [trigger = '', planId = ''], options, terminal }: Call): Promise<number> {
  const client = await needServer(options)
  const made = await client.call('createTrigger', { body: { trigger, ...definitionOf(planId, options) } })
  if (options.json) {
    terminal.json(made)
    return EXIT.completed
  }
  terminal.line(`${made.trigger} starts ${made.planId}; deliver to ${client.url}${made.deliverTo}`)
  if (made.secret !== undefined) terminal.line(`  secret   ${made.secret}   (it is shown only now)`)
  return EXIT.completed
}

/** All of it is said anew; its address stays, and its secret unless one is given. */
export async function updateTrigger({ args: [trigger = '', planId = ''], options, terminal }: Call): Promise<number> {
  const client = await needServer(options)
  const made = await client.call('updateTrigger', { params: { trigger }, body: definitionOf(planId, options) })
  if (options.json) terminal.json(made)
  else terminal.line(`${made.trigger} starts ${made.planId}; deliver to ${client.url}${made.deliverTo}`)
  return EXIT.completed
}

function definitionOf(planId: string, options: Options): Definition {
  const word = options.text('scheme') ?? fail('USAGE', `--scheme is missing; it is one of ${SCHEMES.join(', ')}`)
  const scheme =
    SCHEMES.find((one) => one === word) ??
    fail('USAGE', `--scheme is one of ${SCHEMES.join(', ')}, not '${word}'`, didYouMean(word, SCHEMES))
  const [planVersion, input, secretRef, file] = ['version', 'input', 'secretRef', 'secretFile'].map((name) =>
    options.text(name),
  )
  return {
    planId,
    scheme,
    ...(planVersion === undefined ? {} : { planVersion }),
    ...(input === undefined ? {} : { input: readJsonOption('--input', input) }),
    ...(secretRef === undefined ? {} : { secretRef }),
    ...(file === undefined
      ? {}
      : { secret: readText(file, 'USAGE', { bytes: LIMITS.headerBytes, code: 'USAGE' }).trim() }),
  }
}

/** The input that a body would give; starts nothing. */
export async function testTrigger({ args: [trigger = ''], options, terminal }: Call): Promise<number> {
  const client = await needServer(options)
  const given = options.text('data') ?? fail('USAGE', '--data is missing: the body of a delivery')
  const event = options.text('event')
  const body = { body: readJsonOption('--data', given), ...(event === undefined ? {} : { event }) }
  const { input } = await client.call('testTrigger', { params: { trigger }, body })
  if (options.json) terminal.json({ trigger, input })
  else terminal.line(JSON.stringify(input))
  return EXIT.completed
}

export async function deleteTrigger({ args: [trigger = ''], options, terminal }: Call): Promise<number> {
  const client = await needServer(options)
  await client.call('deleteTrigger', { params: { trigger } })
  if (options.json) terminal.json({ trigger, deleted: true })
  else terminal.line(`${trigger} is gone; runs that it started go on`)
  return EXIT.completed
}
