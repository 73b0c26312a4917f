/** How people log in and out, and what the command line has to know for it. */
import type { Caller } from '../../../app/identity/caller.ts'
import * as api from '../../../core/api/login.ts'
import { fail } from '../../../core/problems/problem.ts'
import type { BrowserLogin } from '../login/browser-login.ts'
import type { LoginWays } from '../login/login-ways.ts'
import { bind, type Asked, type BoundRoute } from '../serve/bound-route.ts'
import type { World } from '../serve/world.ts'

export const LOGIN: readonly BoundRoute[] = [
  bind(api.beginLogin, async ({ world, query, header }) => {
    const { location, cookies } = await browserOf(world).begin(query.returnTo, header('cookie'))
    return { status: 302, headers: { location }, cookies }
  }),
  bind(api.finishLogin, async (asked) => {
    const { world, query, header } = asked
    const { location, cookies, caller } = await browserOf(world).finish(query, header('cookie'))
    await noted(asked, caller, 'LOGIN', 'finishLogin')
    return { status: 302, headers: { location }, cookies }
  }),
  bind(api.logout, async (asked) => {
    const { world, header } = asked
    const { issuer } = waysOf(world)
    const browser = browserOf(world)
    const { caller, cookies } = await browser.end(header('cookie'))
    if (caller !== undefined) await noted(asked, caller, 'LOGOUT', 'logout')
    const issuerLogout = await browser.logoutAddress()
    const more = issuerLogout === undefined ? {} : { issuerLogout }
    return { cookies, body: { ended: caller !== undefined, issuer, issuerSession: 'goes on', ...more } }
  }),
  bind(api.getLogin, ({ world }) => {
    const { issuer, browser, commandLine } = waysOf(world)
    const more = commandLine === undefined ? {} : { commandLine }
    return { body: { issuer, browser: browser !== undefined, ...more } }
  }),
]

function waysOf({ login }: World): LoginWays {
  return login ?? fail('LOGIN_NOT_CONFIGURED', 'nobody can log in here: no issuer is configured')
}

function browserOf(world: World): BrowserLogin {
  return (
    waysOf(world).browser ?? fail('LOGIN_NOT_CONFIGURED', 'browsers cannot log in here: auth.oidc.login is not set')
  )
}

/** The route is for anyone, so nothing around it knows whose log it belongs to. */
function noted(
  { world, correlationId }: Pick<Asked, 'world' | 'correlationId'>,
  { tenantId, actorId }: Caller,
  action: 'LOGIN' | 'LOGOUT',
  call: string,
): Promise<void> {
  return world.note(tenantId, { type: 'AUTH_DECISION', actorId, action, call, decision: 'GRANTED', correlationId })
}
