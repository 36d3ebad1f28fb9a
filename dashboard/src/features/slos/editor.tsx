import { BURN_ALERT_NAMES, BURN_ALERTS, MAX_NAME_LENGTH, SLO_KINDS, SLO_WINDOWS } from '@vedette/shared/tables'
import { ChannelChoice } from '../../components/channel-choice.tsx'
import { ConflictNotice, LeaveGuard } from '../../components/edit-notices.tsx'
import type { EditorProps } from '../../components/editor-pages.tsx'
import { CheckList, SelectField, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Panel } from '../../components/page.tsx'
import { PolicyChoice } from '../../components/policy-choice.tsx'
import { TargetFields } from '../../components/target-fields.tsx'
import { ZoneField } from '../../components/zone-field.tsx'
import { fieldErrors } from '../../lib/errors.ts'
import { duration } from '../../lib/format.ts'
import { statusName } from '../../lib/status.ts'
import { type FormState, useForm } from '../../lib/use-form.ts'
import { alerts as alertTexts } from '../../messages/alerts.ts'
import { slos } from '../../messages/slos.ts'
import { factorText } from './figures.ts'
import { isCalendar, missingFields, type SloInput, toSloBody } from './input.ts'

const text = slos.editor

export function SloEditor({ input: initial, action, onSave, saved, conflict }: EditorProps<SloInput>) {
  const form = useForm(initial, onSave, { saved, schema: ['CreateSloBody', toSloBody], missing: missingFields })
  const { input, change, field } = form
  return (
    <>
      <ConflictNotice conflict={conflict} onTake={change} />
      <Form form={form} action={action} className="max-w-2xl">
        <LeaveGuard isDirty={form.isDirty} isSaving={form.isBusy} />
        <Panel>
          <div className="grid gap-4 pt-1">
            <TextField label={alertTexts.name} maxLength={MAX_NAME_LENGTH} {...field('name')} />
            <TargetFields
              isOfMonitors
              target={input.target}
              errors={fieldErrors(form.error)}
              onChange={(target) => change({ target })}
            />
          </div>
        </Panel>
        <Panel title={slos.objective}>
          <ObjectiveFields form={form} />
        </Panel>
        <Panel title={text.alerts}>
          <div className="grid gap-4">
            <p className="text-muted">{text.alertsLead}</p>
            <CheckList
              className="grid gap-2"
              options={BURN_ALERT_NAMES.map((value) => {
                const { longSeconds, shortSeconds, severity } = BURN_ALERTS[value]
                const hint = text.alertHint(duration(longSeconds), duration(shortSeconds), statusName(severity))
                return { value, label: factorText(value), hint }
              })}
              chosen={input.alerts}
              error={field('alerts', 'burn_alerts').error}
              onChange={(chosen) => change({ alerts: BURN_ALERT_NAMES.filter((name) => chosen.includes(name)) })}
            />
            <PolicyChoice {...field('policy', 'escalation_policy_id')} />
            {input.policy === '' && <ChannelChoice chosen={input.channels} onChange={(channels) => change({ channels })} />}
          </div>
        </Panel>
      </Form>
    </>
  )
}

function ObjectiveFields({ form: { input, field } }: { form: FormState<SloInput> }) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <SelectField label={text.kind} {...field('kind')}>
        {SLO_KINDS.map((kind) => (
          <option key={kind} value={kind}>
            {text.kinds[kind]}
          </option>
        ))}
      </SelectField>
      {input.kind === 'latency' && <TextField label={text.threshold} type="number" {...field('threshold', 'threshold_ms')} />}
      <TextField
        label={text.objective}
        hint={text.objectiveHint}
        type="number"
        step="any"
        className="sm:col-start-1"
        {...field('objective')}
      />
      <SelectField label={text.window} {...field('window')}>
        {SLO_WINDOWS.map((window) => (
          <option key={window} value={window}>
            {slos.windows[window]}
          </option>
        ))}
      </SelectField>
      {isCalendar(input) && <ZoneField {...field('zone', 'time_zone')} />}
    </div>
  )
}
