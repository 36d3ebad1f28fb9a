import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Page } from '../../components/page.tsx'
import { QueryPage } from '../../components/query-page.tsx'
import { toast } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { channelQuery } from '../../lib/channel-queries.ts'
import { messages } from '../../messages/index.ts'
import { ChannelEditor } from './editor.tsx'
import { type ChannelInput, NEW_CHANNEL, toChannelInput, toCreateBody, toPatchBody } from './input.ts'
import { newSecretIn, RotateSecret, SigningSecretDialog } from './secret.tsx'
import { TestButton } from './test-button.tsx'

const text = messages.alerts.channels
const route = getRouteApi('/alerts/channels/$channelId')
const LIST = { to: '/alerts/{-$section}', params: { section: 'channels' } } as const

export function AddChannelPage() {
  const { client, can } = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  /** Of a webhook: shown before the list opens. */
  const [secret, setSecret] = useState<string>()
  const save = async (input: ChannelInput, idempotencyKey: string) => {
    const channel = await client.channels.create(toCreateBody(input), { idempotencyKey })
    toast(messages.done.created(channel.name))
    await cache.invalidate('channels')
    // The backend adds the first channel to all rules without one.
    await cache.invalidate('alert-rules')
    const created = newSecretIn(channel)
    if (created === undefined) await navigate(LIST)
    else setSecret(created)
  }
  if (!can('integrations:manage')) return <Page title={text.addTitle}>{text.forbidden}</Page>
  return (
    <Page title={text.addTitle}>
      <ChannelEditor input={NEW_CHANNEL} isNew action={text.create} onSave={save} />
      {secret !== undefined && <SigningSecretDialog secret={secret} onClose={() => void navigate(LIST)} />}
    </Page>
  )
}

export function ChannelPage() {
  const viewer = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  const { channelId } = route.useParams()
  const save = async (input: ChannelInput) => {
    await viewer.client.channels.update(channelId, toPatchBody(input))
    toast(messages.done.saved)
    await cache.invalidate('channels')
    await navigate(LIST)
  }
  return (
    <QueryPage title={text.title} query={useQuery(channelQuery(viewer, channelId))}>
      {(channel) =>
        viewer.can('integrations:manage') ? (
          <Page
            title={messages.titles.edit(channel.name)}
            aside={
              <>
                {channel.type === 'webhook' && <RotateSecret channelId={channelId} />}
                <TestButton id={channelId} name={channel.name} type={channel.type} />
              </>
            }
          >
            <ChannelEditor
              key={JSON.stringify(channel)}
              input={toChannelInput(channel)}
              isNew={false}
              action={messages.actions.save}
              onSave={save}
            />
          </Page>
        ) : (
          <Page title={channel.name}>{text.forbidden}</Page>
        )
      }
    </QueryPage>
  )
}
