/**
 * The worked example of docs/reference/log.md, recomputed from the rules written there with nothing but SHA-256 and a
 * canonical JSON of a dozen lines; then compared with what the product seals for the same events.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sealEvents } from '../../src/app/log/seal.ts'

const text = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'reference', 'log.md'), 'utf8')
const example = text.slice(text.indexOf('## Example'))
const blocks = [...example.matchAll(/```\n([^`]*)\n```/g)].map((match) => (match[1] ?? '').split('\n'))
const [keyOne = [], chainOne = [], keyTwo = [], dataTwo = [], chainTwo = []] = blocks

const sha256 = (...parts: readonly (string | Buffer)[]): string => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(typeof part === 'string' ? Buffer.from(part, 'utf8') : part)
  return hash.digest('hex')
}

function jcs(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jcs).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${jcs(field)}`).join(',')}}`
}

interface Documented {
  readonly runId: string
  readonly eventType: string
  readonly planVersion: string
  readonly logicalAttemptId: number
  readonly stepId?: string
  readonly itemIndex?: number
  readonly idempotencyKey: string
  readonly dataHash?: string
}

describe('the worked example of the log page', () => {
  it('has all its blocks', () => {
    expect(blocks.map((lines) => lines.length)).toEqual([2, 3, 2, 3, 3])
  })

  it.each([
    ['first', keyOne, chainOne],
    ['second', keyTwo, chainTwo],
  ])('has the key and the chain hash that its rules give, for the %s event [P-33, IDM-01]', (_, key, chain) => {
    const [previous = '', record = '', chainHash = ''] = chain
    const fields = JSON.parse(record) as Documented
    const slot = fields.stepId === undefined ? 'RUN' : fields.stepId
    expect(key[0]).toBe([fields.runId, slot, fields.logicalAttemptId, fields.eventType, fields.planVersion].join('|'))
    expect(key[1]).toBe(sha256(key[0] ?? ''))
    expect(fields.idempotencyKey).toBe(key[1])
    expect(jcs(fields)).toBe(record)
    for (const name of ['persistedAt', 'data', 'salt', 'chainHash']) expect(fields).not.toHaveProperty(name)
    expect(chainHash).toBe(sha256(Buffer.from(previous, 'hex'), record))
  })

  it('has the data hash that its rule gives, and a chain that begins with zeros and goes on [P-33]', () => {
    const [salt = '', data = '', dataHash = ''] = dataTwo
    expect(jcs(JSON.parse(data))).toBe(data)
    expect(dataHash).toBe(sha256(Buffer.from(salt, 'hex'), data))
    expect((JSON.parse(chainTwo[1] ?? '{}') as Documented).dataHash).toBe(dataHash)
    expect(chainOne[0]).toBe('0'.repeat(64))
    expect(chainTwo[0]).toBe(chainOne[2])
  })

  it('is what the product seals for these events [P-14]', () => {
    const ids = [chainOne, chainTwo].map((chain) => (JSON.parse(chain[1] ?? '{}') as { eventId: string }).eventId)
    const emittedAt = '2026-03-01T10:00:05.250Z'
    const { events } = sealEvents({
      identity: {
        runId: '0d3c6a9e-4f0c-4a8e-9d5d-3d4c0f7dbb8a',
        tenantId: 'local',
        projectId: 'default',
        environmentId: 'local',
        planId: 'nightly',
        planVersion: '1.2.0',
      },
      drafts: [
        {
          draft: { eventType: 'RunApproved', slot: 'RUN', attempt: 1, payload: { approvedBy: 'policy:auto' } },
          decision: { firstSeq: 1, cause: 'admit' },
        },
        {
          draft: {
            eventType: 'StepCompleted',
            slot: 'load[3]',
            attempt: 2,
            payload: { completedAt: emittedAt, artifactRefs: [] },
            data: { result: { rows: 3, name: 'Köln' } },
          },
          decision: { firstSeq: 2, cause: 'outcome:load[3]' },
        },
      ],
      firstSeq: 1,
      previousHash: new Uint8Array(32),
      emittedAt,
      random: { uuid: () => ids.shift() ?? '', bytes: (length) => Uint8Array.from({ length }, (_, index) => index) },
    })
    expect(events.map((event) => event.record)).toEqual([chainOne[1], chainTwo[1]])
    expect(events[1]?.data).toBe(dataTwo[1])
    expect(events.map((event) => Buffer.from(event.chainHash).toString('hex'))).toEqual([chainOne[2], chainTwo[2]])
  })
})
