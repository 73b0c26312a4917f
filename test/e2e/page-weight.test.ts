/** What the page adds to the package: those who never open a browser install it too. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { filesUnder } from '../../scripts/repository.ts'
import { ROOT } from '../../scripts/terminal.ts'
import { ensureBuilt } from './built.ts'

beforeAll(ensureBuilt)

const MOST_SHARE = 0.2

it('makes the package less than a fifth larger, counted without the maps of sources and without what is installed beside it', () => {
  const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly files: readonly string[]
  }
  const packed = files.flatMap((path) => (path.includes('.') ? [path] : filesUnder(path)))
  const bytesOf = (paths: readonly string[]): number =>
    paths.reduce((bytes, path) => bytes + statSync(join(ROOT, path)).size, 0)
  const counted = packed.filter((path) => !path.endsWith('.map'))
  const page = counted.filter((path) => path.startsWith('dist/web/'))
  const rest = counted.filter((path) => !path.startsWith('dist/web/'))
  expect(page.length).toBeGreaterThan(10)
  expect(rest.length).toBeGreaterThan(100)
  expect(bytesOf(page) / bytesOf(rest)).toBeLessThan(MOST_SHARE)
})
