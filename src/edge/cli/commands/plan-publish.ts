/**
 * `keelson plan publish`: from now on the plan is found by its id, and by its id with its version. Nothing is started.
 */
import type { Call } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { hashesOf, readPlanFile } from '../files/plan-file.ts'
import { anchorHeads } from '../open/anchor-heads.ts'
import { serverClient } from '../remote/server-client.ts'
import { openOrCreate } from '../open/session.ts'
import { VersionKeeper } from '../plans/version-keeper.ts'

export async function planPublish({ args, options, terminal }: Call): Promise<number> {
  const file = readPlanFile(args[0] ?? '')
  const { compiled } = file
  const { planId, planVersion } = compiled.plan.metadata
  const tell = (sha256: string): void => {
    const { green, bold, dim } = terminal.paint
    if (options.json) terminal.json({ planId, planVersion, ...hashesOf(compiled) })
    else terminal.line(`${green('✔')} ${bold(planId)} ${planVersion} is published   ${dim(`sha256 ${sha256}`)}`)
  }
  const client = await serverClient(options)
  if (client !== undefined) {
    tell((await client.publish(file.text, { file: file.path })).sha256)
    return EXIT.completed
  }
  const keelson = await openOrCreate(options)
  try {
    const versions = new VersionKeeper(options, terminal, { isTrial: false })
    const sha256 = await versions.keep(compiled, (how) => keelson.publish(compiled, how))
    tell(sha256)
    await anchorHeads(keelson, options, terminal)
    return EXIT.completed
  } finally {
    await keelson.close()
  }
}
