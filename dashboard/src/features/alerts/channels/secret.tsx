import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { CodeLines } from '../../../components/copy.tsx'
import { Confirm, Dialog } from '../../../components/dialog.tsx'
import { useViewer } from '../../../lib/api.ts'
import { text } from '../../../messages/index.ts'
import { MASK } from './draft.ts'

const words = text.alerts.channels

/** Of a webhook, as the answer that made it has it. */
export function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Dialog isOpen onClose={onClose} title={words.secretTitle} description={words.secretLead} wide>
      <CodeLines label={words.secret} lines={[secret]} />
      <div className="mt-4 flex justify-end">
        <Button look="primary" onClick={onClose}>
          {text.actions.done}
        </Button>
      </div>
    </Dialog>
  )
}

/** Makes another secret and shows it once. */
export function RotateSecret({ channelId }: { channelId: string }) {
  const { client } = useViewer()
  const [isAsking, setAsking] = useState(false)
  const [secret, setSecret] = useState<string>()
  const rotate = async () => {
    const { config } = await client.channels.update(channelId, { config: { secret: null } })
    if (config.secret !== undefined && config.secret !== MASK) setSecret(config.secret)
  }
  return (
    <>
      <Button onClick={() => setAsking(true)}>{words.rotate}</Button>
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={words.rotateTitle}
        description={words.rotateLead}
        action={words.rotateDo}
        onConfirm={rotate}
      />
      {secret !== undefined && <SecretDialog secret={secret} onClose={() => setSecret(undefined)} />}
    </>
  )
}
