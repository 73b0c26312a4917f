/** Lists that must say the same thing: error codes, their pages and uses; guarantees and tests; commands and documents. */
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { errorPages, ERROR_PAGES } from '../../scripts/error-pages.ts'
import { staleFiles } from '../../scripts/generated-file.ts'
import { filesUnder, productFiles, textOf } from '../../scripts/repository.ts'
import { waitingProofs } from '../../scripts/waiting-proofs.ts'
import { allTitles } from '../../scripts/test-titles.ts'
import { EVENTS } from '../../src/core/events/event.ts'
import { REGISTRY } from '../../src/core/problems/registry.ts'
import { parse, walk } from './source.ts'

const documents = filesUnder('.', ['.md'])

describe('error codes', () => {
  it('each has its page, and no page is left over', () => {
    expect(staleFiles(errorPages(), ERROR_PAGES)).toEqual([])
  })

  it('each is used by the product outside the registry', () => {
    const used = new Set(textOf('bin/keelson.js').match(/\b[A-Z][A-Z0-9_]+\b/g))
    for (const path of productFiles().filter((file) => !file.startsWith('src/core/problems/'))) {
      walk(parse(path), (node) => (ts.isStringLiteralLike(node) ? used.add(node.text) : undefined))
    }
    expect(Object.keys(REGISTRY).filter((code) => !used.has(code))).toEqual([])
  })

  it('each is named by a test: somebody has seen it', () => {
    const tests = [...filesUnder('test', ['.ts']), ...filesUnder('src', ['.test.ts'])]
    const cases = filesUnder('src/testing', ['.ts'])
    const named = new Set([...tests, ...cases].flatMap((path) => textOf(path).match(/\b[A-Z][A-Z0-9_]+\b/g) ?? []))
    expect(Object.keys(REGISTRY).filter((code) => !named.has(code))).toEqual([])
  })
})

it('every guarantee names a test that exists, of something that a user can reach', () => {
  const proofs = textOf('GUARANTEES.md')
    .split('\n')
    .filter((line) => line.startsWith('- '))
    .map((line) => ({ line, proof: /proved by “([^”]+)”/.exec(line)?.[1] }))
  const waitsFor = waitingProofs()
  const reachable = allTitles().filter(({ path, text }) => waitsFor(path, text) === undefined)
  const titles = new Set(reachable.map(({ text }) => text))
  expect(proofs.filter(({ proof }) => proof === undefined || !titles.has(proof)).map(({ line }) => line)).toEqual([])
})

it('no document uses a handler-style event name, except in a marked counter-example [EVT-38]', () => {
  const handlerName = new RegExp(`\\b[oO]n(${Object.keys(EVENTS).join('|')})\\b`)
  const wrongIn = (text: string): readonly string[] =>
    text.split('\n').filter((line) => handlerName.test(line) && !line.includes('counter-example'))
  expect(documents.flatMap((path) => wrongIn(textOf(path)).map((line) => `${path}: ${line}`))).toEqual([])
  expect(wrongIn('listen to onRunStarted\nnever OnStepFailed (counter-example)\nonFailure: hold')).toEqual([
    'listen to onRunStarted',
  ])
})

it('continuous integration runs exactly the test command of the README', () => {
  const command = 'npm ci && npm test'
  expect(textOf('README.md').split('\n')).toContain(command)
  const lines = textOf('.ci/run').trimEnd().split('\n')
  expect(lines.at(-1)).toBe(command)
})

it('links between documents lead somewhere', () => {
  const all = new Set(filesUnder('.'))
  const folders = new Set(
    [...all].flatMap((path) => path.split('/').map((_, index, parts) => parts.slice(0, index).join('/'))),
  )
  const dead = documents.flatMap((path) =>
    [...textOf(path).matchAll(/\]\(([^)#\s]+)(#[^)]*)?\)/g)]
      .map((match) => match[1] ?? '')
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const resolved = new URL(target, `file:///${path}`).pathname.slice(1).replace(/\/$/, '')
        return !all.has(resolved) && !folders.has(resolved)
      })
      .map((target) => `${path} → ${target}`),
  )
  expect(dead).toEqual([])
})
