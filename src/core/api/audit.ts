/** The route of the audit log: what people and programs of the tenant did and were refused. */
import { list, object, oneOf, optional } from '../schema/shape.ts'
import { route } from './contract.ts'
import { answer, fields, pageSize, seq } from './words.ts'

export const listAudit = route({
  id: 'listAudit',
  method: 'GET',
  path: '/v1/audit',
  tag: 'audit',
  about:
    'Records of the audit log after a position, oldest first: as JSON, or with `format=ndjson` as lines to keep. Each names the hash of the one before it.',
  access: 'AUDIT_READ',
  query: object({ after: optional(seq), limit: optional(pageSize), format: optional(oneOf('json', 'ndjson')) }),
  answers: {
    200: { about: 'The records, and the position to ask after.', body: answer({ records: list(fields), next: seq }) },
  },
})
