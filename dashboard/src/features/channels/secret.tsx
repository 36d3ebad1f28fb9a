import type { Channel } from '@vedette/shared'
import { MASK } from '@vedette/shared/tables'
import { CodeLines } from '../../components/copy.tsx'
import { SecretDialog } from '../../components/dialog.tsx'
import { RotateButton } from '../../components/rotate-button.tsx'
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
  const rotate = async () => newSecretIn(await client.channels.update(channelId, { config: { secret: null } }))
  return (
    <RotateButton texts={text} onRotate={rotate}>
      {(secret, close) => <SigningSecretDialog secret={secret} onClose={close} />}
    </RotateButton>
  )
}
