import { MAX_NAME_LENGTH } from '@vedette/shared/tables'
import { TextField } from '../../components/field.tsx'
import { ConflictNotice, LeaveGuard } from '../../components/edit-notices.tsx'
import type { EditorProps } from '../../components/editor-pages.tsx'
import { Form } from '../../components/form.tsx'
import { Panel } from '../../components/page.tsx'
import { RepeatFields } from '../../components/repeat-fields.tsx'
import { missingTarget } from '../../lib/alert-target.ts'
import { fieldErrors } from '../../lib/errors.ts'
import { useForm } from '../../lib/use-form.ts'
import { alerts } from '../../messages/alerts.ts'
import { windows as text } from '../../messages/windows.ts'
import { TargetFields } from '../../components/target-fields.tsx'
import { ZoneField } from '../../components/zone-field.tsx'
import { nonexistentTimes, toCheckedBody, type WindowInput } from './input.ts'

export function WindowEditor({ input: initial, action, onSave, saved, conflict }: EditorProps<WindowInput>) {
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
            <TextField label={alerts.name} maxLength={MAX_NAME_LENGTH} {...field('name')} />
            <TargetFields target={input.target} errors={fieldErrors(form.error)} onChange={(target) => change({ target })} />
          </div>
        </Panel>
        <Panel title={text.schedule}>
          <div className="grid gap-4">
            <div className="grid gap-4 sm:grid-cols-2">
              <TextField label={text.starts} type="datetime-local" {...timeField('starts', 'starts_at')} />
              <TextField label={text.ends} type="datetime-local" {...timeField('ends', 'ends_at')} />
              <ZoneField hint={text.zoneHint} {...field('zone', 'time_zone')} />
              <RepeatFields label={text.repeat} input={input} error={field('rule', 'repeat').error} onChange={change} />
            </div>
          </div>
        </Panel>
      </Form>
    </>
  )
}
