/** `keelson receipts`: the public key to note elsewhere, and signing what was not signed yet. */
import type { Call } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { plural } from '../output/format.ts'
import { openExisting } from '../session.ts'

export async function receiptsKey({ options, terminal }: Call): Promise<number> {
  const keelson = await openExisting(options)
  try {
    const key = await keelson.upkeep.receiptKey()
    if (options.json) terminal.json(key)
    else terminal.line(key.publicKey)
    return EXIT.completed
  } finally {
    await keelson.close()
  }
}

export async function receiptsIssue({ options, terminal }: Call): Promise<number> {
  const keelson = await openExisting(options)
  try {
    const events = await keelson.upkeep.issueReceipts()
    const { keyId } = await keelson.upkeep.receiptKey()
    if (options.json) terminal.json({ events, keyId })
    else if (events === 0) terminal.line('nothing new to sign')
    else terminal.line(`${terminal.paint.green('✔')} signed what ${plural(events, 'event')} brought, with key ${keyId}`)
    return EXIT.completed
  } finally {
    await keelson.close()
  }
}
