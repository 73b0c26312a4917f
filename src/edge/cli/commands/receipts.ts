/** `keelson receipts`: shows the public key to keep elsewhere, and signs what was not signed yet. */
import type { Call } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { plural } from '../terminal/format.ts'
import { openExisting } from '../open/session.ts'

export async function receiptsKey({ options, terminal }: Call): Promise<number> {
  const keelson = await openExisting(options)
  try {
    const key = await keelson.maintenance.receiptKey()
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
    const events = await keelson.maintenance.issueReceipts()
    const { keyId } = await keelson.maintenance.receiptKey()
    if (options.json) terminal.json({ events, keyId })
    else if (events === 0) terminal.line('nothing new to sign')
    else terminal.line(`${terminal.paint.green('✔')} signed what ${plural(events, 'event')} brought, with key ${keyId}`)
    return EXIT.completed
  } finally {
    await keelson.close()
  }
}
