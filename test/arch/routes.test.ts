/** A route outside the table cannot exist: each row has one handler, each handler a row, and one place alone tells the framework. */
import ts from 'typescript'
import { expect, it } from 'vitest'
import { productFiles } from '../../scripts/repository.ts'
import { ROUTES } from '../../src/core/api/routes.ts'
import { BOUND_ROUTES } from '../../src/edge/http/routes/table.ts'
import { importsOf, parse, place, walk } from './source.ts'

const SERVE = 'src/edge/http/serve/'

it('every handler belongs to a row of the table, and every row has exactly one', () => {
  const handlers = BOUND_ROUTES.map(({ contract }) => contract)
  expect(handlers.filter((contract) => !ROUTES.includes(contract)).map(({ id }) => id)).toEqual([])
  expect(handlers.filter((contract, at) => handlers.indexOf(contract) !== at).map(({ id }) => id)).toEqual([])
  expect(ROUTES.filter((contract) => !handlers.includes(contract)).map(({ id }) => id)).toEqual([])
})

it('no two rows have the same method and address', () => {
  const addresses = ROUTES.map(({ method, path }) => `${method} ${path.replaceAll(/\{[^}]+\}/g, '{}')}`)
  expect(addresses.filter((address, at) => addresses.indexOf(address) !== at)).toEqual([])
})

it('only one call in the product gives a route to the framework', () => {
  const calls = productFiles('src').flatMap((path) => {
    const found: string[] = []
    walk(parse(path), (node) => {
      if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return
      const { name } = node.expression
      if (name.text === 'route' || (isVerb(name.text) && isAddress(node.arguments[0]))) found.push(place(node))
    })
    return found
  })
  expect(calls.map((at) => at.replace(/:\d+$/, ''))).toEqual([`${SERVE}http-server.ts`])
  const users = productFiles('src').filter((path) =>
    importsOf(path).some(({ to, typeOnly }) => to === 'fastify' && !typeOnly),
  )
  expect(users.filter((path) => !path.startsWith(SERVE))).toEqual([])
})

function isVerb(name: string): boolean {
  return ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'all'].includes(name)
}

function isAddress(argument: ts.Expression | undefined): boolean {
  return argument !== undefined && ts.isStringLiteralLike(argument) && argument.text.startsWith('/')
}
