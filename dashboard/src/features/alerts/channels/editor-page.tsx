import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Page, SkeletonRows, Trouble } from '../../../components/page.tsx'
import { toast } from '../../../components/toast.tsx'
import { useScope, useViewer } from '../../../lib/api.ts'
import { text } from '../../../messages/index.ts'
import { channelQuery } from '../queries.ts'
import { type ChannelDraft, channelDraftOf, createBodyOf, EMPTY_CHANNEL, MASK, patchBodyOf } from './draft.ts'
import { ChannelEditor } from './editor.tsx'
import { RotateSecret, SecretDialog } from './secret.tsx'
import { TestButton } from './test.tsx'

const words = text.alerts.channels
const route = getRouteApi('/alerts/channels/$channelId')
const LIST = { to: '/alerts/{-$section}', params: { section: 'channels' } } as const

export function AddChannelPage() {
  const { client, can } = useViewer()
  const scope = useScope()
  const queries = useQueryClient()
  const navigate = useNavigate()
  /** Of a webhook: shown before the page goes on. */
  const [secret, setSecret] = useState<string>()
  const save = async (draft: ChannelDraft) => {
    const { name, type, config } = await client.channels.create(createBodyOf(draft))
    toast(words.created(name))
    await queries.invalidateQueries({ queryKey: [scope, 'channels'] })
    // The first channel is given to the rules that have none.
    await queries.invalidateQueries({ queryKey: [scope, 'alert-rules'] })
    if (type === 'webhook' && config.secret !== undefined && config.secret !== MASK) setSecret(config.secret)
    else await navigate(LIST)
  }
  if (!can('integrations:manage')) return <Page title={words.addTitle}>{words.forbidden}</Page>
  return (
    <Page title={words.addTitle}>
      <ChannelEditor draft={EMPTY_CHANNEL} isNew action={words.create} onSave={save} />
      {secret !== undefined && <SecretDialog secret={secret} onClose={() => void navigate(LIST)} />}
    </Page>
  )
}

export function ChannelPage() {
  const { client, can } = useViewer()
  const scope = useScope()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { channelId } = route.useParams()
  const channel = useQuery(channelQuery(scope, client, channelId))
  if (channel.isError) {
    return (
      <Page title={words.title}>
        <Trouble error={channel.error} onRetry={() => void channel.refetch()} />
      </Page>
    )
  }
  if (!channel.data) {
    return (
      <Page title={words.title}>
        <SkeletonRows />
      </Page>
    )
  }
  const { data } = channel
  if (!can('integrations:manage')) return <Page title={data.name}>{words.forbidden}</Page>
  const save = async (draft: ChannelDraft) => {
    await client.channels.update(channelId, patchBodyOf(draft))
    toast(words.saved)
    await queries.invalidateQueries({ queryKey: [scope, 'channels'] })
    await navigate(LIST)
  }
  return (
    <Page
      title={words.editTitle(data.name)}
      aside={
        <>
          {data.type === 'webhook' && <RotateSecret channelId={channelId} />}
          <TestButton id={channelId} name={data.name} type={data.type} />
        </>
      }
    >
      <ChannelEditor
        key={JSON.stringify(data)}
        draft={channelDraftOf(data)}
        isNew={false}
        action={text.actions.save}
        onSave={save}
      />
    </Page>
  )
}
