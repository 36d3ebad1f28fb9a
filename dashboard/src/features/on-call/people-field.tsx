import { MAX_TURN_USERS } from '@vedette/shared/tables'
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
import type { TurnInput } from './schedule-input.ts'

const text = escalation.people

interface Props {
  label: string
  hint?: string
  chosen: readonly TurnInput[]
  error: string | undefined
  /** They take turns: their order counts, one may stand in it several times, and several may have a turn together. */
  isOrdered?: boolean
  onChange: (chosen: TurnInput[]) => void
}

/** Members of the organization. */
export function PeopleField({ label, hint, chosen, error, isOrdered = false, onChange }: Props) {
  const id = useId()
  const { data: members = [] } = useQuery(peopleQuery(useViewer()))
  const [picked, setPicked] = useState('')
  const namesOf = (turn: TurnInput) =>
    [turn]
      .flat()
      .map((userId) => personOf(members, userId) ?? text.left)
      .join(', ') || escalation.shifts.nobody
  const offered = isOrdered ? members : members.filter((member) => !chosen.includes(member.id))
  const last = [chosen.at(-1) ?? []].flat()
  const add = (turns: TurnInput[]) => {
    onChange(turns)
    setPicked('')
  }
  return (
    <fieldset className="grid min-w-0 gap-2">
      <legend className="mb-1 font-semibold text-[0.95rem]">{label}</legend>
      {hint !== undefined && <p className="text-[0.9rem] text-muted">{hint}</p>}
      {chosen.length > 0 && (
        <ol className="grid min-w-0 gap-1">
          {chosen.map((turn, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- rows have no state of their own
            <li key={index} className="flex min-w-0 items-center gap-2">
              {isOrdered && <span className="w-6 text-right text-muted">{index + 1}.</span>}
              <span className="min-w-0 flex-1 cut font-medium">{namesOf(turn)}</span>
              {isOrdered && (
                <MoveButtons
                  up={text.up(namesOf(turn), index + 1)}
                  down={text.down(namesOf(turn), index + 1)}
                  index={index}
                  count={chosen.length}
                  onMove={(by) => onChange(moved(chosen, index, by))}
                />
              )}
              <IconButton label={text.remove(namesOf(turn), index + 1)} onClick={() => onChange(without(chosen, index))}>
                <X size={16} />
              </IconButton>
            </li>
          ))}
        </ol>
      )}
      <div className="flex flex-wrap gap-2">
        <select
          aria-label={text.choose}
          aria-invalid={error !== undefined || undefined}
          aria-describedby={error === undefined ? undefined : id}
          value={picked}
          onChange={({ target }) => setPicked(target.value)}
          className="field min-w-0 flex-1 basis-44"
        >
          <option value="">{text.choose}</option>
          {offered.map((member) => (
            <option key={member.id} value={member.id}>
              {personText(member)}
            </option>
          ))}
        </select>
        <Button disabled={picked === ''} onClick={() => add([...chosen, picked])}>
          <Plus size={14} aria-hidden="true" />
          {text.add}
        </Button>
        {isOrdered && chosen.length > 0 && (
          <Button
            disabled={picked === '' || last.includes(picked) || last.length >= MAX_TURN_USERS}
            onClick={() => add([...chosen.slice(0, -1), [...last, picked]])}
          >
            {text.together}
          </Button>
        )}
      </div>
      <FieldError id={id} error={error} />
    </fieldset>
  )
}
