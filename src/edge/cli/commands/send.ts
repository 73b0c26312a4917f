/** `keelson send`: an event for whoever waits for its name and key, now or while it is kept. */
import type { EventAnswer, EventRequest } from '../../../app/steer/send-event.ts'
import { LIMITS } from '../../../core/limits.ts'
import { fail } from '../../../core/problems/problem.ts'
import { reachable } from '../open/engine-choice.ts'
import { openExisting } from '../open/session.ts'
import { needServer } from '../remote/server-client.ts'
import type { Call, Options } from '../terminal/command.ts'
import { timeOption } from '../terminal/time-option.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { duration, plural } from '../terminal/format.ts'
import { serverUrl } from '../files/place.ts'
import { readJsonOption, valueOf } from '../files/run-input.ts'

/** `@file` and `@-` read JSON; everything else is JSON, or text if it is none. */
function dataOf(given: string | undefined): unknown {
  if (given === undefined) return null
  if (!given.startsWith('@')) return valueOf(given, '--data')
  return given === '@' ? fail('USAGE', '--data @<file> needs the name of a file') : readJsonOption('--data', given)
}

export async function send({ args, options, terminal }: Call): Promise<number> {
  const [key, id, ttl] = [options.text('key'), options.text('id'), options.text('ttl')]
  const event = {
    name: args[0] ?? '',
    data: dataOf(options.text('data')),
    ...(key === undefined ? {} : { key }),
    ...(id === undefined ? {} : { id }),
    ttlMs: ttl === undefined ? LIMITS.eventTtlMs : timeOption('--ttl', ttl),
  }
  const answer = serverUrl(options) === undefined ? await sendHere(event, options) : await sendAfar(event, options)
  if (options.json) terminal.json(answer)
  else if (answer.kind === 'repeat')
    terminal.line(`${event.name} was sent before under the id ${answer.id}; it counts once`)
  else
    terminal.line(
      `${event.name} sent to ${plural(answer.waiting, 'waiting run')}; kept for ${duration(event.ttlMs)} for steps that wait later   (id ${answer.id})`,
    )
  return EXIT.completed
}

async function sendHere(event: EventRequest, options: Options): Promise<EventAnswer> {
  const keelson = await openExisting(options, await reachable(options))
  try {
    return await keelson.send(event)
  } finally {
    await keelson.close()
  }
}

async function sendAfar(event: EventRequest, options: Options): Promise<EventAnswer> {
  const { expiresAt, ...answer } = await (await needServer(options)).call('sendEvent', { body: event })
  return { ...answer, expiresAt: Date.parse(expiresAt) }
}
