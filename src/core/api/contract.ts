/**
 * One route of the HTTP interface as data: who may call it, what it takes and what it answers. The server binds a handler to each;
 * the OpenAPI document, the typed client, the reference page and the tests of permissions are made from the same rows.
 */
import type { Action } from '../authority/actions.ts'
import type { Shape, TypeOf } from '../schema/shape.ts'

export type AnswerHeader = 'Location' | 'Retry-After'

export interface AnswerContract {
  readonly about: string
  /** Beside those that every answer has. */
  readonly headers?: { readonly [name in AnswerHeader]?: 'always' | 'sometimes' }
  /** Absent: the answer has no body. */
  readonly body?: Shape<unknown>
  /** Default `application/json`. */
  readonly type?: string
}

export interface Contract {
  /** The name of the call in the client and the OpenAPI document. */
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** With parameters in braces: `/v1/executions/{executionId}`. */
  readonly path: `/${string}`
  readonly tag: string
  readonly about: string
  /** `anyone`: asked without a principal. `signature`: the sender signs what it sends, and has no principal. */
  readonly access: Action | 'anyone' | 'signature'
  /** The issuer is asked each time: whoever comes in vain is counted by address. */
  readonly asksIssuer?: true
  readonly params?: Shape<unknown>
  readonly query?: Shape<unknown>
  readonly body?: Shape<unknown>
  /** Headers that it reads, beside those that every route has. */
  readonly headers?: readonly ('Idempotency-Key' | 'If-None-Match' | 'Last-Event-ID' | 'Prefer')[]
  /** By status. Refusals that every route has are not repeated here. */
  readonly answers: { readonly [status: number]: AnswerContract }
}

/** Keeps the exact types of a row. */
export function route<const C extends Contract>(contract: C): C {
  return contract
}

export type ParamsOf<C extends Contract> = C extends { readonly params: infer S } ? TypeOf<S> : undefined
export type QueryOf<C extends Contract> = C extends { readonly query: infer S } ? TypeOf<S> : undefined
export type BodyOf<C extends Contract> = C extends { readonly body: infer S } ? TypeOf<S> : undefined

type Success = 200 | 201 | 202

/** The body of its success; where it has several, one of them. */
export type AnswerOf<C extends Contract> = {
  readonly [S in keyof C['answers']]: S extends Success
    ? C['answers'][S] extends { readonly body: infer B }
      ? TypeOf<B>
      : undefined
    : never
}[keyof C['answers']]

/** The names in braces of a path, in order. */
export function pathNames({ path }: Pick<Contract, 'path'>): readonly string[] {
  return [...path.matchAll(/\{([a-zA-Z0-9]+)\}/g)].map(([, name]) => name ?? '')
}
