/** Ways out of the process and into other code exist only where this table lists them. */
import ts from 'typescript'
import { expect, it } from 'vitest'
import { productFiles } from '../../scripts/repository.ts'
import { importsOf, parse, place, walk } from './source.ts'

/** Folder or file prefixes; an entry that nothing uses any more must go. */
const DOORS: Readonly<Record<string, readonly string[]>> = {
  // Besides the door itself: to find a port that is free, and to see whether one is; the server, which listens and calls nobody; the keys
  // of the issuer that its operator configured, and its tokens for people who log in, on the command line too. The client goes to the one server that its user named, runs in their process or browser,
  // and is no part of an engine: a plan cannot reach it.
  network: [
    'src/adapters/egress/',
    'src/adapters/processes/free-port.ts',
    'src/adapters/processes/temporal-server.ts',
    'src/edge/http/defence/',
    'src/edge/http/login/issuer-client.ts',
    'src/edge/http/serve/',
    'src/edge/http/who/issuer-keys.ts',
    'src/edge/cli/login/',
    'src/client/connection.ts',
  ],
  // The command line asks Node's own syntax check, starts itself in the background, and opens the browser; it runs nothing of the user's that way.
  processes: [
    'src/adapters/processes/',
    'src/edge/cli/files/load-failure.ts',
    'src/edge/cli/drive/detached.ts',
    'src/edge/cli/login/open-browser.ts',
  ],
  'code from text': [],
}

const MODULES: Readonly<Record<string, keyof typeof DOORS>> = {
  'node:http': 'network',
  'node:https': 'network',
  'node:http2': 'network',
  'node:net': 'network',
  'node:tls': 'network',
  'node:dgram': 'network',
  'node:dns': 'network',
  'node:child_process': 'processes',
  'node:cluster': 'processes',
  'openid-client': 'network',
  'node:vm': 'code from text',
}
const NAMES: Readonly<Record<string, keyof typeof DOORS>> = {
  fetch: 'network',
  WebSocket: 'network',
  EventSource: 'network',
  XMLHttpRequest: 'network',
  eval: 'code from text',
  Function: 'code from text',
}

interface Use {
  readonly door: string
  readonly path: string
  readonly at: string
}

function usesOfNames(path: string, source: ts.SourceFile): readonly Use[] {
  const found: Use[] = []
  walk(source, (node) => {
    if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return
    const callee = node.expression
    const global = ts.isPropertyAccessExpression(callee) && callee.expression.getText() === 'globalThis'
    const name = ts.isIdentifier(callee) ? callee.text : global ? callee.name.text : ''
    const door = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined
    if (door !== undefined) found.push({ door, path, at: `${place(node)} ${name}` })
  })
  return found
}

function usesIn(path: string): readonly Use[] {
  const modules = importsOf(path).flatMap((item) => {
    const door =
      MODULES[item.to.replace(/^(node:dns)\/.*/, '$1')] ??
      (item.to === '<computed>' ? undefined : MODULES[`node:${item.to}`])
    return door === undefined ? [] : [{ door, path, at: `${item.at} ${item.to}` }]
  })
  return [...modules, ...usesOfNames(path, parse(path))]
}

const uses = productFiles().flatMap(usesIn)

it('sockets, processes and code from text are opened only where listed', () => {
  const strangers = uses.filter((use) => !(DOORS[use.door] ?? []).some((door) => use.path.startsWith(door)))
  expect(strangers.map((use) => use.at)).toEqual([])
})

it('every listed door is in use', () => {
  const idle = Object.entries(DOORS).flatMap(([door, prefixes]) =>
    prefixes.filter((prefix) => !uses.some((use) => use.door === door && use.path.startsWith(prefix))),
  )
  expect(idle).toEqual([])
})

it('the search sees calls, constructions and imports', () => {
  const probe = ts.createSourceFile(
    'probe.ts',
    'fetch("x"); new Function("y"); globalThis.eval("z"); a.fetch()',
    ts.ScriptTarget.Latest,
    true,
  )
  expect(usesOfNames('probe.ts', probe).map((use) => use.door)).toEqual(['network', 'code from text', 'code from text'])
})
