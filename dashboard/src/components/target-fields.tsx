import type { AlertTarget } from '@vedette/shared'
import { MAX_TAG_LENGTH } from '@vedette/shared/tables'
import { useQuery } from '@tanstack/react-query'
import { type AriaAttributes, useId, useState } from 'react'
import type { TargetInput } from '../lib/alert-target.ts'
import { useViewer } from '../lib/api.ts'
import { alerts } from '../messages/alerts.ts'
import { Button } from './button.tsx'
import { FieldError, TextField } from './field.tsx'
import { SearchBox } from './search-box.tsx'
import { Segmented } from './segmented.tsx'
import { KnownTags } from './tags.tsx'

const text = alerts.target
const MAX_RESULTS = 8

interface Props {
  target: TargetInput
  errors: Readonly<Record<string, string>>
  onChange: (target: TargetInput) => void
  /** One monitor or a tag of monitors alone. */
  isOfMonitors?: boolean
}

/** All targets of a type, those with a tag, or a single one. */
export function TargetFields({ target, errors, onChange, isOfMonitors = false }: Props) {
  const { type, scope, tag, id } = target
  const known = useId()
  const error = errors['target.tag'] ?? errors['target.id'] ?? errors['target']
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1 font-semibold text-[0.95rem]">{text.legend}</legend>
      <div className="flex flex-wrap gap-2">
        {!isOfMonitors && (
          <Segmented
            label={text.type}
            value={type}
            options={(['server', 'monitor'] as const).map((value) => ({ value, label: text.types[value] }))}
            onChoose={(chosen) => onChange({ ...target, type: chosen, id: undefined })}
          />
        )}
        <Segmented
          label={text.scope}
          value={scope}
          options={(isOfMonitors ? (['tag', 'single'] as const) : (['all', 'tag', 'single'] as const)).map((value) => ({
            value,
            label: text.scopes[value],
          }))}
          onChoose={(chosen) => onChange({ ...target, scope: chosen })}
        />
      </div>
      {scope === 'tag' && (
        <>
          <TextField
            className="max-w-sm"
            label={text.tag}
            value={tag}
            maxLength={MAX_TAG_LENGTH}
            list={`${known}-known`}
            autoComplete="off"
            error={error}
            onChange={(event) => onChange({ ...target, tag: event.target.value })}
          />
          <KnownTags id={`${known}-known`} />
        </>
      )}
      {scope === 'single' && (
        <SingleTarget
          type={type}
          id={id}
          onChoose={(chosen) => onChange({ ...target, id: chosen })}
          {...(error !== undefined && { 'aria-invalid': true, 'aria-describedby': `${known}-error` })}
        />
      )}
      {scope !== 'tag' && <FieldError id={`${known}-error`} error={error} />}
    </fieldset>
  )
}

/** The ARIA attributes are those of the search. */
interface SingleTargetProps extends Pick<AriaAttributes, 'aria-invalid' | 'aria-describedby'> {
  type: TargetInput['type']
  id: string | undefined
  onChoose: (id: string | undefined) => void
}

/** A server or monitor that is found by its name. */
export function SingleTarget({ id, ...search }: SingleTargetProps) {
  const { type, onChoose } = search
  if (id === undefined) return <TargetSearch {...search} />
  return (
    <p className="flex flex-wrap items-center gap-3">
      <span className="rounded-lg bg-accent-ground px-2.5 py-1 font-medium text-accent [overflow-wrap:anywhere]">
        <TargetName type={type} id={id} />
      </span>
      <Button small onClick={() => onChoose(undefined)}>
        {text.change}
      </Button>
    </p>
  )
}

/** The target of a rule or window, in a line of a list. */
export function TargetLabel({ target: { type, id, tag } }: { target: AlertTarget }) {
  if (id !== null) return <TargetName type={type} id={id} />
  return tag === null ? text.all[type] : text.tagged[type](tag)
}

export function TargetName({ type, id }: { type: TargetInput['type']; id: string }) {
  const { client, organizationId } = useViewer()
  const name = useQuery({
    queryKey: [organizationId, 'target-name', id],
    queryFn: async ({ signal }) => {
      if (type === 'monitor') return (await client.monitors.read(id, { signal })).name
      const { display_name, hostname } = await client.servers.read(id, { signal })
      return display_name ?? hostname
    },
    staleTime: 5 * 60_000,
  })
  if (name.isError) return text.deleted
  return name.data ?? '…'
}

function TargetSearch({ type, onChoose, ...aria }: Omit<SingleTargetProps, 'id'>) {
  const { client, organizationId } = useViewer()
  const [q, setQ] = useState('')
  const results = useQuery({
    queryKey: [organizationId, 'target-search', type, q],
    queryFn: async ({ signal }) => {
      const query = { limit: MAX_RESULTS, sort: 'name' as const, ...(q === '' ? {} : { q }) }
      if (type === 'monitor') return (await client.monitors.list(query, { signal })).monitors
      const { servers } = await client.servers.list(query, { signal })
      return servers.map(({ id, hostname, display_name }) => ({ id, name: display_name ?? hostname }))
    },
  })
  return (
    <div className="grid gap-2">
      <SearchBox value={q} label={text.search[type]} onSearch={setQ} {...aria} />
      {results.data?.length === 0 && <p className="text-muted">{text.noResults}</p>}
      <ul className="flex flex-wrap gap-1.5">
        {results.data?.map(({ id, name }) => (
          <li key={id} className="max-w-full">
            <Button small onClick={() => onChoose(id)} className="max-w-full">
              <span className="truncate">{name}</span>
            </Button>
          </li>
        ))}
      </ul>
    </div>
  )
}
