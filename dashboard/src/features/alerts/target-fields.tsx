import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { useScope, useViewer } from '../../lib/api.ts'
import { text } from '../../messages/index.ts'
import type { TargetDraft } from './target.ts'

const words = text.alerts.target
const FOUND = 8

interface Props {
  target: TargetDraft
  faults: Readonly<Record<string, string>>
  onChange: (target: TargetDraft) => void
}

/** All of a kind, those with a tag, or a single one that is searched. */
export function TargetFields({ target, faults, onChange }: Props) {
  const { type, scope, tag, id } = target
  const fault = faults['target.tag'] ?? faults['target.id'] ?? faults['target']
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1 font-semibold text-[0.95rem]">{words.legend}</legend>
      <div className="flex flex-wrap gap-2">
        <Segmented
          label={words.type}
          value={type}
          options={[
            { value: 'server', label: words.types.server },
            { value: 'monitor', label: words.types.monitor },
          ]}
          onChoose={(chosen) => onChange({ ...target, type: chosen, id: undefined })}
        />
        <Segmented
          label={words.scope}
          value={scope}
          options={(['all', 'tag', 'one'] as const).map((value) => ({ value, label: words.scopes[value] }))}
          onChoose={(chosen) => onChange({ ...target, scope: chosen })}
        />
      </div>
      {scope === 'tag' && (
        <TextField
          className="max-w-sm"
          label={words.tag}
          value={tag}
          maxLength={64}
          fault={fault}
          onChange={(event) => onChange({ ...target, tag: event.target.value })}
        />
      )}
      {scope === 'one' && <One type={type} id={id} onChoose={(chosen) => onChange({ ...target, id: chosen })} />}
      {scope !== 'tag' && fault !== undefined && <p className="text-[0.9rem] text-bad">{fault}</p>}
    </fieldset>
  )
}

interface OneProps {
  type: TargetDraft['type']
  id: string | undefined
  onChoose: (id: string | undefined) => void
}

function One({ type, id, onChoose }: OneProps) {
  if (id === undefined) return <Search type={type} onChoose={onChoose} />
  return (
    <p className="flex flex-wrap items-center gap-3">
      <span className="rounded-lg bg-accent-ground px-2.5 py-1 font-medium text-accent [overflow-wrap:anywhere]">
        <TargetName type={type} id={id} />
      </span>
      <Button small onClick={() => onChoose(undefined)}>
        {words.change}
      </Button>
    </p>
  )
}

/** Of a single target, asked once a while; its pages have it, too. */
export function TargetName({ type, id }: { type: TargetDraft['type']; id: string }) {
  const { client } = useViewer()
  const found = useQuery({
    queryKey: [useScope(), 'target-name', id],
    queryFn: async ({ signal }) => {
      if (type === 'monitor') return (await client.monitors.read(id, { signal })).name
      const { display_name, hostname } = await client.servers.read(id, { signal })
      return display_name ?? hostname
    },
    staleTime: 5 * 60_000,
  })
  if (found.isError) return words.gone
  return found.data ?? '…'
}

function Search({ type, onChoose }: Pick<OneProps, 'type' | 'onChoose'>) {
  const { client } = useViewer()
  const [q, setQ] = useState('')
  const found = useQuery({
    queryKey: [useScope(), 'target-search', type, q],
    queryFn: async ({ signal }) => {
      const query = { limit: FOUND, sort: 'name' as const, ...(q === '' ? {} : { q }) }
      if (type === 'monitor') return (await client.monitors.list(query, { signal })).monitors
      const { servers } = await client.servers.list(query, { signal })
      return servers.map(({ id, hostname, display_name }) => ({ id, name: display_name ?? hostname }))
    },
  })
  return (
    <div className="grid gap-2">
      <SearchBox value={q} label={words.search[type]} onSearch={setQ} />
      {found.data?.length === 0 && <p className="text-muted">{words.noneFound}</p>}
      <ul className="flex flex-wrap gap-1.5">
        {found.data?.map(({ id, name }) => (
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
