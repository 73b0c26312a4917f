/** `keelson signals`: decisions on signals, as a person and a script read them. */
import { beforeAll, expect, it } from 'vitest'
import { ensureBuilt } from './built.ts'
import { folderWith, jsonLines, keelson } from './command.ts'

beforeAll(ensureBuilt)

const PLAN = 'plan: release\nversion: 1.0.0\nsteps: [{ id: ok, manual: { title: Release it } }]\n'

it('lists what was decided on the signals of a run, shows one by its id, and says SIGNAL_NOT_FOUND with exit code 2', async () => {
  const folder = folderWith({ 'plan.yaml': PLAN })
  await keelson(['run', 'plan.yaml', '--queue'], folder)
  await keelson(['queue', 'start'], folder)
  expect((await keelson(['signals', 'last'], folder)).stdout).toBe('no signal was decided on\n')
  await keelson(['signal', 'last', 'cancel', '--reason', 'not today', '--as', 'ana'], folder)
  await keelson(['resume'], folder)
  await keelson(['signal', 'last', 'pause', '--as', 'ben'], folder)
  const lines = jsonLines((await keelson(['signals', 'last', '--json'], folder)).stdout)
  expect(lines).toMatchObject([
    { signalType: 'CANCEL', decision: 'ACCEPTED', applied: true, audit: { actorId: 'ana', reason: 'not today' } },
    { signalType: 'PAUSE', decision: 'REJECTED', reasonCode: 'RUN_TERMINAL', audit: { actorId: 'ben' } },
  ])
  const { stdout } = await keelson(['signals', 'last'], folder)
  expect(stdout).toMatch(
    /SEQ +TIME +SIGNAL +DECISION +BY +ID +DETAIL\n.*CANCEL +ACCEPTED +ana .* not today\n.*RUN_TERMINAL: /,
  )
  const id = String(lines[0]?.['policyDecisionId'])
  expect(jsonLines((await keelson(['signals', 'last', id, '--json'], folder)).stdout)).toEqual([lines[0]])
  const unknown = await keelson(['signals', 'last', '8d5f4b64-3d55-4f0e-9a58-0c1f54a9d0c1'], folder)
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('SIGNAL_NOT_FOUND')])
})

it('says of a signal that waits in the inbox that nobody has decided on it yet', async () => {
  const folder = folderWith({ 'plan.yaml': PLAN })
  await keelson(['run', 'plan.yaml', '--queue'], folder)
  const [sent] = jsonLines((await keelson(['signal', 'last', 'cancel', '--json'], folder)).stdout)
  expect(sent).toMatchObject({ pending: true })
  const { code, stderr } = await keelson(['signals', 'last', String(sent?.['signalId'])], folder)
  expect([code, stderr]).toEqual([2, expect.stringContaining('nobody has decided on it yet')])
})
