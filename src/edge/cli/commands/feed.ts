/** `keelson feed`: who follows the logs, how far behind, and what could not be delivered: looked at, delivered once more, given up. */
import { DROP_REASONS, DROP_WORDS, type DropReason } from '../../../core/feed/drop-reasons.ts'
import { shownSubscriber } from '../../../core/feed/subscriber.ts'
import { fail } from '../../../core/problems/problem.ts'
import { msFromIso } from '../../../core/time.ts'
import type { ShownLetter, ShownSubscriber } from '../../http/wire/feed-view.ts'
import { findSubscriber, openFeed, type FeedCalls } from '../open/feed.ts'
import type { Call, Options } from '../terminal/command.ts'
import { confirm } from '../terminal/confirm.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { duration, oneLine, plural, shortId, timeOfDay } from '../terminal/format.ts'
import { printTable } from '../terminal/table.ts'

const LETTERS = 100
const ERROR_CHARS = 200

async function withFeed(options: Options, act: (calls: FeedCalls) => Promise<void>): Promise<number> {
  const calls = await openFeed(options)
  try {
    await act(calls)
    return EXIT.completed
  } finally {
    await calls.close()
  }
}

export async function feed({ options, terminal }: Call): Promise<number> {
  return withFeed(options, async (calls) => {
    const found = await calls.subscribers()
    if (options.json) for (const one of found) terminal.json(one)
    else if (found.length === 0) terminal.line('nobody follows the logs of runs here')
    else
      printTable(
        terminal,
        ['SUBSCRIBER', 'RUNS BEHIND', 'EVENTS', 'OLDEST', 'FAILING', 'DEAD', ''],
        found.map((one) => cells(one, Date.now())),
      )
  })
}

function cells(one: ShownSubscriber, now: number): readonly string[] {
  const { subscriber, runsBehind, runsBlocked, eventsBehind, moreBehind, oldestAt, deadLetters, stalledByPid } = one
  const stall = stalledByPid === undefined ? '' : `FEED_STALLED by a transaction of process ${stalledByPid}`
  return [
    shownSubscriber(subscriber),
    String(runsBehind),
    `${eventsBehind}${moreBehind ? '+' : ''}`,
    oldestAt === undefined ? '' : duration(now - (msFromIso(oldestAt) ?? now)),
    String(runsBlocked),
    String(deadLetters),
    stall,
  ]
}

export async function listLetters({ args, options, terminal }: Call): Promise<number> {
  return withFeed(options, async (calls) => {
    const [word = '', letterId] = args
    const { subscriber, deadLetters: all } = await findSubscriber(calls, word)
    if (letterId !== undefined) {
      const found = await calls.deadLetter(subscriber, letterId)
      if (options.json) return terminal.json(found)
      const { eventType = 'an event that was archived', ofTenant, executionId, runSeq, error, at, askedAt } = found
      terminal.line(`${terminal.paint.bold(eventType)}   event ${runSeq} of run ${executionId}, tenant ${ofTenant}`)
      terminal.line(`  given up  ${at}`)
      terminal.line(`  error     ${oneLine(error, ERROR_CHARS)}`)
      return askedAt === undefined ? undefined : terminal.line(`  asked     to be delivered once more, ${askedAt}`)
    }
    const found = await calls.deadLetters(subscriber, options.whole('limit') ?? LETTERS)
    if (options.json) for (const one of found) terminal.json(one)
    else if (found.length === 0) terminal.line(`${shownSubscriber(subscriber)} has no dead letters`)
    else {
      printTable(terminal, ['LETTER', 'GIVEN UP', 'TENANT', 'RUN', 'SEQ', 'ASKED', 'ERROR'], found.map(letterCells))
      if (all > found.length) terminal.line(terminal.paint.dim(`the oldest ${found.length} of ${all}`))
    }
  })
}

function letterCells({ letterId, at, ofTenant, executionId, runSeq, askedAt, error }: ShownLetter): readonly string[] {
  return [
    letterId,
    timeOfDay(msFromIso(at) ?? 0),
    ofTenant,
    shortId(executionId),
    String(runSeq),
    askedAt === undefined ? '' : timeOfDay(msFromIso(askedAt) ?? 0),
    oneLine(error, ERROR_CHARS),
  ]
}

export async function redeliver({ args, options, terminal }: Call): Promise<number> {
  return withFeed(options, async (calls) => {
    const { subscriber } = await findSubscriber(calls, args[0] ?? '')
    const given = options.list('id').map(letterOf)
    const asked = await calls.redeliver(subscriber, given.length === 0 ? undefined : given)
    if (options.json) return terminal.json({ subscriber, asked })
    return terminal.line(
      asked === 0
        ? `${shownSubscriber(subscriber)} has no such dead letters`
        : `${plural(asked, 'dead letter')} will be delivered once more, by whoever follows as ${shownSubscriber(subscriber)}`,
    )
  })
}

export async function dropLetter({ args, options, terminal }: Call): Promise<number> {
  const reason = reasonOf(options)
  const letterId = letterOf(args[1] ?? '')
  return withFeed(options, async (calls) => {
    const { subscriber } = await findSubscriber(calls, args[0] ?? '')
    const { executionId, runSeq } = await calls.deadLetter(subscriber, letterId)
    const what = `event ${runSeq} of run ${shortId(executionId)}`
    if (!(await confirm(`Give ${what} up? ${shownSubscriber(subscriber)} never gets it.`, options, terminal)))
      return terminal.line('nothing was dropped')
    await calls.drop(subscriber, letterId, reason)
    if (options.json) return terminal.json({ subscriber, letterId, dropped: true, reason })
    return terminal.line(`dropped: ${what}, because ${DROP_WORDS[reason]}`)
  })
}

const WORDS = DROP_REASONS.map((reason) => reason.toLowerCase().replaceAll('_', '-'))

function reasonOf(options: Options): DropReason {
  const word = options.text('reason') ?? fail('USAGE', `say why: --reason ${WORDS.join(', ')}; the audit log keeps it`)
  return DROP_REASONS[WORDS.indexOf(word)] ?? fail('USAGE', `--reason is ${WORDS.join(', ')}, not '${word}'`)
}

function letterOf(word: string): string {
  return /^\d{1,15}-\d{1,15}$/.test(word) ? word : fail('USAGE', `'${word}' is no dead letter: they are named 12-3`)
}
