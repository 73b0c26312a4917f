/** A signal that a server judges, and the run as it then goes on. */
import type { SignalType } from '../../../core/run/signals/catalogue.ts'
import type { LeftSignal } from '../../../library/act/leave-signal.ts'
import { findRun } from '../open/find-run.ts'
import { FollowedRun } from '../remote/followed-run.ts'
import type { SentFromAfar } from '../remote/remote-run.ts'
import { RemoteRuns } from '../remote/remote-runs.ts'
import { needServer } from '../remote/server-client.ts'
import type { Options } from '../terminal/command.ts'

export interface Followed extends SentFromAfar {
  readonly handle: FollowedRun
}

export async function sendAfar(
  name: string,
  { signalType, payload, signalId }: LeftSignal & { readonly signalType: SignalType },
  options: Options,
): Promise<Followed> {
  const client = await needServer(options)
  const run = await findRun(new RemoteRuns(client), name)
  const sent = await run.signal(signalType, payload, signalId === undefined ? {} : { signalId })
  return { ...sent, handle: new FollowedRun(client, run.row) }
}
