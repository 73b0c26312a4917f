/** `keelson plan import` as a person uses it: a foreign workflow becomes a plan file that runs, or is refused with its lines. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { ensureBuilt } from './built.ts'
import { folderWith, jsonLines, keelson, linesOf, sideLines } from './command.ts'

const WORKFLOW = `{
  "schemaVersion": 1, "workflowId": "billing", "workspaceId": "acme", "name": "Billing",
  "version": 2, "active": true, "executionTier": "Assisted",
  "actions": [
    { "actionId": "write", "order": 1, "portFamily": "FinanceAccounting", "operation": "invoice:write" },
    { "actionId": "send", "order": 2, "portFamily": "CommsCollaboration", "operation": "mail:send" }
  ]
}
`
const MATRIX = `{
  "portFamily": "FinanceAccounting",
  "capabilities": [
    { "capability": "invoice:write", "supported": true, "safety": { "supportsCompensation": true },
      "compensationOperation": "invoice:reverse",
      "compensationInputSchema": { "type": "object", "required": ["invoiceId", "reason"] } }
  ]
}
`
const STEPS = `import { appendFileSync } from 'node:fs'
export const invoice = {
  write: () => ({ invoiceId: 'inv-7' }),
  reverse: ({ invoiceId }) => appendFileSync('side.txt', 'reversed ' + invoiceId + '\\n'),
}
export const mail = { send: () => { throw Object.assign(new Error('no address'), { name: 'ConflictError' }) } }
`

beforeAll(ensureBuilt)

it('an imported workflow is a plan file that checks and runs, and its matrix undoes what a later action fails after [GRF-14]', async () => {
  const folder = folderWith({ 'w.json': WORKFLOW, 'm.json': MATRIX, 'keelson.steps.mjs': STEPS })
  const made = await keelson(['plan', 'import', 'w.json', '--matrix', 'm.json', '--out', 'plan.yaml'], folder)
  expect(made).toMatchObject({ code: 0, stderr: '' })
  expect(made.stdout).toMatch(/^✔ plan\.yaml {3}billing 2, 2 steps {3}sha256 [0-9a-f]{64}\n$/)
  expect((await keelson(['plan', 'check', 'plan.yaml'], folder)).stdout).toContain('billing 2, 2 steps')
  expect((await keelson(['run', 'plan.yaml'], folder)).code).toBe(1)
  expect(sideLines(folder)).toEqual(['reversed inv-7'])
})

it('without --out the plan is printed, as YAML or with --json as one object', async () => {
  const folder = folderWith({ 'w.json': WORKFLOW })
  const { stdout } = await keelson(['plan', 'import', 'w.json'], folder)
  expect(linesOf(stdout).slice(0, 2)).toEqual(['plan: billing', 'version: "2"'])
  const [line] = jsonLines((await keelson(['plan', 'import', 'w.json', '--json'], folder)).stdout)
  expect(line).toMatchObject({ planId: 'billing', planVersion: '2', plan: { steps: [{ run: 'invoice.write' }, {}] } })
})

it('mistakes of workflow and matrix are told together with file, line and column, and nothing is written [GRF-14, CMP-07]', async () => {
  const looser = WORKFLOW.replace('"mail:send"', '"mail:send", "executionTierOverride": "Auto"')
  const folder = folderWith({ 'w.json': looser, 'm.json': MATRIX.replace('invoice:reverse', 'reverse') })
  const refused = await keelson(['plan', 'import', 'w.json', '--matrix', 'm.json', '--out', 'plan.yaml'], folder)
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toMatch(/^w\.json:6:\d+ {2}WORKFLOW_INVALID {2}.*looser/)
  expect(refused.stderr).toMatch(/^m\.json:5:32 {2}CAPABILITY_MATRIX_INVALID {2}.*<entity>:<verb>/m)
  expect(existsSync(join(folder, 'plan.yaml'))).toBe(false)
})
