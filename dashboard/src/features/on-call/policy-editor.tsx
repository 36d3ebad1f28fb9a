import { MAX_ESCALATION_REPEATS, MAX_NAME_LENGTH } from '@vedette/shared/tables'
import { SubmitButton } from '../../components/submit-button.tsx'
import { ConflictNotice, LeaveGuard } from '../../components/edit-notices.tsx'
import type { EditorProps } from '../../components/editor-pages.tsx'
import { FormError, TextField } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { TagEditor } from '../../components/tags.tsx'
import { ZoneField } from '../../components/zone-field.tsx'
import { fieldErrors } from '../../lib/errors.ts'
import { useForm } from '../../lib/use-form.ts'
import { alerts } from '../../messages/alerts.ts'
import { escalation } from '../../messages/escalation.ts'
import { type PolicyInput, toPolicyBody } from './policy-input.ts'
import { StepFields } from './step-fields.tsx'

const text = escalation.policies

export function PolicyEditor({ input: initial, action, onSave, saved, conflict, children }: EditorProps<PolicyInput>) {
  const form = useForm(initial, onSave, { saved, schema: ['CreateEscalationPolicyBody', toPolicyBody] })
  const { input, change, field } = form
  return (
    <>
      <ConflictNotice conflict={conflict} onTake={change} />
      <form noValidate className="grid items-start gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]" onSubmit={form.onSubmit}>
        <LeaveGuard isDirty={form.isDirty} isSaving={form.isBusy} />
        <div className="grid min-w-0 gap-4">
          <Panel>
            <div className="grid gap-4 pt-1">
              <TextField label={alerts.name} maxLength={MAX_NAME_LENGTH} {...field('name')} />
              <TagEditor tags={input.tags} onChange={(tags) => change({ tags })} />
              <p className="text-[0.9rem] text-muted">{text.tagsHint}</p>
            </div>
          </Panel>
          <StepFields steps={input.steps} errors={fieldErrors(form.error)} onChange={(steps) => change({ steps })} />
          <Panel title={text.afterwards}>
            <div className="grid gap-4 sm:grid-cols-2">
              <TextField
                label={text.repeats}
                hint={text.repeatsHint}
                type="number"
                min={0}
                max={MAX_ESCALATION_REPEATS}
                {...field('repeats')}
              />
              <TextField label={text.reopen} hint={text.reopenHint} {...field('reopen', 'reopen_seconds')} />
              <ZoneField hint={text.zoneHint} {...field('zone', 'time_zone')} />
            </div>
          </Panel>
        </div>
        <div className="grid min-w-0 gap-4 xl:sticky xl:top-4">
          {children}
          <FormError error={form.error} />
          <SubmitButton form={form} action={action} className="min-h-11" />
        </div>
      </form>
    </>
  )
}
