/** How people log in at a server: through a browser here, through the command line at the issuer, or both. */
import type { BrowserLogin } from './browser-login.ts'

export interface CommandLineClient {
  readonly clientId: string
  readonly scopes: readonly string[]
  /** What else the issuer is told, so that the token is for this server. */
  readonly parameters: Readonly<Record<string, string>>
}

export interface LoginWays {
  readonly issuer: string
  readonly browser?: BrowserLogin
  readonly commandLine?: CommandLineClient
}
