/** The interface described: one document from the table of routes, the same in the repository and on the wire, and right for who reads such documents. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../scripts/terminal.ts'
import { textOf } from '../../scripts/repository.ts'
import { openApi, TAGS } from '../../src/core/api/openapi.ts'
import { pathNames } from '../../src/core/api/contract.ts'
import { ROUTES } from '../../src/core/api/routes.ts'
import { lintOpenApi } from '../setup/redocly.ts'
import { served } from './served.ts'

const FILE = 'schemas/openapi.json'

interface Operation {
  readonly operationId: string
  readonly security?: readonly unknown[]
  readonly responses: Readonly<Record<string, unknown>>
  readonly parameters: readonly { readonly name: string; readonly in: string }[]
}
interface Document {
  readonly info: { readonly version: string; readonly license: { readonly identifier: string } }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

it('serves the document of the repository to anyone [API-14]', async () => {
  await using server = await served()
  const { status, body, headers } = await server.call('GET /openapi.json', { as: '' })
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('application/json')
  expect(body).toEqual(JSON.parse(textOf(FILE)))
})

it('describes every route of the table once, with the version and the licence of the package', () => {
  const document = openApi() as unknown as Document
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`),
  )
  const rows = ROUTES.map(({ id, method, path }) => `${id} ${method} ${path}`)
  expect([...described].sort()).toEqual([...rows].sort())
  expect(new Set(ROUTES.map(({ id }) => id)).size).toBe(ROUTES.length)
  const { version, license } = JSON.parse(textOf('package.json')) as {
    readonly version: string
    readonly license: string
  }
  expect([document.info.version, document.info.license.identifier]).toEqual([version, license])
})

it('has a sentence for each tag, and a shape for each name in a path', () => {
  expect(ROUTES.filter(({ tag }) => !Object.hasOwn(TAGS, tag)).map(({ id, tag }) => `${id}: ${tag}`)).toEqual([])
  const shapeless = ROUTES.filter((contract) => {
    const names = Object.keys((contract.params?.schema['properties'] ?? {}) as object)
    return pathNames(contract).join() !== names.join()
  })
  expect(shapeless.map(({ id }) => id)).toEqual([])
})

it('says of each route who may call it and what refuses it', () => {
  const { paths } = openApi() as unknown as Document
  const health = paths['/healthz']?.['get']
  expect([health?.security, Object.keys(health?.responses ?? {})]).toEqual([
    [],
    ['200', '400', '408', '414', '421', '431', '500'],
  ])
  const start = paths['/v1/executions']?.['post']
  expect(start?.security).toBeUndefined()
  expect(Object.keys(start?.responses ?? {})).toEqual([
    '200',
    '202',
    '400',
    '401',
    '403',
    '404',
    '408',
    '409',
    '413',
    '414',
    '415',
    '421',
    '429',
    '431',
    '500',
    '503',
    '504',
  ])
  expect(start?.parameters.map(({ name }) => name)).toEqual(['mode', 'Idempotency-Key', 'Prefer', 'X-Correlation-ID'])
})

it('passes a linter that nobody here wrote: no error under the recommended rules of Redocly', () => {
  const lint = lintOpenApi(join(ROOT, FILE))
  if (lint === undefined) return
  // A login leads a browser elsewhere: it has no answer of its own.
  const isRedirect = (line: string): boolean =>
    /^operation-2xx-response: .*#\/paths\/~1login(~1callback)?\/get/.test(line)
  const errors = lint.found.filter((line) => !line.startsWith('no-ambiguous-paths') && !isRedirect(line))
  expect({ errors: lint.errors, found: errors }).toEqual({ errors: 0, found: [] })
})
