/** Makes a trigger; then its address and, where the server made the secret, the secret: shown once, here, and nowhere afterwards. */
import { useState, type ReactElement } from 'react'
import type { AnswerOf } from '../../../src/core/api/contract.ts'
import type { createTrigger } from '../../../src/core/api/triggers.ts'
import { goTo, pathOf, setQuery } from '../address/address.ts'
import { session } from '../server/session.ts'
import { CopyButton } from '../shown/copy-button.tsx'
import { TriggerForm } from './trigger-form.tsx'
import { senderAddress } from './trigger-words.ts'

type Made = AnswerOf<typeof createTrigger>

export function NewTrigger({ onMade }: { readonly onMade: () => void }): ReactElement {
  const [made, setMade] = useState<Made>()
  if (made !== undefined) return <ShownOnce made={made} />
  return (
    <TriggerForm
      onClose={() => setQuery({ new: undefined }, 'step')}
      onKeep={async (trigger, body) => {
        setMade(await session.get().client.call('createTrigger', { body: { trigger, ...body } }))
        onMade()
      }}
    />
  )
}

function ShownOnce({ made }: { readonly made: Made }): ReactElement {
  const { trigger, secret } = made
  const address = senderAddress(made)
  return (
    <section className="preview" aria-label="The new trigger">
      <p>Give this address to the sender:</p>
      <p className="secret">
        <code>{address}</code> <CopyButton text={address} words="Copy the address" />
      </p>
      {secret === undefined ? null : (
        <>
          <p>And this secret, which is shown once: the server keeps it sealed and cannot show it again.</p>
          <p className="secret">
            <code>{secret}</code> <CopyButton text={secret} words="Copy the secret" />
          </p>
        </>
      )}
      <button type="button" onClick={() => goTo(pathOf('trigger', { trigger }))}>
        {secret === undefined ? 'Go on' : 'I have it'}
      </button>
    </section>
  )
}
