/** The two services of the example, on loopback: `node examples/http-mashup/services.mjs [port]`. */
import { createServer } from 'node:http'

const ORDERS = [
  { id: 'A-1', amount: 40 },
  { id: 'A-2', amount: 7 },
  { id: 'A-3', amount: 120 },
]
let asked = 0

function answer(request, body) {
  const { pathname } = new URL(request.url, 'http://localhost')
  if (pathname === '/orders') return [200, ORDERS]
  // Busy at the first request, so that there is something to retry.
  if (pathname.startsWith('/rates/')) return asked++ === 0 ? [503, { error: 'busy' }] : [200, { rate: 2 }]
  if (pathname !== '/quotes') return [404, { error: 'not here' }]
  const { order, amount, rate } = JSON.parse(body)
  return [200, { line: `${amount * rate} ${order}` }]
}

const server = createServer((request, response) => {
  let body = ''
  request.on('data', (part) => (body += part))
  request.on('end', () => {
    const [status, value] = answer(request, body)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(value))
  })
})
server.listen(Number(process.argv[2] ?? 8080), '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${server.address().port}\n`)
})
