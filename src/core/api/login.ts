/** Routes by which people log in: through a browser here, and through the command line at the issuer that the server names. */
import { LIMITS } from '../limits.ts'
import { flag, list, object, optional, record, text } from '../schema/shape.ts'
import { route } from './contract.ts'
import { answer } from './words.ts'

export const beginLogin = route({
  id: 'beginLogin',
  method: 'GET',
  path: '/login',
  tag: 'login',
  about: 'Leads a browser to the OIDC issuer to log in, and from there back to a path of this server.',
  access: 'anyone',
  query: object({ returnTo: optional(text({ min: 1, max: LIMITS.returnToChars })) }),
  answers: {
    302: {
      about: 'On to the issuer. A cookie ties its answer to this browser.',
      headers: { Location: 'always' },
    },
  },
})

const parameter = text({ min: 1, max: 4_096 })

export const finishLogin = route({
  id: 'finishLogin',
  method: 'GET',
  path: '/login/callback',
  tag: 'login',
  about: 'Where the issuer sends the browser back to: the code becomes a session in a sealed cookie.',
  access: 'anyone',
  asksIssuer: true,
  // Issuers add parameters of their own, which are ignored (RFC 6749, 4.1.2).
  query: answer({
    state: parameter,
    code: optional(parameter),
    iss: optional(parameter),
    error: optional(parameter),
  }),
  answers: {
    302: {
      about: 'Logged in; on to where the login began.',
      headers: { Location: 'always' },
    },
  },
})

export const logout = route({
  id: 'logout',
  method: 'POST',
  path: '/logout',
  tag: 'login',
  about: "Ends the session of this browser here, at once. The issuer's own session goes on.",
  access: 'anyone',
  answers: {
    200: {
      about:
        'There is no session any more. `ended` says whether there was one, `issuerLogout` where the issuer ends its own.',
      body: answer({ ended: flag(), issuer: text(), issuerSession: text(), issuerLogout: optional(text()) }),
    },
  },
})

export const getLogin = route({
  id: 'getLogin',
  method: 'GET',
  path: '/login/issuer',
  tag: 'login',
  about:
    'Who vouches for people here: the issuer, whether browsers can log in, and as which client the command line does.',
  access: 'anyone',
  answers: {
    200: {
      about: 'The issuer.',
      body: answer({
        issuer: text(),
        browser: flag(),
        commandLine: optional(answer({ clientId: text(), scopes: list(text()), parameters: record(text()) })),
      }),
    },
  },
})
