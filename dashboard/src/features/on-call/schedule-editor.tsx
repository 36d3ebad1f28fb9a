import { MASK, MAX_ICAL_URL_LENGTH, MAX_NAME_LENGTH } from '@vedette/shared/tables'
import { ConflictNotice, LeaveGuard } from '../../components/edit-notices.tsx'
import type { EditorProps } from '../../components/editor-pages.tsx'
import { CheckField, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Panel } from '../../components/page.tsx'
import { ZoneField } from '../../components/zone-field.tsx'
import { fieldErrors } from '../../lib/errors.ts'
import { useForm } from '../../lib/use-form.ts'
import { alerts } from '../../messages/alerts.ts'
import { escalation } from '../../messages/escalation.ts'
import { LayerFields } from './layer-fields.tsx'
import { type ScheduleInput, toScheduleBody } from './schedule-input.ts'

const text = escalation.schedules

export function ScheduleEditor({ input: initial, action, onSave, saved, conflict }: EditorProps<ScheduleInput>) {
  const form = useForm(initial, onSave, { saved, schema: ['CreateScheduleBody', toScheduleBody] })
  const { input, change, field } = form
  return (
    <>
      <ConflictNotice conflict={conflict} onTake={change} />
      <Form form={form} action={action} className="max-w-2xl">
        <LeaveGuard isDirty={form.isDirty} isSaving={form.isBusy} />
        <Panel>
          <div className="grid gap-4 pt-1">
            <TextField label={alerts.name} maxLength={MAX_NAME_LENGTH} {...field('name')} />
            <ZoneField hint={text.zoneHint} {...field('zone', 'time_zone')} />
            <CheckField
              label={text.mail}
              hint={text.mailHint}
              checked={input.mail}
              onChange={({ target }) => change({ mail: target.checked })}
            />
            <TextField
              label={text.ical.url}
              hint={input.ical === MASK ? text.ical.stored : text.ical.urlHint}
              maxLength={MAX_ICAL_URL_LENGTH}
              mono
              spellCheck={false}
              autoComplete="off"
              {...field('ical', 'ical_url')}
              // Part of a mask is no address: typing replaces all of it.
              onFocus={(event) => event.target.select()}
            />
          </div>
        </Panel>
        <LayerFields
          layers={input.layers}
          zone={input.zone}
          errors={fieldErrors(form.error)}
          onChange={(layers) => change({ layers })}
        />
      </Form>
    </>
  )
}
