import { MAX_NAME_LENGTH, SEVERITIES } from '@vedette/shared/tables'
import { SubmitButton } from '../../components/submit-button.tsx'
import { CheckField, FormError, SelectField, TextField } from '../../components/field.tsx'
import { ConflictNotice, LeaveGuard } from '../../components/edit-notices.tsx'
import type { EditorProps } from '../../components/editor-pages.tsx'
import { Panel } from '../../components/page.tsx'
import { missingTarget } from '../../lib/alert-target.ts'
import { createPart } from '../../lib/create-part.tsx'
import { fieldErrors } from '../../lib/errors.ts'
import { duration } from '../../lib/format.ts'
import { type FormState, useForm } from '../../lib/use-form.ts'
import { statusName } from '../../lib/status.ts'
import { alerts } from '../../messages/alerts.ts'
import { TargetFields } from '../../components/target-fields.tsx'
import { ChannelChoice } from '../../components/channel-choice.tsx'
import { PolicyChoice } from '../../components/policy-choice.tsx'
import { ConditionFields } from './condition-fields.tsx'
import { ruleExpression } from '../../messages/rule-expression.ts'
import { isExpression, type RuleInput, toRuleBody, withTarget } from './input.ts'
import { Preview } from './preview.tsx'

const text = alerts.rules
const { Part: DocumentationFields } = createPart(() => import('../../components/documentation-fields.tsx'))
const REPEATS = [900, 3_600, 14_400, 43_200, 86_400]

/** A rule and its preview. */
export function RuleEditor({ input: initial, action, onSave, saved, conflict }: EditorProps<RuleInput>) {
  const form = useForm(initial, onSave, {
    saved,
    schema: ['CreateAlertRuleBody', toRuleBody],
    missing: (input) => (isExpression(input) ? [] : missingTarget(input)),
  })
  const { input, change, error, setError } = form
  return (
    <>
      <ConflictNotice conflict={conflict} onTake={change} />
      <form noValidate className="grid items-start gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]" onSubmit={form.onSubmit}>
        <LeaveGuard isDirty={form.isDirty} isSaving={form.isBusy} />
        <div className="grid min-w-0 gap-4">
          <Panel>
            <div className="grid gap-4 pt-1">
              <TextField label={alerts.name} maxLength={MAX_NAME_LENGTH} {...form.field('name')} />
              {isExpression(input) ? (
                <p className="text-muted">{ruleExpression.target}</p>
              ) : (
                <TargetFields
                  target={input.target}
                  errors={fieldErrors(error)}
                  onChange={(target) => change(withTarget(input, target))}
                />
              )}
            </div>
          </Panel>
          <Panel title={text.condition}>
            <ConditionFields form={form} />
          </Panel>
          <Panel title={text.notifications}>
            <NotificationFields form={form} />
          </Panel>
          <DocumentationFields
            documentation={input.documentation}
            errors={fieldErrors(error)}
            isOfRule
            onChange={(documentation) => change({ documentation })}
          />
        </div>
        <div className="grid min-w-0 gap-4 xl:sticky xl:top-4">
          <Preview input={input} onError={setError} />
          <FormError error={error} />
          <SubmitButton form={form} action={action} className="min-h-11" />
        </div>
      </form>
    </>
  )
}

function NotificationFields({ form: { input, change, field } }: { form: FormState<RuleInput> }) {
  const { repeat, channels, policy, enabled } = input
  // A value that was set over the API is offered as well.
  const repeats = [...new Set([...REPEATS, ...(repeat === '' ? [] : [Number(repeat)])])].toSorted((a, b) => a - b)
  return (
    <div className="grid gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField label={text.severity} {...field('severity')}>
          {SEVERITIES.toReversed().map((severity) => (
            <option key={severity} value={severity}>
              {statusName(severity)}
            </option>
          ))}
        </SelectField>
        {policy === '' && (
          <SelectField label={text.repeat} {...field('repeat', 'repeat_seconds')}>
            <option value="">{text.repeatNever}</option>
            {repeats.map((seconds) => (
              <option key={seconds} value={seconds}>
                {text.repeatEvery(duration(seconds))}
              </option>
            ))}
          </SelectField>
        )}
      </div>
      <PolicyChoice {...field('policy', 'escalation_policy_id')} />
      {policy === '' && <ChannelChoice chosen={channels} onChange={(chosen) => change({ channels: chosen })} />}
      <CheckField label={alerts.enabled} checked={enabled} onChange={(event) => change({ enabled: event.target.checked })} />
    </div>
  )
}
