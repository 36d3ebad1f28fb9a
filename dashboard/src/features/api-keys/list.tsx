import type { ApiKey } from '@vedette/shared'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/dialog.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { useListPage } from '../../components/pager.tsx'
import { Tags } from '../../components/tags.tsx'
import { Ago, Instant, useNow } from '../../components/time.tsx'
import { toast } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { fullDate } from '../../lib/time.ts'
import { messages } from '../../messages/index.ts'
import { settingsPages } from '../../messages/settings-pages.ts'
import { CreateKey } from './create-key.tsx'

const text = settingsPages.keys
const PAGE_LIMIT = 50

export function ApiKeys() {
  const { client, organizationId } = useViewer()
  const page = useListPage()
  const [isCreating, setCreating] = useState(false)
  const keys = useQuery({
    queryKey: [organizationId, 'api-keys', page],
    queryFn: ({ signal }) => client.apiKeys.list({ page, limit: PAGE_LIMIT }, { signal }),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <ListPanel
        title={text.title}
        lead={text.lead}
        empty={text.empty}
        add={
          <Button small variant="primary" onClick={() => setCreating(true)}>
            {text.create}
          </Button>
        }
        query={keys}
        rowsOf={({ api_keys }) => api_keys}
        row={(key) => <KeyRow key={key.id} apiKey={key} />}
        limit={PAGE_LIMIT}
      />
      {isCreating && <CreateKey onClose={() => setCreating(false)} />}
    </>
  )
}

function KeyRow({ apiKey }: { apiKey: ApiKey }) {
  const { id, name, prefix, scopes, created_at, last_used_at, expires_at, revoked_at } = apiKey
  const { client } = useViewer()
  const cache = useCache()
  const now = useNow()
  const [isRevoking, setRevoking] = useState(false)
  const isExpired = expires_at !== null && Date.parse(expires_at) <= now
  const isInvalid = revoked_at !== null || isExpired
  const revoke = async () => {
    await client.apiKeys.revoke(id)
    toast(text.revokedName(name))
    await cache.invalidate('api-keys')
  }
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1.5 px-4 py-2.5">
      <div className="min-w-0 flex-1 basis-44">
        <p className={`cut font-medium ${isInvalid ? 'text-muted line-through' : ''}`}>{name}</p>
        <p className="flex flex-wrap items-center gap-x-2 text-[0.9rem] text-muted">
          <span className="font-mono">{prefix}…</span>
          <span>
            {text.created} <Instant at={created_at} format={fullDate} />
          </span>
          <span>
            {text.lastUsed} {last_used_at === null ? messages.never : <Ago at={last_used_at} />}
          </span>
          {seriesTexts(apiKey).map((one) => (
            <span key={one} className="break-all">
              {one}
            </span>
          ))}
        </p>
      </div>
      <Tags tags={scopes} />
      {isInvalid ? (
        <span className="text-muted">{revoked_at === null ? text.expired : text.revoked}</span>
      ) : (
        <Button small onClick={() => setRevoking(true)}>
          {text.revoke}
        </Button>
      )}
      <Confirm
        isOpen={isRevoking}
        onClose={() => setRevoking(false)}
        title={text.revokeTitle(name)}
        description={text.revokeLead}
        action={text.revoke}
        onConfirm={revoke}
      />
    </li>
  )
}

/** What happens to series that come with the key. */
const seriesTexts = ({ job_kind, dedup_label, drop_labels }: ApiKey): string[] => [
  ...(job_kind === null ? [] : [text.ofNodes]),
  ...(dedup_label === null ? [] : [text.replicasBy(dedup_label)]),
  ...(drop_labels.length === 0 ? [] : [text.without(drop_labels.join(', '))]),
]
