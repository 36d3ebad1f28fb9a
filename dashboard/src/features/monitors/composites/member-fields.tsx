import { ENTITY_KIND_NAMES, type EntityKindName, MAX_ENTITY_NAME_LENGTH } from '@vedette/shared/tables'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { Button, IconButton } from '../../../components/button.tsx'
import { AddDependency, DependencyName } from '../../../components/dependencies.tsx'
import { CheckField, FieldError, SelectField, TextField } from '../../../components/field.tsx'
import { X } from '../../../components/icons.tsx'
import { SingleTarget, TargetName } from '../../../components/target-fields.tsx'
import { useViewer } from '../../../lib/api.ts'
import { anyKindName, kindName } from '../../../lib/entity-texts.ts'
import { errorsBelow, withPart, without } from '../../../lib/rows.ts'
import { composites } from '../../../messages/composites.ts'
import { messages } from '../../../messages/index.ts'
import type { MemberTarget, TypedMember } from './input.ts'

const text = composites.editor

type Errors = Readonly<Record<string, string>>

interface MembersProps {
  members: readonly TypedMember[]
  /** By path, as `members.0.weight`. */
  errors: Errors
  onChange: (members: readonly TypedMember[]) => void
}

const keyOf = ({ target }: TypedMember): string => JSON.stringify(target)

/** Who counts, each with what it weighs. */
export function Members({ members, errors, onChange }: MembersProps) {
  const [adding, setAdding] = useState<'target' | 'part'>()
  const id = useId()
  const add = (target: MemberTarget) => {
    const member = { target, weight: '1', required: false }
    if (!members.some((one) => keyOf(one) === keyOf(member))) onChange([...members, member])
    setAdding(undefined)
  }
  const cancel = () => setAdding(undefined)
  return (
    <fieldset className="grid min-w-0 gap-2" aria-describedby={errors['members'] === undefined ? undefined : id}>
      <legend className="mb-1 font-semibold text-[0.95rem]">{text.members}</legend>
      <p className="text-[0.9rem] text-muted">{text.membersHint}</p>
      {members.length > 0 && (
        <ul className="grid gap-1.5">
          {members.map((member, index) => (
            <Member
              key={keyOf(member)}
              member={member}
              errors={errorsBelow(errors, `members.${index}.`)}
              error={errors[`members.${index}`]}
              onChange={(part) => onChange(withPart(members, index, part))}
              onRemove={() => onChange(without(members, index))}
            />
          ))}
        </ul>
      )}
      {adding === 'target' && <AddDependency onAdd={add} onCancel={cancel} />}
      {adding === 'part' && <AddPart onAdd={add} onCancel={cancel} />}
      {adding === undefined && (
        <div className="flex flex-wrap gap-2">
          <Button small onClick={() => setAdding('target')}>
            {text.add}
          </Button>
          <Button small onClick={() => setAdding('part')}>
            {text.addPart}
          </Button>
        </div>
      )}
      <FieldError id={id} error={errors['members']} />
    </fieldset>
  )
}

interface MemberProps {
  member: TypedMember
  /** Of its fields. */
  errors: Errors
  error: string | undefined
  onChange: (part: Partial<TypedMember>) => void
  onRemove: () => void
}

function Member({ member: { target, weight, required }, errors, error, onChange, onRemove }: MemberProps) {
  const id = useId()
  const isPlain = weight === '1' && !required
  const { weight: weightError, ...others } = errors
  const [isOpen, setOpen] = useState(false)
  return (
    <li className="rounded-lg bg-accent-ground px-2.5 pb-1.5">
      <div className="flex items-center justify-between gap-2">
        <span id={id} className="min-w-0 [overflow-wrap:anywhere]">
          {target.type === 'entity' ? (
            <>
              {composites.partOf(anyKindName(target.kind), target.name)} (
              <TargetName type="server" id={target.server_id} />)
            </>
          ) : (
            <DependencyName dependency={target} />
          )}
        </span>
        <IconButton label={text.removeMember} aria-describedby={id} onClick={onRemove}>
          <X size={16} />
        </IconButton>
      </div>
      <FieldError id={`${id}-error`} error={error ?? Object.values(others)[0]} />
      <details open={isOpen || weightError !== undefined} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="w-fit text-[0.9rem] text-soft">
          {isPlain ? text.details : [composites.weightOf(weight), ...(required ? [composites.required] : [])].join(', ')}
        </summary>
        <div className="flex flex-wrap items-start gap-x-6 gap-y-2 pt-2">
          <TextField
            className="w-32"
            label={text.weight}
            type="number"
            min={1}
            value={weight}
            error={weightError}
            onChange={(event) => onChange({ weight: event.target.value })}
          />
          <CheckField
            label={text.required}
            hint={text.requiredHint}
            checked={required}
            onChange={(event) => onChange({ required: event.target.checked })}
          />
        </div>
      </details>
    </li>
  )
}

/** A part of a server, such as a container, by its kind and its name there. */
function AddPart({ onAdd, onCancel }: { onAdd: (target: MemberTarget) => void; onCancel: () => void }) {
  const { client, organizationId } = useViewer()
  const [server, setServer] = useState<string>()
  const [kind, setKind] = useState<string>('container')
  const [name, setName] = useState('')
  const known = useId()
  const { data } = useQuery({
    queryKey: [organizationId, 'servers', server, 'entities', 'names', kind],
    queryFn: ({ signal }) => client.serverEntities.list(server ?? '', { kind: kind as EntityKindName, limit: 100 }, { signal }),
    enabled: server !== undefined,
  })
  return (
    <div className="grid gap-3 rounded-lg border border-line p-3">
      <SingleTarget type="server" id={server} onChoose={setServer} />
      {server !== undefined && (
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField label={text.partKind} value={kind} onChange={({ target }) => setKind(target.value)}>
            {ENTITY_KIND_NAMES.map((one) => (
              <option key={one} value={one}>
                {kindName(one)}
              </option>
            ))}
          </SelectField>
          <TextField
            label={text.partName}
            value={name}
            maxLength={MAX_ENTITY_NAME_LENGTH}
            list={known}
            autoComplete="off"
            onChange={({ target }) => setName(target.value)}
          />
          <datalist id={known}>
            {data?.entities.map((entity) => (
              <option key={entity.id} value={entity.name} />
            ))}
          </datalist>
        </div>
      )}
      <div className="flex flex-wrap gap-2">
        {server !== undefined && (
          <Button
            small
            disabled={name.trim() === ''}
            onClick={() => onAdd({ type: 'entity', server_id: server, kind, name: name.trim() })}
          >
            {text.addNamed}
          </Button>
        )}
        <Button small onClick={onCancel}>
          {messages.actions.cancel}
        </Button>
      </div>
    </div>
  )
}
