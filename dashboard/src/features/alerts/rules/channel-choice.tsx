import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CheckField } from '../../../components/field.tsx'
import { useScope, useViewer } from '../../../lib/api.ts'
import { text } from '../../../messages/index.ts'
import { channelsQuery } from '../queries.ts'

const words = text.alerts.rules

/** By which channels a rule is told. */
export function ChannelChoice({ chosen, onChange }: { chosen: readonly string[]; onChange: (chosen: string[]) => void }) {
  const { client, can } = useViewer()
  const { data } = useQuery(channelsQuery(useScope(), client, 1))
  return (
    <fieldset>
      <legend className="mb-1.5 font-semibold text-[0.95rem]">{words.channels}</legend>
      {data?.channels.length === 0 && (
        <p className="text-muted">
          {words.noChannel}{' '}
          {can('integrations:manage') && (
            <Link to="/alerts/channels/add" className="text-accent hover:underline">
              {words.addChannel}
            </Link>
          )}
        </p>
      )}
      <div className="flex flex-wrap gap-x-6 gap-y-2">
        {data?.channels.map(({ id, name, type, enabled }) => (
          <CheckField
            key={id}
            label={name}
            hint={enabled ? text.alerts.channels.types[type] : text.alerts.channels.off}
            checked={chosen.includes(id)}
            onChange={(event) => onChange(event.target.checked ? [...chosen, id] : chosen.filter((each) => each !== id))}
          />
        ))}
      </div>
    </fieldset>
  )
}
