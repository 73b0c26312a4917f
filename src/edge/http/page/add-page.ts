/**
 * The addresses of the page. They are the one exception to the table of routes: what they answer is no part of the interface for
 * programs, needs no principal and is the same for everybody. What a person sees is asked of the table by the page itself.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PAGE_PATHS } from '../../../core/api/page.ts'
import type { PageFile, PageFiles } from './page-files.ts'

/** All of them show the same file; the page reads its own address. */
export const PAGE_ADDRESSES = Object.values(PAGE_PATHS).map((path) => path.replaceAll(/\{(\w+)\}/g, ':$1'))

/**
 * The page may run its own files and ask its own server, and nothing else: nothing inline, no other origin, no frame, and no text
 * that becomes markup or a script.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const PAGE_HEADERS = { 'content-security-policy': PAGE_POLICY, 'cache-control': 'no-cache' }
/** For programs, and the files of the page itself. */
const NOT_FOR_PEOPLE = /^\/(?:v1|assets)(?:\/|$)/

const YEAR_S = 31_536_000

export function addPage(server: FastifyInstance, { html, assets }: PageFiles): void {
  const add = (url: string, file: () => PageFile, headers: Readonly<Record<string, string>>): void => {
    server.route({ method: 'GET', url, handler: (request, reply) => send(request, reply.headers(headers), file()) })
  }
  for (const address of PAGE_ADDRESSES) add(address, html, PAGE_HEADERS)
  for (const [address, file] of assets) add(address, file, { 'cache-control': `public, max-age=${YEAR_S}, immutable` })
}

/** A browser that is led to an address which nobody has: the page says so, with a way on. Undefined for all who do not ask for a page. */
export function sendNothingHere(
  page: PageFiles | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | undefined {
  const isForPeople =
    request.method === 'GET' &&
    String(request.headers.accept ?? '').includes('text/html') &&
    !NOT_FOR_PEOPLE.test(request.raw.url ?? '/')
  if (page === undefined || !isForPeople) return undefined
  return send(request, reply.code(404).headers(PAGE_HEADERS), page.html())
}

function send(request: FastifyRequest, reply: FastifyReply, { type, plain, gzip }: PageFile): FastifyReply {
  const takesGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
  const vary = [reply.getHeader('vary'), 'Accept-Encoding'].filter((name) => name !== undefined).join(', ')
  reply.headers({ 'content-type': type, vary, 'x-correlation-id': request.correlation })
  return takesGzip ? reply.header('content-encoding', 'gzip').send(gzip) : reply.send(plain)
}
