/** A route outside the table cannot exist: each row has one handler, each handler a row, and one place alone tells the framework. */
import ts from 'typescript'
import { expect, it } from 'vitest'
import { productFiles } from '../../scripts/repository.ts'
import { ROUTES } from '../../src/core/api/routes.ts'
import { BOUND_ROUTES } from '../../src/edge/http/routes/table.ts'
import { importsOf, parse, place, walk } from './source.ts'

const SERVE = 'src/edge/http/serve/'
const PAGE = 'src/edge/http/page/add-page.ts'

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

it('one call in the product gives the routes of the table to the framework, and one the files of the page', () => {
  const calls = productFiles('src').flatMap((path) => {
    const found: string[] = []
    walk(parse(path), (node) => {
      if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return
      const { name } = node.expression
      if (name.text === 'route' || (isVerb(name.text) && isAddress(node.arguments[0]))) found.push(place(node))
    })
    return found
  })
  // The files of the page are no part of the table; `test/server/page.test.ts` holds what they are.
  expect(calls.map((at) => at.replace(/:\d+$/, ''))).toEqual([PAGE, `${SERVE}http-server.ts`])
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
