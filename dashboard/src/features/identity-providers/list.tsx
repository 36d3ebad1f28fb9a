import type { IdentityProvider } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CodeLines } from '../../components/copy.tsx'
import { Confirm } from '../../components/dialog.tsx'
import { Deleted } from '../../components/deleted.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { ManagedNote } from '../../components/managed.tsx'
import { toast } from '../../components/toast.tsx'
import { useRestore } from '../../components/use-restore.ts'
import { useCache, useViewer } from '../../lib/api.ts'
import { identityProviders as text } from '../../messages/identity-providers.ts'
import { ProviderEditor } from './editor.tsx'

const PAGE_LIMIT = 50

/** The identity providers of the organization; nothing for those who are not its owners. */
export function IdentityProviders() {
  const { can } = useViewer()
  return can('org:update') ? <Providers /> : null
}

function Providers() {
  const { client, organizationId } = useViewer()
  const [isAdding, setAdding] = useState(false)
  const providers = useQuery({
    queryKey: [organizationId, 'identity-providers'],
    queryFn: ({ signal }) => client.identityProviders.list({ limit: PAGE_LIMIT }, { signal }),
  })
  return (
    <>
      <ListPanel
        title={text.title}
        lead={text.lead}
        empty={text.empty}
        add={
          <Button small variant="primary" onClick={() => setAdding(true)}>
            {text.add}
          </Button>
        }
        query={providers}
        rowsOf={(answer) => answer.identity_providers}
        row={(provider) => <ProviderRow key={provider.id} provider={provider} />}
      />
      <Deleted of="identityProviders" may="org:update" />
      {isAdding && <ProviderEditor onClose={() => setAdding(false)} />}
    </>
  )
}

function ProviderRow({ provider }: { provider: IdentityProvider }) {
  const { client } = useViewer()
  const cache = useCache()
  const restore = useRestore('identityProviders')
  const [open, setOpen] = useState<'edit' | 'remove'>()
  const { id, name, kind, issuer, enabled, callback_url: callback, back_channel_logout_url: logout } = provider
  const close = () => setOpen(undefined)
  const remove = async () => {
    await client.identityProviders.remove(id)
    toast(text.removed, () => restore(id, name))
    await cache.invalidate('identity-providers')
  }
  return (
    <li className="grid gap-2 px-4 py-2.5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1.5">
        <div className="min-w-0 flex-1 basis-44">
          <p className="cut font-medium">
            {name} {!enabled && <span className="text-muted">· {text.disabled}</span>}
          </p>
          <p className="cut text-[0.9rem] text-muted">
            {text.kinds[kind]} · {issuer}
          </p>
        </div>
        <Button small onClick={() => setOpen('edit')}>
          {text.edit}
        </Button>
        <Button small onClick={() => setOpen('remove')}>
          {text.remove}
        </Button>
      </div>
      <ManagedNote managed={provider.managed} />
      <Domains provider={provider} />
      <Address label={text.callback} url={callback} />
      {logout !== null && <Address label={text.logout} url={logout} />}
      {open === 'edit' && <ProviderEditor provider={provider} onClose={close} />}
      <Confirm
        isOpen={open === 'remove'}
        onClose={close}
        onConfirm={remove}
        title={text.removeTitle}
        description={text.removeLead}
        action={text.remove}
      />
    </li>
  )
}

/** Those without proof, with the record that proves each. */
function Domains({ provider: { domains, domain_token: token } }: { provider: IdentityProvider }) {
  const missing = domains.filter(({ proved_at: provedAt }) => provedAt === null)
  const proved = domains.filter(({ proved_at: provedAt }) => provedAt !== null)
  return (
    <>
      {proved.length > 0 && <p className="text-[0.9rem] text-good">{text.proved(proved.map(({ name }) => name).join(', '))}</p>}
      {missing.length > 0 && (
        <div>
          <p className="text-[0.9rem] text-warn">{text.unproved}</p>
          <CodeLines label={text.record} lines={missing.map(({ name }) => `_vedette-domain.${name}. TXT "${token}"`)} />
        </div>
      )}
    </>
  )
}

function Address({ label, url }: { label: string; url: string }) {
  return (
    <div>
      <p className="text-[0.9rem] text-muted">{label}</p>
      <CodeLines label={label} lines={[url]} />
    </div>
  )
}
