import { MAX_NAME_LENGTH } from '@vedette/shared/tables'
import { CheckList, SelectField, TextField } from '../../components/field.tsx'
import { ConflictNotice, LeaveGuard } from '../../components/edit-notices.tsx'
import { Form } from '../../components/form.tsx'
import { Panel } from '../../components/page.tsx'
import { missingTarget } from '../../lib/alert-target.ts'
import { fieldErrors } from '../../lib/errors.ts'
import { TIME_ZONES } from '../../lib/time.ts'
import type { EditConflict } from '../../lib/use-edit.ts'
import { useForm } from '../../lib/use-form.ts'
import { messages } from '../../messages/index.ts'
import { TargetFields } from '../../components/target-fields.tsx'
import { DAYS, nonexistentTimes, REPEATS, toCheckedBody, type WindowInput } from './input.ts'

const text = messages.alerts.windows

interface Props {
  input: WindowInput
  action: string
  onSave: (input: WindowInput, idempotencyKey: string) => Promise<void>
  /** What is stored, where the form begins with something else. */
  saved?: WindowInput | undefined
  conflict?: EditConflict<WindowInput> | undefined
}

export function WindowEditor({ input: initial, action, onSave, saved, conflict }: Props) {
  const form = useForm(initial, onSave, { saved, schema: ['CreateMaintenanceWindowBody', toCheckedBody], missing: missingTarget })
  const { input, change, field } = form
  const nonexistent = nonexistentTimes(input)
  /** A local time that does not exist is reported before the save, since browsers offer such times. */
  const timeField = (name: 'starts' | 'ends', path: 'starts_at' | 'ends_at') => {
    const props = field(name, path)
    return { ...props, error: nonexistent.includes(path) && input[name] !== '' ? text.noSuchTime : props.error }
  }
  return (
    <>
      <ConflictNotice conflict={conflict} onTake={change} />
      <Form form={form} action={action} className="max-w-2xl">
        <LeaveGuard isDirty={form.isDirty} isSaving={form.isBusy} />
        <Panel>
          <div className="grid gap-4 pt-1">
            <TextField label={messages.alerts.name} maxLength={MAX_NAME_LENGTH} {...field('name')} />
            <TargetFields target={input.target} errors={fieldErrors(form.error)} onChange={(target) => change({ target })} />
          </div>
        </Panel>
        <Panel title={text.schedule}>
          <div className="grid gap-4">
            <div className="grid gap-4 sm:grid-cols-2">
              <TextField label={text.starts} type="datetime-local" {...timeField('starts', 'starts_at')} />
              <TextField label={text.ends} type="datetime-local" {...timeField('ends', 'ends_at')} />
              <SelectField label={text.zone} hint={text.zoneHint} {...field('zone', 'time_zone')}>
                {/* The API accepts other spellings of zones as well. */}
                {[...new Set([input.zone, ...TIME_ZONES])].map((zone) => (
                  <option key={zone}>{zone}</option>
                ))}
              </SelectField>
              <SelectField label={text.repeat} {...field('repeat', '')}>
                {REPEATS.map((repeat) => (
                  <option key={repeat} value={repeat}>
                    {text.repeats[repeat]}
                  </option>
                ))}
              </SelectField>
            </div>
            {input.repeat === 'weekly' && (
              <CheckList
                label={text.days}
                options={DAYS.map((day) => ({ value: day, label: text.dayNames[day] ?? day }))}
                chosen={input.days}
                onChange={(days) => change({ days })}
              />
            )}
            {input.repeat === 'custom' && (
              <TextField label={text.rrule} hint={text.rruleHint} mono spellCheck={false} {...field('rule', 'repeat')} />
            )}
          </div>
        </Panel>
      </Form>
    </>
  )
}
