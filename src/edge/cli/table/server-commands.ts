/** Commands of the HTTP server: start it, and say who may ask it. */
import type { OptionSpec } from '../terminal/command.ts'
import type { Spec } from '../terminal/command-spec.ts'

const TENANT: OptionSpec = ['--tenant <id>', 'the tenant that the key is for; with --server your own']

const AS: OptionSpec = ['--as <user>', 'with --server: who asks, where the server lets you act for others']

/** The settings say where the runs are. */
const CONFIG: OptionSpec = ['--config <file>', 'settings; default keelson.config.yaml, .yml or .json in the folder']

const SERVING: readonly OptionSpec[] = [
  ['--port <port>', 'default 8088; 0: one that is free'],
  ['--host <address>', 'the address to listen on; default 127.0.0.1'],
  CONFIG,
  ['--print-config', 'show every setting with its value and where it comes from, and end'],
  ['--auth-keys', 'callers are known by API keys (keelson keys create)'],
  ['--allow-host-name <name...>', 'a further name that requests may give as Host'],
  ['--duties <list>', 'what this process does of api,engine,followers,clockwork; default all'],
  ['--engine <name>', 'the engine of new runs: embedded or temporal; default embedded'],
  ['--log <form>', 'a line for each request: text, json or off; default text'],
]

export const SERVER_COMMANDS: readonly Spec[] = [
  {
    use: 'serve [folder]',
    about: 'serve the plans of a folder over HTTP until you stop it',
    options: SERVING,
    examples: [
      'keelson serve',
      'keelson serve examples --port 0',
      'keelson serve --host 0.0.0.0 --auth-keys --allow-host-name keelson.internal',
      'keelson serve --print-config',
    ],
    load: async () => (await import('../commands/serve.ts')).serve,
  },
  {
    use: 'dev [folder]',
    about: 'the same for development: plans may change under one version, and others may be acted for',
    options: SERVING,
    examples: ['keelson dev', 'keelson dev examples'],
    load: async () => (await import('../commands/dev.ts')).dev,
  },
  {
    use: 'login',
    about: 'log in to a server as a person, at the issuer that it names',
    options: [
      ['--open', 'open the browser of this machine; default: only show the address'],
      ['--device', 'log in on another device, with a code'],
    ],
    examples: [
      'keelson login --server https://keelson.example.com',
      'keelson login --server https://keelson.example.com --open',
      'keelson login --server https://keelson.example.com --device',
    ],
    load: async () => (await import('../commands/login.ts')).login,
  },
  {
    use: 'logout',
    about: 'forget the login to a server, and have the issuer end it',
    examples: [
      'keelson logout --server https://keelson.example.com',
      'keelson logout --server https://keelson.example.com --json',
    ],
    load: async () => (await import('../commands/login.ts')).logout,
  },
  {
    use: 'keys create',
    about: 'make an API key of a tenant, and show it once',
    options: [
      TENANT,
      ['--role <role...>', 'viewer, auditor, approver, plan-author, Operator, Engineer, Admin or System'],
      ['--actor <name>', 'who acts with it, in the log; default key:<id>'],
      ['--name <text>', 'what it is for, for people'],
      ['--expires <when>', 'from then on it is refused: 12h, 90d, a day or an instant; default never'],
      CONFIG,
      AS,
    ],
    examples: [
      'keelson keys create --tenant acme --role Operator --expires 90d',
      'keelson keys create --tenant acme --role Admin --actor ana --name "laptop of Ana"',
    ],
    load: async () => (await import('../commands/keys.ts')).createKey,
  },
  {
    use: 'keys list',
    about: 'list API keys, without their secrets',
    options: [['--tenant <id>', 'only keys of this tenant'], CONFIG, AS],
    examples: ['keelson keys list', 'keelson keys list --tenant acme --json'],
    load: async () => (await import('../commands/keys.ts')).listKeys,
  },
  {
    use: 'keys revoke <id>',
    about: 'revoke an API key: the server refuses it from now on',
    options: [CONFIG, AS],
    examples: ['keelson keys revoke 0123456789abcdef', 'keelson keys revoke 0123456789abcdef --json'],
    load: async () => (await import('../commands/keys.ts')).revokeKey,
  },
  {
    use: 'tenants list',
    about: 'list tenants that keys were made for',
    options: [CONFIG],
    examples: ['keelson tenants list', 'keelson tenants list --json'],
    load: async () => (await import('../commands/tenants.ts')).listTenants,
  },
  {
    use: 'tenants delete <tenant>',
    about: 'refuse everybody of a tenant from now on; its runs stay',
    options: [['--yes', 'do not ask'], CONFIG],
    examples: ['keelson tenants delete acme', 'keelson tenants delete acme --yes'],
    load: async () => (await import('../commands/tenants.ts')).deleteTenant,
  },
]
