/** `keelson dev` and the ways in which editors save: in place, by another file of the same name, in folders that are new. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { ROOT } from '../../scripts/terminal.ts'
import { ensureBuilt } from './built.ts'
import { Command, folderWith, until } from './command.ts'

beforeAll(ensureBuilt)

const planOf = (planId: string, word: string): string => `plan: ${planId}
version: 1.0.0
steps: [{ id: a, wait: { forMs: 1 } }]
output: { word: ${word} }
`

/** As most editors do it: nobody sees half of the new text. */
function replace(file: string, text: string): void {
  writeFileSync(`${file}.new~`, text)
  renameSync(`${file}.new~`, file)
}

it('a plan is served as it was saved last, however often an editor replaces its file, also in a new folder', async () => {
  const folder = folderWith({ 'a.yaml': planOf('a', 'first') })
  const server = new Command(['dev', '--port', '0', '--json'], folder)
  const [, url = ''] = await server.shows(/"server":"ready","url":"([^"]+)"/)
  const word = async (planId: string): Promise<string | undefined> => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ planId })
    const answer = await fetch(`${url}/v1/executions?mode=sync`, { method: 'POST', headers, body })
    return ((await answer.json()) as { output?: { word?: string } }).output?.word
  }
  expect(await word('a')).toBe('first')
  for (const text of ['second', 'third', 'fourth']) {
    replace(join(folder, 'a.yaml'), planOf('a', text))
    await until(`${text} is served`, async () => (await word('a')) === text)
  }
  writeFileSync(join(folder, 'a.yaml'), planOf('a', 'fifth'))
  await until('what was written in place is served', async () => (await word('a')) === 'fifth')
  for (const text of ['inner', 'inmost']) {
    mkdirSync(join(folder, 'plans'))
    writeFileSync(join(folder, 'plans', 'b.yaml'), planOf('b', text))
    await until(`${text} is served`, async () => (await word('b')) === text)
    replace(join(folder, 'plans', 'b.yaml'), planOf('b', `${text}-edited`))
    await until(`${text} is served as edited`, async () => (await word('b')) === `${text}-edited`)
    rmSync(join(folder, 'plans'), { recursive: true })
  }
  replace(join(folder, 'a.yaml'), planOf('a', 'last'))
  await until('the folder itself is still watched', async () => (await word('a')) === 'last')
  server.kill('SIGINT')
  expect((await server.finished).code).toBe(0)
})

it('the examples are served at the one address that is printed: the page is there, and a request starts one of them', async () => {
  const server = new Command(['dev', join(ROOT, 'examples'), '--port', '0'], folderWith({}))
  const [, url = ''] = await server.shows(/is ready at (http:\S+)/)
  const page = await fetch(url)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  const [script = ''] = /\/assets\/index-[^"]+\.js/.exec(await page.text()) ?? []
  expect((await fetch(`${url}${script}`)).status).toBe(200)
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ planId: 'etl' })
  const answer = await fetch(`${url}/v1/executions?mode=sync`, { method: 'POST', headers, body })
  expect(await answer.json()).toMatchObject({ status: 'COMPLETED', output: { rejected: expect.anything() } })
  expect(server.stdout.match(/https?:\/\//g)).toHaveLength(1)
  server.kill('SIGINT')
  expect((await server.finished).code).toBe(0)
})
