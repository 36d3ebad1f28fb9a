import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CodeLines } from '../../components/copy.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { FormFault } from '../../components/field.tsx'
import { useViewer } from '../../lib/api.ts'
import { sentenceOf } from '../../lib/errors.ts'
import { text } from '../../messages/index.ts'

const words = text.servers.token

/** Makes a token and shows it once, with the line that sets it on the host. */
export function NewToken({ serverId, onClose }: { serverId: string; onClose: () => void }) {
  const { client } = useViewer()
  const [token, setToken] = useState<string>()
  const [fault, setFault] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const make = () => {
    setBusy(true)
    client.servers
      .regenerateToken(serverId)
      .then(
        ({ token }) => setToken(token),
        (error: unknown) => setFault(sentenceOf(error)),
      )
      .finally(() => setBusy(false))
  }
  if (token !== undefined) {
    return (
      <Dialog isOpen onClose={onClose} title={words.madeTitle} description={words.madeLead} wide>
        <CodeLines label={words.line} lines={[`printf '%s' '${token}' | sudo vedette-agent token set`]} />
        <div className="mt-4 flex justify-end">
          <Button look="primary" onClick={onClose}>
            {text.actions.done}
          </Button>
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog isOpen onClose={onClose} title={words.title} description={words.lead}>
      <FormFault>{fault}</FormFault>
      <div className="mt-2 flex justify-end gap-2">
        <Button onClick={onClose}>{text.actions.cancel}</Button>
        <Button look="primary" onClick={make} disabled={isBusy}>
          {words.submit}
        </Button>
      </div>
    </Dialog>
  )
}
