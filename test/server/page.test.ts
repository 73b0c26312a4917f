/** The files of the page over real HTTP: which addresses have them, and what a browser is told about them. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { ROUTES } from '../../src/core/api/routes.ts'
import { PAGE_ADDRESSES, PAGE_POLICY } from '../../src/edge/http/page/add-page.ts'
import { pageFiles, type PageFiles } from '../../src/edge/http/page/page-files.ts'
import { testFolder } from '../fixtures/folder.ts'
import { rawAnswer, rawRequest } from './raw-socket.ts'
import { served } from './served.ts'

const HTML = '<!doctype html><title>page</title>'
const SCRIPT = 'export const page = 1\n'.repeat(100)

/** What a build leaves, with files beside it that nobody may read. */
function built(): PageFiles | undefined {
  const folder = testFolder()
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), HTML)
  writeFileSync(join(folder, 'assets', 'index-B0VSSUWK.js'), SCRIPT)
  writeFileSync(join(folder, 'assets', 'index-C0VSSUWK.css'), 'a { color: red }')
  writeFileSync(join(folder, 'assets', 'index-B0VSSUWK.js.map'), '{}')
  writeFileSync(join(folder, 'assets', 'notes.txt'), 'a secret')
  writeFileSync(join(folder, 'secret.json'), 'a secret')
  symlinkSync('/etc/passwd', join(folder, 'assets', 'passwd'))
  return pageFiles(folder)
}

it('answers every address of the page with the page, to anybody, under a policy that allows its own files alone', async () => {
  await using server = await served({}, { page: built() })
  expect(PAGE_POLICY).not.toContain('unsafe')
  for (const address of PAGE_ADDRESSES) {
    const path = address.replace(/:\w+/, 'some-id')
    const { status, headers, text } = await server.call(`GET ${path}?at=41&step=pack`, { as: '' })
    expect([path, status, text]).toEqual([path, 200, HTML])
    expect(headers.get('content-security-policy')).toBe(PAGE_POLICY)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('cache-control')).toBe('no-cache')
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  }
  // What programs ask for stays under the policy that allows nothing.
  const health = await server.call('GET /healthz')
  expect(health.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
})

it('lets browsers keep a file whose name holds its hash for ever, compressed where they take that', async () => {
  await using server = await served({}, { page: built() })
  const { status, headers, text } = await server.call('GET /assets/index-B0VSSUWK.js', { as: '' })
  expect([status, text]).toEqual([200, SCRIPT])
  expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect([headers.get('content-encoding'), headers.get('vary')]).toEqual(['gzip', 'Accept-Encoding'])
  const plain = await rawAnswer(server.url, rawRequest(server.url, 'GET /assets/index-B0VSSUWK.js', []))
  expect(plain).toContain(SCRIPT)
  const file = built()?.assets.get('/assets/index-B0VSSUWK.js')?.()
  expect(gunzipSync(file?.gzip ?? new Uint8Array()).toString()).toBe(SCRIPT)
})

it('knows no other file than those that the build named, however it is asked for', async () => {
  await using server = await served({}, { page: built() })
  const others = [
    '/secret.json',
    '/index.html',
    '/assets',
    '/assets/notes.txt',
    '/assets/passwd',
    '/assets/index-B0VSSUWK.js.map',
    '/assets/../secret.json',
    '/assets/..%2fsecret.json',
    '/assets/%2e%2e/secret.json',
    '/assets/....//secret.json',
    '/assets//index-B0VSSUWK.js',
    '/runs/a/b',
    '//etc/passwd',
  ]
  for (const path of others) {
    const text = await rawAnswer(server.url, rawRequest(server.url, `GET ${path}`, []))
    expect([path, /^HTTP\/1.1 (\d+)/.exec(text)?.[1], text.includes('a secret')]).toEqual([path, '404', false])
  }
  expect((await server.call('POST /', { body: {} })).status).toBe(404)
})

it('a browser at an address that nobody has is given the page, which says so; programs are told in JSON', async () => {
  await using server = await served({}, { page: built() })
  const asked = async (path: string, accept: string) => {
    const answer = await fetch(`${server.url}${path}`, { headers: { accept } })
    return [answer.status, answer.headers.get('content-type'), answer.headers.get('content-security-policy')]
  }
  const policy = "default-src 'none'; frame-ancestors 'none'"
  const html = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8'
  for (const path of ['/runs', '/no/such/page?at=1', '/taskz'])
    expect([path, await asked(path, html)]).toEqual([path, [404, 'text/html; charset=utf-8', PAGE_POLICY]])
  for (const [path, accept] of [
    ['/runs', 'application/json'],
    ['/runs', '*/*'],
    ['/v1/no-such-route', html],
    ['/v1', html],
    ['/assets/index-00000000.js', html],
  ] as const)
    expect([path, await asked(path, accept)]).toEqual([path, [404, 'application/json', policy]])
})

it('takes no address of the interface for programs, and is absent where it was not built', async () => {
  const first = (path: string): string => path.split('/')[1] ?? ''
  const taken = new Set(ROUTES.map(({ path }) => first(path)))
  expect(PAGE_ADDRESSES.map(first).filter((name) => taken.has(name))).toEqual([])
  expect(pageFiles(join(testFolder(), 'nowhere'))).toBeUndefined()
  await using server = await served({}, { page: undefined })
  expect((await server.call('GET /')).status).toBe(404)
})
