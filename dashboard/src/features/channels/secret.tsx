import type { Channel } from '@vedette/shared'
import { MASK } from '@vedette/shared/tables'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CodeLines } from '../../components/copy.tsx'
import { Confirm, SecretDialog } from '../../components/dialog.tsx'
import { useViewer } from '../../lib/api.ts'
import { channels as text } from '../../messages/channels.ts'

/** The signing secret of a webhook, where this answer is the one that shows it. */
export const newSecretIn = ({ type, config: { secret } }: Channel): string | undefined =>
  type === 'webhook' && secret !== MASK ? secret : undefined

export function SigningSecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <SecretDialog onClose={onClose} title={text.secretTitle} description={text.secretLead}>
      <CodeLines label={text.secret} lines={[secret]} />
    </SecretDialog>
  )
}

/** Creates another secret and shows it once. */
export function RotateSecret({ channelId }: { channelId: string }) {
  const { client } = useViewer()
  const [isOpen, setOpen] = useState(false)
  const [secret, setSecret] = useState<string>()
  const rotate = async () => setSecret(newSecretIn(await client.channels.update(channelId, { config: { secret: null } })))
  return (
    <>
      <Button small onClick={() => setOpen(true)}>
        {text.rotate}
      </Button>
      <Confirm
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={text.rotateTitle}
        description={text.rotateLead}
        action={text.rotate}
        onConfirm={rotate}
      />
      {secret !== undefined && <SigningSecretDialog secret={secret} onClose={() => setSecret(undefined)} />}
    </>
  )
}
