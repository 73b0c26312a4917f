/**
 * Every setting of `keelson serve`, once: its place in keelson.config.yaml, its default, its environment variable, its option, and what
 * it is for. The published schema, the reader of the file, `--print-config` and the page of settings are made from this table.
 */
import { ALERT_PRIORITY_NAMES } from '../alerts/catalogue.ts'
import { LIMITS } from '../limits.ts'
import { SIGNALS } from '../run/signals/catalogue.ts'
import { TEMPORAL_SETTINGS } from './temporal-settings.ts'

interface Row {
  readonly about: string
  readonly variable: string
  /** As `--print-config` and refusals name it; the command line has it with a value of the same kind. */
  readonly option?: `--${string}`
  /** Shown only in parts. */
  readonly isSecret?: true
}

/** What a text has to look like: for programs, and as the end of a sentence for people. */
export interface Form {
  readonly pattern: string
  readonly is: string
}

export type Setting = Row &
  (
    | {
        readonly kind: 'text'
        readonly default?: string
        readonly values?: readonly string[]
        readonly form?: Form
      }
    | { readonly kind: 'whole'; readonly default: number; readonly min: number; readonly max: number }
    | { readonly kind: 'flag'; readonly default?: boolean }
    | {
        readonly kind: 'list'
        readonly default: readonly string[]
        readonly values?: readonly string[]
        readonly form?: Form
      }
  )

/** Only signatures whose key can be made public. */
const TOKEN_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const

export const DUTIES = ['api', 'engine', 'followers', 'clockwork'] as const
export type Duty = (typeof DUTIES)[number]

const HTTP_ADDRESS: Form = {
  pattern: '^https?://[^\\s/?#]+[^\\s?#]*$',
  is: 'an address that begins with https:// or http://, without ? and #',
}
const MOST = 1_000_000_000

export const SETTINGS = {
  host: {
    kind: 'text',
    about: 'The address to listen on. One that other machines can reach needs authentication.',
    default: '127.0.0.1',
    variable: 'KEELSON_HOST',
    option: '--host',
  },
  port: {
    kind: 'whole',
    about: 'The port to listen on; 0: one that is free.',
    default: 8_088,
    min: 0,
    max: 65_535,
    variable: 'KEELSON_PORT',
    option: '--port',
  },
  hosts: {
    kind: 'list',
    about: 'Further names that requests may give as `Host`, without a port.',
    default: [],
    // Anything else would be no name of any request, and the setting would do nothing.
    form: {
      pattern: '^(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9._-]+)$',
      is: 'a name such as keelson.example.com, without a port or a path',
    },
    variable: 'KEELSON_HOSTS',
    option: '--allow-host-name',
  },
  origins: {
    kind: 'list',
    about: 'Origins of web pages that may ask, such as https://panel.example.com (CORS). Default: none.',
    default: [],
    // As browsers write them; there is no word for all of them.
    form: {
      pattern: '^https?://(\\[[0-9a-f:.]+\\]|[a-z0-9._-]+)(:[0-9]{1,5})?$',
      is: 'an origin such as https://panel.example.com, in small letters and without a path',
    },
    variable: 'KEELSON_ORIGINS',
  },
  trustProxy: {
    kind: 'list',
    about: 'Addresses or ranges of proxies whose `X-Forwarded-…` headers count.',
    default: [],
    variable: 'KEELSON_TRUST_PROXY',
  },
  'auth.keys': {
    kind: 'flag',
    about: 'Callers are known by API keys (`keelson keys create`).',
    default: false,
    variable: 'KEELSON_AUTH_KEYS',
    option: '--auth-keys',
  },
  'auth.local': {
    kind: 'flag',
    about: 'Whoever reaches the loopback address is the local user. Default: only where no other way is configured.',
    variable: 'KEELSON_AUTH_LOCAL',
  },
  'auth.oidc.issuer': {
    kind: 'text',
    about: 'Callers are known by tokens of this OIDC issuer.',
    form: HTTP_ADDRESS,
    variable: 'KEELSON_OIDC_ISSUER',
  },
  'auth.oidc.audience': {
    kind: 'text',
    about: 'What `aud` of a token must name. Needed with an issuer.',
    variable: 'KEELSON_OIDC_AUDIENCE',
  },
  'auth.oidc.jwksUri': {
    kind: 'text',
    about: "Where the issuer's keys are. Default: where its /.well-known/openid-configuration says.",
    form: HTTP_ADDRESS,
    variable: 'KEELSON_OIDC_JWKS_URI',
  },
  'auth.oidc.algorithms': {
    kind: 'list',
    about: 'Signatures that are taken.',
    default: ['RS256', 'ES256'],
    values: TOKEN_ALGORITHMS,
    variable: 'KEELSON_OIDC_ALGORITHMS',
  },
  'auth.oidc.claims.tenant': {
    kind: 'text',
    about: 'The claim with the tenant; a name with dots is looked for as it stands, then as a path.',
    default: 'tenant',
    variable: 'KEELSON_OIDC_CLAIM_TENANT',
  },
  'auth.oidc.claims.actor': {
    kind: 'text',
    about: 'The claim with the name of the caller.',
    default: 'sub',
    variable: 'KEELSON_OIDC_CLAIM_ACTOR',
  },
  'auth.oidc.claims.roles': {
    kind: 'text',
    about: 'The claim with the roles: a list, or words with blanks between them.',
    default: 'roles',
    variable: 'KEELSON_OIDC_CLAIM_ROLES',
  },
  'auth.oidc.login.clientId': {
    kind: 'text',
    about: 'People log in with a browser at the issuer, as this client of it.',
    variable: 'KEELSON_LOGIN_CLIENT_ID',
  },
  'auth.oidc.login.clientSecretFrom': {
    kind: 'text',
    about: 'The environment variable that has the secret of that client. Default: a client without a secret.',
    form: { pattern: '^[A-Za-z_][A-Za-z0-9_]*$', is: 'the name of a variable, not its value' },
    variable: 'KEELSON_LOGIN_CLIENT_SECRET_FROM',
  },
  'auth.oidc.login.redirectUrl': {
    kind: 'text',
    about: 'The address of /login/callback as browsers reach it and the issuer knows it. Needed with a client.',
    form: HTTP_ADDRESS,
    variable: 'KEELSON_LOGIN_REDIRECT_URL',
  },
  'auth.oidc.login.scopes': {
    kind: 'list',
    about: 'Scopes that are asked for, so that the ID token has the claims.',
    default: ['openid', 'profile'],
    variable: 'KEELSON_LOGIN_SCOPES',
  },
  'auth.oidc.commandLine.clientId': {
    kind: 'text',
    about: 'People log in with `keelson login` at the issuer, as this public client of it.',
    variable: 'KEELSON_COMMAND_LINE_CLIENT_ID',
  },
  'auth.oidc.commandLine.scopes': {
    kind: 'list',
    about: 'Scopes that are asked for there; with offline_access the login is renewed without the person.',
    default: ['openid', 'offline_access'],
    variable: 'KEELSON_COMMAND_LINE_SCOPES',
  },
  'auth.oidc.commandLine.audienceAs': {
    kind: 'text',
    about:
      'The parameter by which the issuer is asked for a token with the audience: resource (RFC 8707), audience, or none.',
    default: 'none',
    values: ['none', 'resource', 'audience'],
    variable: 'KEELSON_COMMAND_LINE_AUDIENCE_AS',
  },
  dir: {
    kind: 'text',
    about: 'The state folder; in the file, relative to the file.',
    default: '.keelson',
    variable: 'KEELSON_DIR',
    option: '--dir',
  },
  store: {
    kind: 'text',
    about: 'A PostgreSQL database that keeps the runs instead of the state folder. Keep passwords out of the file.',
    form: { pattern: '^postgres(ql)?://', is: 'an address that begins with postgres://' },
    variable: 'KEELSON_STORE',
    option: '--store',
    isSecret: true,
  },
  keysDir: {
    kind: 'text',
    about: 'The folder of the keys that sign tasks and receipts; in the file, relative to the file.',
    variable: 'KEELSON_KEYS_DIR',
    option: '--keys-dir',
  },
  duties: {
    kind: 'list',
    about: 'What the process does.',
    default: DUTIES,
    values: DUTIES,
    variable: 'KEELSON_DUTIES',
    option: '--duties',
  },
  engine: {
    kind: 'text',
    about: 'The engine on which new runs start.',
    default: 'embedded',
    values: ['embedded', 'temporal'],
    variable: 'KEELSON_ENGINE',
    option: '--engine',
  },
  ...TEMPORAL_SETTINGS,
  'egress.allow': {
    kind: 'list',
    about: 'Private hosts, addresses or ranges that http steps may go to, beside public ones.',
    default: [],
    variable: 'KEELSON_EGRESS_ALLOW',
  },
  'egress.only': {
    kind: 'flag',
    about: 'They may go to those alone, and to no other public one.',
    default: false,
    variable: 'KEELSON_EGRESS_ONLY',
  },
  commands: {
    kind: 'flag',
    about: 'Plans may start programs (`command` steps). Default: only with `keelson dev`.',
    variable: 'KEELSON_COMMANDS',
  },
  environmentSecrets: {
    kind: 'list',
    about:
      'Environment variables that `secret://` of the tenant local may name by their own names, beside KEELSON_SECRET_ and a name.',
    default: [],
    variable: 'KEELSON_ENVIRONMENT_SECRETS',
  },
  receipts: {
    kind: 'flag',
    about: 'Sign receipts of starts and ends of runs into the state folder.',
    default: false,
    variable: 'KEELSON_RECEIPTS',
  },
  'signals.approvalFor': {
    kind: 'list',
    about: 'Signals that a second person has to accept before they are applied.',
    default: [],
    values: Object.keys(SIGNALS),
    variable: 'KEELSON_APPROVAL_FOR',
  },
  'limits.ratePerMinute.principal': {
    kind: 'whole',
    about: 'Requests of one principal in a minute; 0: no limit.',
    default: LIMITS.requestsPerPrincipal,
    min: 0,
    max: MOST,
    variable: 'KEELSON_RATE_PRINCIPAL',
  },
  'limits.ratePerMinute.tenant': {
    kind: 'whole',
    about: 'Requests of one tenant in a minute; 0: no limit.',
    default: LIMITS.requestsPerTenant,
    min: 0,
    max: MOST,
    variable: 'KEELSON_RATE_TENANT',
  },
  'limits.ratePerMinute.address': {
    kind: 'whole',
    about:
      'Deliveries to triggers of one address in a minute whose signature does not fit, and as many logins that fail; 0: no limit.',
    default: LIMITS.requestsPerAddress,
    min: 0,
    max: MOST,
    variable: 'KEELSON_RATE_ADDRESS',
  },
  'limits.streamsPerPrincipal': {
    kind: 'whole',
    about: 'Open streams of one principal.',
    default: LIMITS.streamsPerPrincipal,
    min: 1,
    max: MOST,
    variable: 'KEELSON_STREAMS_PER_PRINCIPAL',
  },
  'limits.connections': {
    kind: 'whole',
    about: 'Connections at a time.',
    default: LIMITS.connections,
    min: 1,
    max: MOST,
    variable: 'KEELSON_CONNECTIONS',
  },
  'alerts.log': {
    kind: 'text',
    about:
      'A line for each alert of this priority or a higher one: P1, P2, P3 or off. Whoever wants alerts has every run followed, which costs throughput.',
    default: 'off',
    values: ['off', ...ALERT_PRIORITY_NAMES],
    variable: 'KEELSON_ALERTS_LOG',
  },
  'alerts.webhook.url': {
    kind: 'text',
    about: 'Alerts are sent there by POST, signed as Standard Webhooks, and tried again until they are taken.',
    form: HTTP_ADDRESS,
    variable: 'KEELSON_ALERTS_WEBHOOK_URL',
  },
  'alerts.webhook.secret': {
    kind: 'text',
    about:
      'The key of the signature, in base64, with or without `whsec_` before it. Needed with an address; keep it out of the file.',
    form: {
      pattern: '^(whsec_)?[A-Za-z0-9+/]{32,}={0,2}$',
      is: 'a key in base64 of at least 32 characters, with or without whsec_ before it',
    },
    variable: 'KEELSON_ALERTS_WEBHOOK_SECRET',
    isSecret: true,
  },
  'alerts.webhook.priority': {
    kind: 'text',
    about: 'Alerts of this priority or a higher one are sent. What only informs is sent once it persists.',
    default: 'P2',
    values: ALERT_PRIORITY_NAMES,
    variable: 'KEELSON_ALERTS_WEBHOOK_PRIORITY',
  },
  'alerts.webhook.allow': {
    kind: 'list',
    about: 'Private hosts, addresses or ranges that the webhook may be at. Public ones need not be named.',
    default: [],
    variable: 'KEELSON_ALERTS_WEBHOOK_ALLOW',
  },
  log: {
    kind: 'text',
    about: 'A line for each request: text, json (always with --json) or off.',
    default: 'text',
    values: ['text', 'json', 'off'],
    variable: 'KEELSON_LOG',
    option: '--log',
  },
} as const satisfies Readonly<Record<string, Setting>>

export type SettingName = keyof typeof SETTINGS

interface Kinds {
  readonly text: string
  readonly whole: number
  readonly flag: boolean
  readonly list: readonly string[]
}

export type SettingValue<N extends SettingName> =
  Kinds[(typeof SETTINGS)[N]['kind']] | ((typeof SETTINGS)[N] extends { readonly default: unknown } ? never : undefined)

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[]
