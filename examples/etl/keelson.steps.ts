/** Read, check, keep, add up. Batches are artifacts: the log holds pointers to them, never their rows. */
import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { StepContext } from 'keelson'

interface Sale {
  readonly id: string
  readonly month: string
  readonly region: string
  readonly amount: number
}
interface Rejected {
  readonly row: string
  readonly why: string
}
interface Stored {
  readonly uri: string
  readonly rows: number
}

export async function extract(input: { readonly file: string; readonly batchSize: number }) {
  const text = await readFile(new URL(input.file, import.meta.url), 'utf8')
  const [, ...rows] = text.trimEnd().split('\n')
  const batches: string[][] = []
  for (let at = 0; at < rows.length; at += input.batchSize) batches.push(rows.slice(at, at + input.batchSize))
  return { rows: rows.length, batches }
}

/** A row as the warehouse wants it, or why it is not taken. */
function transform(row: string): Sale | Rejected {
  const [id = '', date = '', region = '', , quantity = '', price = ''] = row.split(',')
  if (!/^\d{4}-\d\d-\d\d$/.test(date)) return { row, why: 'the date is none' }
  if (region === '') return { row, why: 'the region is missing' }
  const amount = Number(quantity) * Number(price)
  if (!Number.isFinite(amount)) return { row, why: 'quantity and price are not numbers' }
  return { id, month: date.slice(0, 7), region, amount: Math.round(amount * 100) / 100 }
}

export const warehouse = {
  /** Every third batch meets a warehouse that is busy, once. The same rows twice are stored once. */
  async load(
    input: { readonly rows: readonly string[]; readonly batch: number },
    { attempt, signal, artifacts }: StepContext,
  ) {
    await pause(250 + 60 * (input.batch % 4), undefined, { signal })
    if (attempt === 1 && input.batch % 3 === 1)
      throw Object.assign(new Error('the warehouse is busy'), { code: 'HTTP_503', statusCode: 503 })
    const taken = input.rows.map(transform)
    const sales = taken.filter((one) => 'id' in one)
    const name = `batch-${input.batch}.json`
    const { uri } = await artifacts.put(JSON.stringify(sales), { kind: 'sales', name })
    return { stored: { uri, rows: sales.length }, rejected: taken.filter((one) => 'why' in one) }
  },
}

export async function summarise(
  input: { readonly batches: readonly Stored[]; readonly rejected: readonly Rejected[] },
  { artifacts }: StepContext,
) {
  const cents: Record<string, number> = {}
  let rows = 0
  for (const { uri } of input.batches) {
    for (const { region, amount } of JSON.parse(new TextDecoder().decode(await artifacts.get({ uri }))) as Sale[]) {
      cents[region] = (cents[region] ?? 0) + Math.round(amount * 100)
      rows += 1
    }
  }
  const byRegion = Object.fromEntries(
    Object.entries(cents)
      .sort(([, one], [, other]) => other - one)
      .map(([region, sum]) => [region, sum / 100]),
  )
  const report = ['region,amount', ...Object.entries(byRegion).map((entry) => entry.join(','))].join('\n')
  const { uri } = await artifacts.put(`${report}\n`, { kind: 'report', name: 'sales-by-region.csv' })
  return { rows, batches: input.batches.length, rejected: input.rejected.length, byRegion, report: uri }
}
