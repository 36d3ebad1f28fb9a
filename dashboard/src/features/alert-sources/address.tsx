import type { AlertSource } from '@vedette/shared'
import { CodeLines } from '../../components/copy.tsx'
import { SecretDialog } from '../../components/dialog.tsx'
import { RotateButton } from '../../components/rotate-button.tsx'
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
  const rotate = async () => {
    const source = await client.alertSources.rotateToken(id)
    await cache.invalidate('alert-sources')
    return source
  }
  return (
    <RotateButton texts={text} onRotate={rotate}>
      {(source, close) => <AddressDialog source={source} onClose={close} />}
    </RotateButton>
  )
}
