import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { FieldError } from '../../components/field.tsx'
import { Plus, X } from '../../components/icons.tsx'
import { MoveButtons } from '../../components/move-buttons.tsx'
import { useViewer } from '../../lib/api.ts'
import { personOf, personText } from '../../lib/person.ts'
import { moved, without } from '../../lib/rows.ts'
import { escalation } from '../../messages/escalation.ts'
import { peopleQuery } from './queries.ts'

const text = escalation.people

interface Props {
  label: string
  hint?: string
  chosen: readonly string[]
  error: string | undefined
  /** They take turns: their order counts, and one may stand in it several times. */
  isOrdered?: boolean
  onChange: (chosen: string[]) => void
}

/** Members of the organization. */
export function PeopleField({ label, hint, chosen, error, isOrdered = false, onChange }: Props) {
  const id = useId()
  const { data: members = [] } = useQuery(peopleQuery(useViewer()))
  const [picked, setPicked] = useState('')
  const nameOf = (userId: string) => personOf(members, userId) ?? text.left
  const offered = isOrdered ? members : members.filter((member) => !chosen.includes(member.id))
  const add = () => {
    onChange([...chosen, picked])
    setPicked('')
  }
  return (
    <fieldset className="grid min-w-0 gap-2">
      <legend className="mb-1 font-semibold text-[0.95rem]">{label}</legend>
      {hint !== undefined && <p className="text-[0.9rem] text-muted">{hint}</p>}
      {chosen.length > 0 && (
        <ol className="grid min-w-0 gap-1">
          {chosen.map((userId, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- rows have no state of their own
            <li key={index} className="flex min-w-0 items-center gap-2">
              {isOrdered && <span className="w-6 text-right text-muted">{index + 1}.</span>}
              <span className="min-w-0 flex-1 truncate font-medium">{nameOf(userId)}</span>
              {isOrdered && (
                <MoveButtons
                  up={text.up(nameOf(userId), index + 1)}
                  down={text.down(nameOf(userId), index + 1)}
                  index={index}
                  count={chosen.length}
                  onMove={(by) => onChange(moved(chosen, index, by))}
                />
              )}
              <IconButton label={text.remove(nameOf(userId), index + 1)} onClick={() => onChange(without(chosen, index))}>
                <X size={16} />
              </IconButton>
            </li>
          ))}
        </ol>
      )}
      <div className="flex gap-2">
        <select
          aria-label={text.choose}
          aria-invalid={error !== undefined || undefined}
          aria-describedby={error === undefined ? undefined : id}
          value={picked}
          onChange={({ target }) => setPicked(target.value)}
          className="field min-w-0 flex-1"
        >
          <option value="">{text.choose}</option>
          {offered.map((member) => (
            <option key={member.id} value={member.id}>
              {personText(member)}
            </option>
          ))}
        </select>
        <Button disabled={picked === ''} onClick={add}>
          <Plus size={14} aria-hidden="true" />
          {text.add}
        </Button>
      </div>
      <FieldError id={id} error={error} />
    </fieldset>
  )
}
