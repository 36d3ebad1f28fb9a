import type { Channel } from '@vedette/shared'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { buttonClass, IconButton } from '../../../components/button.tsx'
import { Confirm } from '../../../components/dialog.tsx'
import { Ago } from '../../../components/time.tsx'
import { toast } from '../../../components/toast.tsx'
import { useScope, useViewer } from '../../../lib/api.ts'
import { text } from '../../../messages/index.ts'
import { ListPanel, useListPage } from '../list-panel.tsx'
import { channelsQuery } from '../queries.ts'
import { MASK } from './draft.ts'
import { TestButton } from './test.tsx'

const words = text.alerts.channels

export function ChannelList() {
  const { client, can } = useViewer()
  const channels = useQuery(channelsQuery(useScope(), client, useListPage()))
  const add = can('integrations:manage') && (
    <Link to="/alerts/channels/add" className={buttonClass('primary', true)}>
      <Plus size={15} aria-hidden="true" />
      {words.add}
    </Link>
  )
  return (
    <ListPanel
      title={words.title}
      lead={words.lead}
      none={words.none}
      add={add}
      list={channels}
      rowsOf={(answer) => answer.channels}
      row={(channel) => <ChannelRow key={channel.id} channel={channel} />}
    />
  )
}

/** What of it says where it goes, without a secret. */
const placeOf = ({ config: { url, to, chat_id, topic } }: Channel): string =>
  [url === MASK ? undefined : url, to, chat_id, topic].filter((part) => part !== undefined).join(' · ')

function ChannelRow({ channel }: { channel: Channel }) {
  const { can } = useViewer()
  const { id, name, type, enabled, last_error } = channel
  const place = placeOf(channel)
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
      <div className="min-w-0 flex-1 basis-52">
        {can('integrations:manage') ? (
          <Link
            to="/alerts/channels/$channelId"
            params={{ channelId: id }}
            className={`block truncate font-medium hover:text-accent hover:underline ${enabled ? '' : 'text-muted'}`}
          >
            {name}
          </Link>
        ) : (
          <span className="block truncate font-medium">{name}</span>
        )}
        <p className="truncate text-[0.92rem] text-muted">
          {words.types[type]}
          {place !== '' && <> · {place}</>}
          {!enabled && <> · {words.off}</>}
        </p>
        {last_error && (
          <p className="text-[0.92rem] break-words text-bad">
            {words.failed(last_error.attempts)} <Ago at={last_error.at} />: {last_error.message}
          </p>
        )}
      </div>
      {can('integrations:manage') && (
        <span className="flex items-center gap-1">
          <TestButton id={id} name={name} type={type} />
          <DeleteChannel id={id} name={name} />
        </span>
      )}
    </li>
  )
}

/** Its secrets cannot be read back, so nobody can bring it back. */
function DeleteChannel({ id, name }: { id: string; name: string }) {
  const { client } = useViewer()
  const scope = useScope()
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const remove = async () => {
    await client.channels.remove(id)
    toast(words.deleted(name))
    queries.removeQueries({ queryKey: [scope, 'channels', id] })
    await queries.invalidateQueries({ queryKey: [scope, 'channels'] })
    await queries.invalidateQueries({ queryKey: [scope, 'alert-rules'] })
  }
  return (
    <>
      <IconButton label={`${text.actions.delete}: ${name}`} onClick={() => setOpen(true)} className="hover:text-bad">
        <Trash2 size={16} />
      </IconButton>
      <Confirm
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={words.deleteTitle(name)}
        description={`${words.deleteLead} ${text.confirm.cannotUndo}`}
        action={text.actions.delete}
        onConfirm={remove}
      />
    </>
  )
}
