import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { createEditorPages, type PagesOf } from '../../components/editor-pages.tsx'
import { Page } from '../../components/page.tsx'
import { toast } from '../../components/toast.tsx'
import { useUndo } from '../../components/use-undo.ts'
import { useCache, useViewer } from '../../lib/api.ts'
import { channels as text } from '../../messages/channels.ts'
import { alerts } from '../../messages/alerts.ts'
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
  const undo = useUndo()
  /** Of a webhook: shown before the list opens. */
  const [secret, setSecret] = useState<string>()
  const save = async (input: ChannelInput, idempotencyKey: string) => {
    const channel = await client.channels.create(toCreateBody(input), { idempotencyKey })
    toast(messages.done.created(channel.name), undo(channel.id))
    await cache.invalidate('channels')
    // The backend adds the first channel to all rules without one.
    await cache.invalidate('alert-rules')
    const created = newSecretIn(channel)
    if (created === undefined) await navigate(LIST)
    else setSecret(created)
  }
  if (!can('integrations:manage')) return <Page title={alerts.channels.addTitle}>{text.forbidden}</Page>
  return (
    <Page title={alerts.channels.addTitle}>
      <ChannelEditor input={NEW_CHANNEL} isNew action={text.create} onSave={save} />
      {secret !== undefined && <SigningSecretDialog secret={secret} onClose={() => void navigate(LIST)} />}
    </Page>
  )
}

const pages: PagesOf<ChannelInput> = createEditorPages({
  noun: 'channels',
  api: ({ channels }) => channels,
  permission: 'integrations:manage',
  texts: { ...text, add: alerts.channels.addTitle },
  Editor: ChannelEditor,
  useNew: () => NEW_CHANNEL,
  toInput: toChannelInput,
  toBody: toCreateBody,
  toPatchBody,
  useId: () => route.useParams().channelId,
  leave: (navigate) => navigate(LIST),
  heading: ({ id, name, type }) => ({
    aside: (
      <>
        {type === 'webhook' && <RotateSecret channelId={id} />}
        <TestButton id={id} name={name} type={type} />
      </>
    ),
  }),
  readOnly: ({ name }) => <Page title={name}>{text.forbidden}</Page>,
})
export const { EditPage: ChannelPage } = pages
