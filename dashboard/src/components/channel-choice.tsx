import { CHANNEL_TYPES } from '@vedette/shared/tables'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CheckList } from './field.tsx'
import { useViewer } from '../lib/api.ts'
import { channelsQuery } from '../lib/channel-queries.ts'
import { alerts } from '../messages/alerts.ts'

const { channels: text, rules } = alerts

/** The channels that a rule or an SLO notifies. */
export function ChannelChoice({ chosen, onChange }: { chosen: readonly string[]; onChange: (chosen: string[]) => void }) {
  const viewer = useViewer()
  const { data } = useQuery(channelsQuery(viewer, 1))
  if (data?.channels.length === 0) {
    return (
      <p className="text-muted">
        {rules.noChannels}{' '}
        {viewer.can('integrations:manage') && (
          <Link to="/alerts/channels/add" className="text-accent underline">
            {text.add}
          </Link>
        )}
      </p>
    )
  }
  const options = data?.channels.map(({ id, name, type, enabled }) => ({
    value: id,
    label: name,
    hint: enabled ? (CHANNEL_TYPES[type]?.label ?? type) : text.disabled,
  }))
  return <CheckList label={rules.channels} options={options ?? []} chosen={chosen} onChange={onChange} />
}
