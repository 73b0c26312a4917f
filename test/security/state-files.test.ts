/** Who else on the machine can read what is kept, and where a link in the state folder leads. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { localArtifacts } from '../../src/adapters/artifacts/local.ts'
import { fileSecrets } from '../../src/adapters/secrets/file.ts'
import { systemRandom } from '../../src/adapters/system/random.ts'
import { loadPlan, openKeelson, restoreKeelson } from '../../src/main.ts'
import { ROOT } from '../../scripts/terminal.ts'
import { ensureBuilt } from '../e2e/built.ts'
import { folderWith, jsonLines, keelson } from '../e2e/command.ts'
import { startChild } from '../fixtures/child.ts'

const PLAN = 'plan: p\nversion: 1.0.0\nsteps: [{ id: a, run: f }]\n'
const STEPS =
  'export const f = async (input, { artifacts }) => { await artifacts.put("bytes", { kind: "log" }); return 1 }\n'
const files = { 'p.yaml': PLAN, 'keelson.steps.mjs': STEPS }

beforeAll(() => ensureBuilt())

/** Through a shell, because only that sets a umask for one command. */
async function underUmask(umask: string, args: string, cwd: string): Promise<void> {
  const child = startChild(
    'sh',
    ['-c', `umask ${umask}; "${process.execPath}" "${join(ROOT, 'bin/keelson.js')}" ${args}`],
    { cwd },
  )
  const code = await new Promise((resolve) => child.on('close', resolve))
  expect([args, code]).toEqual([args, 0])
}

/** Each path below the folder, and it, with its mode where that is not what it should be. */
function tooOpen(folder: string): readonly string[] {
  return ['.', ...readdirSync(folder, { recursive: true }).map(String)].flatMap((name) => {
    const entry = lstatSync(join(folder, name))
    const wanted = entry.isDirectory() ? 0o700 : 0o600
    return (entry.mode & 0o777) === wanted ? [] : [`${name} ${(entry.mode & 0o777).toString(8)}`]
  })
}

async function codeOf(work: () => Promise<unknown>): Promise<string> {
  const thrown = await work().then(
    () => undefined,
    (error: unknown) => error as { readonly code?: string; readonly message: string },
  )
  return `${thrown?.code ?? 'none'} ${thrown?.message ?? ''}`
}

describe('what a run leaves behind', () => {
  it.each(['000', '022', '077'])(
    'is its owner’s alone under umask %s: database, log, backup, bundles, notes',
    async (umask) => {
      const folder = folderWith(files)
      await underUmask(umask, 'run p.yaml', folder)
      await underUmask(umask, 'run p.yaml', folder)
      await underUmask(umask, 'backup kept.db', folder)
      await underUmask(umask, 'export last --out bundle.jsonl', folder)
      await underUmask(umask, 'archive last', folder)
      await underUmask(umask, 'restore kept.db --force', folder)
      expect(tooOpen(join(folder, '.keelson'))).toEqual([])
      const names = readdirSync(join(folder, '.keelson'))
      expect(names).toEqual(
        expect.arrayContaining(['archive', 'artifacts', 'keelson.db', 'keys', 'receipts', 'sources']),
      )
      for (const name of ['kept.db', 'bundle.jsonl']) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
    },
  )

  it('is so while the database is open: its write-ahead log and its shared memory too', async () => {
    const before = process.umask(0)
    try {
      const folder = folderWith({})
      await using program = await openKeelson({ directory: join(folder, 'state'), steps: { f: () => 1 } })
      await (await program.start(loadPlan(PLAN))).result()
      expect(readdirSync(join(folder, 'state'))).toEqual(
        expect.arrayContaining(['keelson.db', 'keelson.db-shm', 'keelson.db-wal']),
      )
      expect(tooOpen(join(folder, 'state'))).toEqual([])
    } finally {
      process.umask(before)
    }
  })

  it('by an older version is closed when it is opened, and a folder with other things in it keeps its own rights', async () => {
    for (const [state, mixed] of [
      ['.keelson', false],
      ['state', false],
      ['mine', true],
    ] as const) {
      const folder = folderWith({})
      const directory = join(folder, state)
      await (await openKeelson({ directory })).close()
      mkdirSync(join(directory, 'receipts'), { recursive: true })
      writeFileSync(join(directory, 'receipts', '2026-01.jsonl'), '')
      if (mixed) writeFileSync(join(directory, 'inbox row.txt'), 'mine')
      const made = readdirSync(directory, { recursive: true }).map(String)
      for (const name of ['.', ...made])
        chmodSync(join(directory, name), lstatSync(join(directory, name)).isDirectory() ? 0o755 : 0o644)
      const { code, stdout } = await keelson(['doctor', '--dir', state, '--json'], folder)
      const finding = jsonLines(stdout).find((line) => line['name'] === 'state files')
      expect([state, code, finding?.['health']]).toEqual([state, 6, 'bad'])
      expect(finding?.['todo']).toMatch(mixed ? /^chmod -R go-rwx mine\/keelson\.db / : `chmod -R go-rwx ${state}`)
      await (await openKeelson({ directory })).close()
      expect(tooOpen(directory)).toEqual(mixed ? ['. 755', 'inbox row.txt 644'] : [])
    }
  })

  it('that others can read is named by doctor with the command that mends it, and then all is well', async () => {
    const folder = folderWith(files)
    await keelson(['run', 'p.yaml'], folder)
    chmodSync(join(folder, '.keelson', 'keelson.db'), 0o644)
    const told = await keelson(['doctor'], folder)
    expect(told.stdout).toMatch(
      /✖ state files +others on this machine can use \.keelson\/keelson\.db\n +→ chmod -R go-rwx \.keelson\n/,
    )
    await new Promise((resolve) =>
      startChild('chmod', ['-R', 'go-rwx', '.keelson'], { cwd: folder }).on('close', resolve),
    )
    expect((await keelson(['doctor'], folder)).stdout).toMatch(/✔ state files +readable by you alone/)
  })
})

describe('a symbolic link', () => {
  async function stateWithRun(): Promise<{ readonly folder: string; readonly directory: string }> {
    const folder = folderWith({ ...files, 'victim.txt': 'untouched' })
    const directory = join(folder, '.keelson')
    const program = await openKeelson({ directory, receipts: true, steps: { f: () => 1 } })
    await (await program.start(loadPlan(PLAN))).result()
    await program.close()
    mkdirSync(join(directory, 'sources'))
    return { folder, directory }
  }

  it('is refused by every command, and named by doctor', async () => {
    const { folder, directory } = await stateWithRun()
    renameSync(join(directory, 'keelson.db'), join(folder, 'other.db'))
    symlinkSync(join(folder, 'other.db'), join(directory, 'keelson.db'))
    for (const args of [['run', 'p.yaml'], ['runs'], ['resume'], ['verify', 'last'], ['backup', 'kept.db']]) {
      const { code, stderr } = await keelson(args, folder)
      expect([args[0], code === 0, /STATE_LINK_REFUSED/.test(stderr)]).toEqual([args[0], false, true])
    }
    expect((await keelson(['doctor'], folder)).stdout).toMatch(
      /✖ state links +STATE_LINK_REFUSED {2}\.keelson\/keelson\.db is a symbolic link/,
    )
  })

  it.each([
    ['the state folder', '.', 'elsewhere'],
    ['the database', 'keelson.db', 'other.db'],
    ['the write-ahead log', 'keelson.db-wal', 'victim.txt'],
    ['the shared memory', 'keelson.db-shm', 'victim.txt'],
    ['the notes of runs', 'sources', 'elsewhere'],
    ['the receipts', 'receipts', 'elsewhere'],
    ['the artifacts', 'artifacts', 'elsewhere'],
    ['the keys', 'keys', 'elsewhere'],
    ['a key', 'keys/k1', 'victim.txt'],
    ['a month of receipts', 'receipts/2026-01.jsonl', 'victim.txt'],
    ['a note of a run', 'sources/some-run.json', 'victim.txt'],
    ['what leads nowhere', 'audit', 'nothing-there'],
  ])(
    'in place of %s is refused, and what it leads to stays as it is',
    async (_what, name, target) => {
      const { folder, directory } = await stateWithRun()
      const path = join(directory, name)
      const to = join(folder, target)
      if (existsSync(path)) renameSync(path, `${join(folder, target)}${target === 'victim.txt' ? '.old' : ''}`)
      symlinkSync(to, path.replace(/\/\.$/, ''))
      const before = existsSync(to) && statSync(to).isFile() ? readFileSync(to) : undefined
      const code = await codeOf(async () => (await openKeelson({ directory, adopt: false })).close())
      expect(code).toContain('STATE_LINK_REFUSED')
      expect(code).toContain(path.replace(/\/\.$/, ''))
      expect(existsSync(to) && statSync(to).isFile() ? readFileSync(to) : undefined).toEqual(before)
      expect(readFileSync(join(folder, 'victim.txt'), 'utf8')).toBe('untouched')
    },
    60_000,
  )

  it('where a backup is restored to is not written through', async () => {
    const { folder, directory } = await stateWithRun()
    const program = await openKeelson({ directory })
    await program.maintenance.backup(join(folder, 'kept.db'))
    await program.close()
    rmSync(join(directory, 'keelson.db'))
    symlinkSync(join(folder, 'victim.txt'), join(directory, 'keelson.db'))
    const restored = codeOf(() => restoreKeelson({ file: join(folder, 'kept.db'), directory, force: true }))
    expect(await restored).toContain('STATE_LINK_REFUSED')
    rmSync(join(directory, 'keelson.db'))
    symlinkSync(join(folder, 'victim.txt'), join(directory, 'keelson.db.restoring'))
    await codeOf(() => restoreKeelson({ file: join(folder, 'kept.db'), directory, force: true }))
    expect(readFileSync(join(folder, 'victim.txt'), 'utf8')).toBe('untouched')
  })

  it('in place of a tenant’s artifacts or of their bytes is refused', async () => {
    const folder = folderWith({ 'victim.txt': 'untouched' })
    const artifacts = localArtifacts(join(folder, 'artifacts'), systemRandom)
    const holder = { tenantId: 'acme', runId: 'run-1' }
    const ref = await artifacts.put(holder, 'bytes', { kind: 'log' })
    const own = join(folder, 'artifacts', 'tenants', 'acme', 'runs', 'run-1', ref.sha256 ?? '')
    rmSync(own)
    symlinkSync(join(folder, 'victim.txt'), own)
    expect(await codeOf(() => artifacts.get(holder, ref))).toContain('STATE_LINK_REFUSED')
    for (const name of ['tenants/acme/runs', 'tenants/acme', 'tenants']) {
      const path = join(folder, 'artifacts', name)
      renameSync(path, join(folder, 'moved'))
      symlinkSync(join(folder, 'moved'), path)
      for (const work of [
        () => artifacts.put(holder, 'more', { kind: 'log' }),
        () => artifacts.get(holder, ref),
        () => artifacts.drop(holder),
      ])
        expect([name, await codeOf(work)]).toEqual([name, expect.stringContaining('STATE_LINK_REFUSED') as string])
      rmSync(path)
      renameSync(join(folder, 'moved'), path)
    }
  })

  it('in place of a secrets file, or of its tenant, reads no secret of another file [SEC-04]', async () => {
    const folder = folderWith({})
    mkdirSync(join(folder, 'secrets', 'acme'), { recursive: true })
    writeFileSync(join(folder, 'private.json'), '{ "token": "of the user" }', { mode: 0o600 })
    symlinkSync(join(folder, 'private.json'), join(folder, 'secrets', 'acme', 'prod.json'))
    symlinkSync(join(folder, 'secrets', 'acme'), join(folder, 'secrets', 'globex'))
    for (const tenantId of ['acme', 'globex'])
      expect(
        await codeOf(() =>
          fileSecrets(join(folder, 'secrets')).resolve(['secret://token'], { tenantId, environmentId: 'prod' }),
        ),
      ).toContain('STATE_LINK_REFUSED')
  })
})
