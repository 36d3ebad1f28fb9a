import type { Dependency } from '@vedette/shared'
import { MAX_DEPENDENCIES, MAX_TAG_LENGTH } from '@vedette/shared/tables'
import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { alerts } from '../messages/alerts.ts'
import { messages } from '../messages/index.ts'
import { Button, IconButton } from './button.tsx'
import { FieldError, TextField } from './field.tsx'
import { X } from './icons.tsx'
import { Segmented } from './segmented.tsx'
import { KnownTags } from './tags.tsx'
import { SingleTarget, TargetName } from './target-fields.tsx'

const text = alerts.dependencies
const target = alerts.target

type TargetType = Dependency['type']

/** A monitor or server by its name, or those with a tag. */
export const DependencyName = ({ dependency: { type, id, tag } }: { dependency: Dependency }) =>
  id === undefined ? target.tagged[type](tag ?? '') : <TargetName type={type} id={id} />

/** A monitor or server by its name with a link, or those with a tag. */
export function DependencyLabel({ dependency: { type, id, tag } }: { dependency: Dependency }) {
  if (id === undefined) return target.tagged[type](tag ?? '')
  const name = <TargetName type={type} id={id} />
  return type === 'monitor' ? (
    <Link to="/monitors/$monitorId" params={{ monitorId: id }} className="text-accent hover:underline">
      {name}
    </Link>
  ) : (
    <Link to="/servers/$serverId" params={{ serverId: id }} className="text-accent hover:underline">
      {name}
    </Link>
  )
}

/** What a monitor or server depends on, one a line. */
export function DependencyList({ dependsOn }: { dependsOn: readonly Dependency[] }) {
  return dependsOn.map((dependency) => (
    <span key={keyOf(dependency)} className="block [overflow-wrap:anywhere]">
      <DependencyLabel dependency={dependency} />
    </span>
  ))
}

const keyOf = ({ type, id, tag }: Dependency): string => `${type} ${id ?? `#${tag}`}`

interface EditorProps {
  dependsOn: readonly Dependency[]
  /** By path of the API: `depends_on`, or one below it. */
  errors: Readonly<Record<string, string>>
  onChange: (dependsOn: readonly Dependency[]) => void
}

/** Most monitors and servers depend on nothing: the search opens with a button. */
export function DependencyEditor({ dependsOn, errors, onChange }: EditorProps) {
  const [isAdding, setAdding] = useState(false)
  const id = useId()
  const error = Object.entries(errors).find(([path]) => path.startsWith('depends_on'))?.[1]
  const add = (dependency: Dependency) => {
    if (!dependsOn.some((one) => keyOf(one) === keyOf(dependency))) onChange([...dependsOn, dependency])
    setAdding(false)
  }
  return (
    <fieldset className="grid gap-2" aria-describedby={error === undefined ? undefined : id}>
      <legend className="mb-1 font-semibold text-[0.95rem]">{text.label}</legend>
      <p className="text-[0.9rem] text-muted">{text.hint}</p>
      {dependsOn.length > 0 && (
        <ul className="grid gap-1">
          {dependsOn.map((dependency) => (
            <li key={keyOf(dependency)} className="flex items-center justify-between gap-2 rounded-lg bg-accent-ground px-2.5">
              <span className="min-w-0 [overflow-wrap:anywhere]">
                <DependencyName dependency={dependency} />
              </span>
              <IconButton label={text.remove} onClick={() => onChange(dependsOn.filter((one) => one !== dependency))}>
                <X size={16} />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      {isAdding ? (
        <AddDependency onAdd={add} onCancel={() => setAdding(false)} />
      ) : (
        dependsOn.length < MAX_DEPENDENCIES && (
          <Button small className="justify-self-start" onClick={() => setAdding(true)}>
            {text.add}
          </Button>
        )
      )}
      <FieldError id={id} error={error} />
    </fieldset>
  )
}

/** A monitor or server that is found by its name, or a tag. */
export function AddDependency({ onAdd, onCancel }: { onAdd: (dependency: Dependency) => void; onCancel: () => void }) {
  const [type, setType] = useState<TargetType>('monitor')
  const [scope, setScope] = useState<'single' | 'tag'>('single')
  const [tag, setTag] = useState('')
  const known = useId()
  return (
    <div className="grid gap-3 rounded-lg border border-line p-3">
      <div className="flex flex-wrap gap-2">
        <Segmented
          label={target.type}
          value={type}
          options={(['monitor', 'server'] as const).map((value) => ({ value, label: target.types[value] }))}
          onChoose={setType}
        />
        <Segmented
          label={target.scope}
          value={scope}
          options={(['single', 'tag'] as const).map((value) => ({ value, label: target.scopes[value] }))}
          onChoose={setScope}
        />
      </div>
      {scope === 'single' ? (
        <SingleTarget type={type} id={undefined} onChoose={(id) => id !== undefined && onAdd({ type, id })} />
      ) : (
        <>
          <TextField
            className="max-w-sm"
            label={target.tag}
            value={tag}
            maxLength={MAX_TAG_LENGTH}
            list={known}
            autoComplete="off"
            onChange={(event) => setTag(event.target.value)}
          />
          <KnownTags id={known} />
        </>
      )}
      <div className="flex flex-wrap gap-2">
        {scope === 'tag' && (
          <Button small disabled={tag.trim() === ''} onClick={() => onAdd({ type, tag: tag.trim() })}>
            {text.addTag}
          </Button>
        )}
        <Button small onClick={onCancel}>
          {messages.actions.cancel}
        </Button>
      </div>
    </div>
  )
}
