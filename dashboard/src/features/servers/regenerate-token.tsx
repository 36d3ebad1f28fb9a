import { useState } from 'react'
import { CodeLines } from '../../components/copy.tsx'
import { Confirm, SecretDialog } from '../../components/dialog.tsx'
import { useViewer } from '../../lib/api.ts'
import { messages } from '../../messages/index.ts'

const text = messages.servers.token

/** Creates a token and shows it once, with the command that sets it on the host. */
export function RegenerateToken({ serverId, isOpen, onClose }: { serverId: string; isOpen: boolean; onClose: () => void }) {
  const { client } = useViewer()
  const [token, setToken] = useState<string>()
  return (
    <>
      <Confirm
        isOpen={isOpen}
        onClose={onClose}
        title={text.title}
        description={text.lead}
        action={text.regenerate}
        onConfirm={async () => setToken((await client.servers.regenerateToken(serverId)).token)}
      />
      {token !== undefined && (
        <SecretDialog onClose={() => setToken(undefined)} title={text.newTitle} description={text.newLead}>
          <CodeLines label={text.command} lines={[`printf '%s' '${token}' | sudo vedette-agent token set`]} />
        </SecretDialog>
      )}
    </>
  )
}
