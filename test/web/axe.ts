/** What axe says of a page. */
import axe from 'axe-core'
import type { Page } from 'playwright-core'

export interface Found {
  readonly id: string
  readonly impact: string
  readonly targets: readonly string[]
}

/** What it calls serious or critical. It runs beside the page's own policy, which forbids scripts of others. */
export async function seriousIn(page: Page): Promise<readonly Found[]> {
  await page.evaluate(axe.source)
  const found = await page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.map(({ id, impact, nodes }) => ({ id, impact, targets: nodes.map(({ target }) => target.join(' ')) })))`)
  return (found as Found[]).filter(({ impact }) => impact === 'serious' || impact === 'critical')
}
