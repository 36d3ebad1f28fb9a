import type { Channel } from '@vedette/shared'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Page } from '../../components/page.tsx'
import { QueryPage } from '../../components/query-page.tsx'
import { toast } from '../../components/toast.tsx'
import { useCache, useEditedQuery, useViewer } from '../../lib/api.ts'
import { useEdit } from '../../lib/use-edit.ts'
import { channels as text } from '../../messages/channels.ts'
import { messages } from '../../messages/index.ts'
import { ChannelEditor } from './editor.tsx'
import { type ChannelInput, NEW_CHANNEL, toChannelInput, toCreateBody, toPatchBody } from './input.ts'
import { newSecretIn, RotateSecret, SigningSecretDialog } from './secret.tsx'
import { TestButton } from './test-button.tsx'

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
  if (!can('integrations:manage')) return <Page title={messages.alerts.channels.addTitle}>{text.forbidden}</Page>
  return (
    <Page title={messages.alerts.channels.addTitle}>
      <ChannelEditor input={NEW_CHANNEL} isNew action={text.create} onSave={save} />
      {secret !== undefined && <SigningSecretDialog secret={secret} onClose={() => void navigate(LIST)} />}
    </Page>
  )
}

export function ChannelPage() {
  const { can } = useViewer()
  const { channelId } = route.useParams()
  const channel = useEditedQuery('channels', channelId, ({ channels }, signal) => channels.read(channelId, { signal }))
  return (
    <QueryPage title={text.title} query={channel}>
      {(data) =>
        can('integrations:manage') ? (
          <Page
            title={messages.titles.edit(data.name)}
            aside={
              <>
                {data.type === 'webhook' && <RotateSecret channelId={channelId} />}
                <TestButton id={channelId} name={data.name} type={data.type} />
              </>
            }
          >
            <EditChannel channel={data} />
          </Page>
        ) : (
          <Page title={data.name}>{text.forbidden}</Page>
        )
      }
    </QueryPage>
  )
}

function EditChannel({ channel }: { channel: Channel }) {
  const { client } = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  const edit = useEdit({
    resource: channel,
    read: () => client.channels.read(channel.id),
    toInput: toChannelInput,
    toBody: toPatchBody,
    patch: (changes, options) => client.channels.update(channel.id, changes, options),
  })
  const save = async (input: ChannelInput) => {
    if (!(await edit.save(input))) return
    toast(messages.done.saved)
    await cache.invalidate('channels')
    await navigate(LIST)
  }
  return (
    <ChannelEditor
      key={edit.revision}
      input={edit.input}
      saved={edit.saved}
      conflict={edit.conflict}
      isNew={false}
      action={messages.actions.save}
      onSave={save}
    />
  )
}
