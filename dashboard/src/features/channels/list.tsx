import type { Channel } from '@vedette/shared'
import { MASK, CHANNEL_TYPES } from '@vedette/shared/tables'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { AddLink } from '../../components/add-link.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { Deleted } from '../../components/deleted.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { useListPage } from '../../components/pager.tsx'
import { Ago } from '../../components/time.tsx'
import { toast } from '../../components/toast.tsx'
import { useRestore } from '../../components/use-restore.ts'
import { useCache, useViewer } from '../../lib/api.ts'
import { CHANNEL_PAGE_LIMIT, channelsQuery } from '../../lib/channel-queries.ts'
import { channels as text } from '../../messages/channels.ts'
import { alerts } from '../../messages/alerts.ts'
import { messages } from '../../messages/index.ts'
import { TestButton } from './test-button.tsx'

export function ChannelList() {
  const viewer = useViewer()
  return (
    <>
      <ListPanel
        title={text.title}
        lead={text.lead}
        empty={text.empty}
        add={viewer.can('integrations:manage') && <AddLink small to="/alerts/channels/add" label={alerts.channels.add} />}
        query={useQuery(channelsQuery(viewer, useListPage()))}
        rowsOf={({ channels }) => channels}
        row={(channel) => <ChannelRow key={channel.id} channel={channel} />}
        limit={CHANNEL_PAGE_LIMIT}
      />
      <Deleted of="channels" may="integrations:manage" />
    </>
  )
}

/** Where a channel sends to, without secrets. */
const destinationOf = ({ config: { url, to, chat_id, topic } }: Channel): string =>
  [url, to, chat_id, topic].filter((part) => part !== undefined && part !== MASK).join(' · ')

function ChannelRow({ channel }: { channel: Channel }) {
  const { client, can } = useViewer()
  const cache = useCache()
  const restore = useRestore('channels')
  const { id, name, type, enabled, last_error, address_confirmed } = channel
  const destination = destinationOf(channel)
  const remove = async () => {
    await client.channels.remove(id)
    toast(messages.done.deleted(name), () => restore(id, name))
    cache.remove('channels', id)
    await cache.invalidate('channels')
    await cache.invalidate('alert-rules')
  }
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
      <div className="min-w-0 flex-1 basis-52">
        {can('integrations:manage') ? (
          <Link
            to="/alerts/channels/$channelId"
            params={{ channelId: id }}
            className={`block cut font-medium hover:text-accent hover:underline ${enabled ? '' : 'text-muted'}`}
          >
            {name}
          </Link>
        ) : (
          <span className="block cut font-medium">{name}</span>
        )}
        <p className="cut text-[0.92rem] text-muted">
          {CHANNEL_TYPES[type]?.label ?? type}
          {destination !== '' && <> · {destination}</>}
          {!enabled && <> · {alerts.channels.disabled}</>}
        </p>
        {address_confirmed === false && <p className="text-[0.92rem] text-warn">{text.notConfirmed}</p>}
        {last_error && (
          <p className="text-[0.92rem] break-words text-bad">
            {text.failed(last_error.attempts)} <Ago at={last_error.at} />: {last_error.message}
          </p>
        )}
      </div>
      {can('integrations:manage') && (
        <span className="flex items-center gap-1">
          <TestButton id={id} name={name} type={type} />
          <DeleteButton name={name} lead={text.deleteLead} onDelete={remove} />
        </span>
      )}
    </li>
  )
}
