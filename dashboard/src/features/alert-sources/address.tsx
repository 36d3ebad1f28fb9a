import type { AlertSource } from '@vedette/shared'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CodeLines } from '../../components/copy.tsx'
import { Confirm, SecretDialog } from '../../components/dialog.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { alertSources as text } from '../../messages/alert-sources.ts'
import { setUpLines } from './set-up.ts'

/** The address of a source, from an answer that has its token. */
export function AddressDialog({ source: { type, address }, onClose }: { source: AlertSource; onClose: () => void }) {
  const lines = setUpLines(type, address)
  return (
    <SecretDialog onClose={onClose} title={text.addressTitle} description={text.addressLead}>
      <p>{text.setUp[type]}</p>
      <CodeLines label={text.setUp[type]} lines={lines} />
      {lines.join('') !== address && <CodeLines label={text.address} lines={[address]} />}
    </SecretDialog>
  )
}

/** Makes another address and shows it once. */
export function RotateAddress({ id }: { id: string }) {
  const { client } = useViewer()
  const cache = useCache()
  const [isOpen, setOpen] = useState(false)
  const [source, setSource] = useState<AlertSource>()
  const rotate = async () => {
    setSource(await client.alertSources.rotateToken(id))
    await cache.invalidate('alert-sources')
  }
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
      {source !== undefined && <AddressDialog source={source} onClose={() => setSource(undefined)} />}
    </>
  )
}
