/** `keelson decisions`: signals of a server's runs that wait for a second person, and what that person says. */
import type { AnswerOf } from '../../../core/api/contract.ts'
import type { acceptDecision } from '../../../core/api/acts.ts'
import { cursorPages } from '../../../client/pages.ts'
import { needServer } from '../remote/server-client.ts'
import type { Call } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { oneLine, shortId } from '../terminal/format.ts'
import { printTable } from '../terminal/table.ts'
import { wordOf } from './signal.ts'

const TEXT_CHARS = 80

type Decision = AnswerOf<typeof acceptDecision>

export async function decisions({ options, terminal }: Call): Promise<number> {
  const client = await needServer(options)
  const state = options.flag('all') ? {} : { state: 'PENDING' as const }
  const found: Decision[] = []
  const pages = cursorPages<Decision, string | undefined>(undefined, async (cursor) => {
    const query = { ...state, ...(cursor === undefined ? {} : { cursor }) }
    const page = await client.call('listDecisions', { query })
    return { items: page.decisions, next: page.next }
  })
  for await (const one of pages) found.push(one)
  if (options.json) for (const one of found) terminal.json(one)
  else if (found.length === 0)
    terminal.line(options.flag('all') ? 'there are no decisions' : 'nothing waits for a second person')
  else printTable(terminal, ['DECISION', 'RUN', 'SIGNAL', 'STATE', 'ASKED BY', 'REASON'], found.map(cells))
  return EXIT.completed
}

/** Why it was asked for; once it is decided, what the second person said. */
function cells({ signalDecisionId, executionId, signalType, decision, audit, ...rest }: Decision): readonly string[] {
  const why = rest.reason ?? rest.signalPayload?.['reason'] ?? ''
  const who = String(audit['actorId'] ?? '')
  return [signalDecisionId, shortId(executionId), wordOf(signalType), decision, who, oneLine(String(why), TEXT_CHARS)]
}

export async function acceptSignal(call: Call): Promise<number> {
  return settle(call, 'acceptDecision')
}

export async function refuseSignal(call: Call): Promise<number> {
  return settle(call, 'refuseDecision')
}

async function settle({ args, options, terminal }: Call, route: 'acceptDecision' | 'refuseDecision'): Promise<number> {
  const client = await needServer(options)
  const reason = options.text('reason')
  const asked = { params: { decisionId: args[0] ?? '' }, body: reason === undefined ? {} : { reason } }
  const settled = await client.call(route, asked)
  if (options.json) terminal.json(settled)
  else
    terminal.line(
      `${wordOf(settled.signalType)} of run ${shortId(settled.executionId)} is ${route === 'acceptDecision' ? 'accepted' : 'refused'}`,
    )
  return EXIT.completed
}
