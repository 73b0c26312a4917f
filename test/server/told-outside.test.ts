/** What a failure of the machine tells a caller: its code and an id, and no place of the machine. The log of the process has the rest. */
import { expect, it } from 'vitest'
import { toldOutside } from '../../src/core/problems/outside.ts'
import { problem } from '../../src/core/problems/problem.ts'
import { REGISTRY, type ProblemCode } from '../../src/core/problems/registry.ts'
import { testFolder } from '../fixtures/folder.ts'
import { served } from './served.ts'

it('names no file of a store that fails, only the code and the id under which the log has the rest [API-13]', async () => {
  const directory = testFolder()
  await using server = await served({ directory })
  await server.keelson.close()
  for (const accept of ['application/json', 'application/problem+json']) {
    const headers = { accept, 'x-correlation-id': `desk-${accept.length}` }
    const { status, text } = await server.call('GET /v1/schedules', { headers })
    expect(status).toBe(503)
    expect(text).toContain('STORE_CLOSED')
    expect(text).toContain(`under desk-${accept.length}`)
    expect(text).not.toContain(directory)
  }
  expect(String(server.told[0])).toContain(directory)
})

it('tells of every failure of the machine the words of the registry alone', () => {
  const place = '/srv/keelson/keys/master'
  const told = (code: ProblemCode): string =>
    JSON.stringify(toldOutside([problem(code, place, { hint: place, details: { file: place } })]))
  const codes = Object.keys(REGISTRY) as ProblemCode[]
  const kept = codes.filter((code) => told(code).includes(place))
  expect(codes.filter((code) => /^(STORE|FILE|KEYS|SECRETS|ENGINE_DRIVER)_/.test(code) && kept.includes(code))).toEqual(
    [],
  )
  // A refusal of what was asked keeps its own words: they say what to change.
  expect(kept).toContain('BODY_INVALID')
  expect(told('STORE_UNAVAILABLE')).toContain(REGISTRY.STORE_UNAVAILABLE.title)
})
