/** The `pg` package, loaded only when a store is opened: an installation without PostgreSQL does not need it. */
import type * as Pg from 'pg'
import { fail } from '../../../core/problems/problem.ts'

export type Driver = Pick<typeof Pg, 'Client' | 'Pool'>

export async function loadDriver(): Promise<Driver> {
  try {
    return await import('pg')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error
    return fail('STORE_DRIVER_MISSING', 'The PostgreSQL store needs the package pg, which is not installed.', {
      hint: 'Install it beside keelson: npm install pg',
    })
  }
}
