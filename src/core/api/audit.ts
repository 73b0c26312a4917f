/** The route of the audit log: what people and programs of the tenant did and were refused. */
import { LIMITS } from '../limits.ts'
import { flag, list, object, oneOf, optional, text } from '../schema/shape.ts'
import { route } from './contract.ts'
import { answer, instant, pageSize, seq } from './words.ts'

const name = text({ min: 1, max: LIMITS.nameBytes })

/** `record` is the text that was hashed. */
const auditRecord = answer({
  position: seq,
  type: text(),
  record: text(),
  hash: text(),
  keyId: text(),
  mac: text(),
})

export const listAudit = route({
  id: 'listAudit',
  method: 'GET',
  path: '/v1/audit',
  tag: 'audit',
  about:
    'Records of the audit log between two positions, oldest first or newest first: as JSON, or with `format=ndjson` as lines to keep. Each names the hash of the one before it. With a filter a page may be empty and still have `more`: go on `after` (or, newest first, `before`) its `next`.',
  access: 'AUDIT_READ',
  query: object({
    after: optional(seq),
    before: optional(seq),
    order: optional(oneOf('oldest', 'newest')),
    actor: optional(name),
    action: optional(name),
    target: optional(text({ min: 1, max: 2_048 })),
    decision: optional(oneOf('GRANTED', 'DENIED')),
    since: optional(instant),
    until: optional(instant),
    limit: optional(pageSize),
    format: optional(oneOf('json', 'ndjson')),
  }),
  answers: {
    200: {
      about:
        'The records, the position that was looked at last, whether there are more beyond it, and the end of the log.',
      body: answer({
        records: list(auditRecord),
        next: seq,
        more: flag(),
        head: answer({ position: seq, hash: text() }),
      }),
    },
  },
})
