/** Calls a route of the table, by its row or its id, with the types of that row. */
import type { AnswerOf, Contract } from '../core/api/contract.ts'
import { ROUTES, type RouteId, type RoutesById } from '../core/api/routes.ts'
import { didYouMean } from '../core/did-you-mean.ts'
import { fail } from '../core/problems/problem.ts'
import { ask, type Answer } from './ask.ts'
import type { Connection } from './connection.ts'
import type { CallArguments } from './request.ts'

/** A row of the table. */
export type ContractOf<R> = R extends RouteId ? RoutesById[R] : R extends Contract ? R : never

/** Gives the body of a success; throws the refusal. */
export type Caller = <const R extends Contract | RouteId>(
  route: R,
  ...given: CallArguments<ContractOf<R>>
) => Promise<AnswerOf<ContractOf<R>>>

/** The same with status and headers. */
export type Asker = <const R extends Contract | RouteId>(
  route: R,
  ...given: CallArguments<ContractOf<R>>
) => Promise<Answer<AnswerOf<ContractOf<R>>>>

export function askerOf(connection: Connection): Asker {
  return async (route, ...[given]) => (await ask(connection, contractOf(route), given)) as Answer<never>
}

export function callerOf(connection: Connection): Caller {
  const asked = askerOf(connection)
  return async (route, ...given) => (await asked(route, ...given)).body
}

function contractOf(route: Contract | RouteId): Contract {
  if (typeof route !== 'string') return route
  const ids = ROUTES.map(({ id }) => id)
  return (
    ROUTES.find(({ id }) => id === route) ??
    fail('OPTION_INVALID', `there is no route '${route}'`, didYouMean(route, ids))
  )
}
