import { Button } from '../../../components/button.tsx'
import { FormFault, SelectField, TextField } from '../../../components/field.tsx'
import { Panel } from '../../../components/page.tsx'
import { fieldFaults, sentenceOf } from '../../../lib/errors.ts'
import { TIME_ZONES } from '../../../lib/time.ts'
import { useDraft } from '../../../lib/use-draft.ts'
import { text } from '../../../messages/index.ts'
import { TargetFields } from '../target-fields.tsx'
import { DAYS, missingTimes, REPEATS, type Repeat, type WindowDraft } from './draft.ts'

const words = text.alerts.windows

interface Props {
  draft: WindowDraft
  action: string
  onSave: (draft: WindowDraft) => Promise<void>
}

export function WindowEditor({ draft: given, action, onSave }: Props) {
  const { draft, change, error, isBusy, onSubmit } = useDraft(given, onSave)
  const missing = missingTimes(draft)
  const faults = {
    ...fieldFaults(error),
    // Said at once: a browser offers such a time like any other.
    ...Object.fromEntries(missing.filter((name) => draft[FIELDS[name]] !== '').map((name) => [name, words.noSuchTime])),
  }
  return (
    <form noValidate className="grid max-w-2xl gap-4" onSubmit={onSubmit}>
      <Panel>
        <div className="grid gap-4 pt-1">
          <TextField
            label={words.name}
            maxLength={200}
            value={draft.name}
            fault={faults['name']}
            onChange={(event) => change({ name: event.target.value })}
          />
          <TargetFields target={draft.target} faults={faults} onChange={(target) => change({ target })} />
        </div>
      </Panel>
      <Panel title={words.times}>
        <TimeFields draft={draft} faults={faults} onChange={change} />
      </Panel>
      <FormFault>{error === undefined ? undefined : sentenceOf(error)}</FormFault>
      <Button type="submit" look="primary" disabled={isBusy} className="min-h-11 sm:min-w-40 sm:justify-self-end">
        {action}
      </Button>
    </form>
  )
}

const FIELDS = { starts_at: 'starts', ends_at: 'ends' } as const

interface PartProps {
  draft: WindowDraft
  faults: Readonly<Record<string, string>>
  onChange: (part: Partial<WindowDraft>) => void
}

function TimeFields({ draft, faults, onChange }: PartProps) {
  return (
    <div className="grid gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={words.starts}
          type="datetime-local"
          value={draft.starts}
          fault={faults['starts_at']}
          onChange={(event) => onChange({ starts: event.target.value })}
        />
        <TextField
          label={words.ends}
          type="datetime-local"
          value={draft.ends}
          fault={faults['ends_at']}
          onChange={(event) => onChange({ ends: event.target.value })}
        />
        <SelectField
          label={words.zone}
          hint={words.zoneHint}
          value={draft.zone}
          onChange={(event) => onChange({ zone: event.target.value })}
        >
          {/* One that was set over the API may be spelled in another way. */}
          {[...new Set([draft.zone, ...TIME_ZONES])].map((zone) => (
            <option key={zone}>{zone}</option>
          ))}
        </SelectField>
        <SelectField
          label={words.repeat}
          value={draft.repeat}
          onChange={(event) => onChange({ repeat: event.target.value as Repeat })}
        >
          {REPEATS.map((repeat) => (
            <option key={repeat} value={repeat}>
              {words.repeats[repeat]}
            </option>
          ))}
        </SelectField>
      </div>
      {draft.repeat === 'weekly' && <Weekdays chosen={draft.days} onChange={(days) => onChange({ days })} />}
      {draft.repeat === 'custom' && (
        <TextField
          label={words.rule}
          hint={words.ruleHint}
          fault={faults['repeat']}
          mono
          spellCheck={false}
          value={draft.rule}
          onChange={(event) => onChange({ rule: event.target.value })}
        />
      )}
    </div>
  )
}

function Weekdays({ chosen, onChange }: { chosen: readonly string[]; onChange: (days: string[]) => void }) {
  return (
    <fieldset>
      <legend className="mb-1 font-semibold text-[0.95rem]">{words.days}</legend>
      <div className="flex flex-wrap gap-x-4 gap-y-2">
        {DAYS.map((day) => (
          <label key={day} className="flex cursor-pointer items-center gap-1.5">
            <input
              type="checkbox"
              checked={chosen.includes(day)}
              onChange={(event) => onChange(event.target.checked ? [...chosen, day] : chosen.filter((each) => each !== day))}
              className="size-4 accent-(--accent)"
            />
            {words.dayNames[day]}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
