import type { ApiKey } from '@vedette/shared'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/dialog.tsx'
import { Panel, SkeletonRows, Trouble } from '../../components/page.tsx'
import { Pager } from '../../components/pager.tsx'
import { Tags } from '../../components/tags.tsx'
import { Ago, Instant, useNow } from '../../components/time.tsx'
import { toast } from '../../components/toast.tsx'
import { useScope, useViewer } from '../../lib/api.ts'
import { fullDate } from '../../lib/time.ts'
import { text } from '../../messages/index.ts'
import { MakeKey } from './make-key.tsx'

const words = text.settings.keys
const route = getRouteApi('/settings/{-$section}')
const LIMIT = 50

export function ApiKeys() {
  const { client } = useViewer()
  const scope = useScope()
  const { page = 1 } = route.useSearch()
  const navigate = useNavigate({ from: '/settings/{-$section}' })
  const [isMaking, setMaking] = useState(false)
  const keys = useQuery({
    queryKey: [scope, 'api-keys', page],
    queryFn: ({ signal }) => client.apiKeys.list({ page, limit: LIMIT }, { signal }),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <Panel
        title={words.title}
        flush
        aside={
          <Button small look="primary" onClick={() => setMaking(true)}>
            {words.make}
          </Button>
        }
      >
        <p className="px-4 pb-3 text-muted">{words.lead}</p>
        {keys.isError && <Trouble error={keys.error} />}
        {keys.data ? (
          <ul className="divide-y divide-line border-line border-t">
            {keys.data.api_keys.length === 0 && <li className="px-4 py-3 text-muted">{words.none}</li>}
            {keys.data.api_keys.map((key) => (
              <KeyRow key={key.id} apiKey={key} />
            ))}
          </ul>
        ) : (
          <SkeletonRows rows={3} />
        )}
        {keys.data && (
          <Pager
            page={page}
            limit={LIMIT}
            total={keys.data.total}
            onPage={(next) => void navigate({ to: '/settings/{-$section}', params: { section: 'keys' }, search: { page: next } })}
          />
        )}
      </Panel>
      {isMaking && <MakeKey onClose={() => setMaking(false)} />}
    </>
  )
}

function KeyRow({ apiKey: { id, name, prefix, scopes, created_at, last_used_at, expires_at, revoked_at } }: { apiKey: ApiKey }) {
  const { client } = useViewer()
  const scope = useScope()
  const queries = useQueryClient()
  const now = useNow()
  const [isRevoking, setRevoking] = useState(false)
  const isExpired = expires_at !== null && Date.parse(expires_at) <= now
  const isDead = revoked_at !== null || isExpired
  const revoke = async () => {
    await client.apiKeys.revoke(id)
    toast(words.isRevoked(name))
    await queries.invalidateQueries({ queryKey: [scope, 'api-keys'] })
  }
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1.5 px-4 py-2.5">
      <div className="min-w-0 flex-1 basis-44">
        <p className={`truncate font-medium ${isDead ? 'text-muted line-through' : ''}`}>{name}</p>
        <p className="flex flex-wrap items-center gap-x-2 text-[0.9rem] text-muted">
          <span className="font-mono">{prefix}…</span>
          <span>
            {words.created} <Instant at={created_at} format={fullDate} />
          </span>
          <span>
            {words.used} {last_used_at === null ? text.never : <Ago at={last_used_at} />}
          </span>
        </p>
      </div>
      <Tags tags={scopes} />
      {isDead ? (
        <span className="text-muted">{revoked_at === null ? words.expired : words.revoked}</span>
      ) : (
        <Button small onClick={() => setRevoking(true)}>
          {words.revoke}
        </Button>
      )}
      <Confirm
        isOpen={isRevoking}
        onClose={() => setRevoking(false)}
        title={words.revokeTitle(name)}
        description={words.revokeLead}
        action={words.revoke}
        onConfirm={revoke}
      />
    </li>
  )
}
