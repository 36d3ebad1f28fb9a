import { ALERT_STATUSES, SEVERITIES } from '@vedette/shared/tables'
import { ChannelChoice } from '../../components/channel-choice.tsx'
import { CheckField, FieldError, SelectField } from '../../components/field.tsx'
import { PolicyChoice } from '../../components/policy-choice.tsx'
import { TargetLabel } from '../../components/target-fields.tsx'
import { conditionText } from '../../lib/condition-text.ts'
import { statusName } from '../../lib/status.ts'
import { alerts } from '../../messages/alerts.ts'
import { replays as text } from '../../messages/replays.ts'
import { type ChangeProps, Choice, Seconds } from './choice.tsx'
import { hasDuration, isReplayable, type RuleChange, ruleChange } from './input.ts'

const { rules } = alerts
const DURATIONS = [0, 60, 120, 300, 600, 900, 1_800, 3_600, 21_600, 86_400]

/** When a rule opens incidents, and where they go. */
export function RuleFields({ change, configured, errors, onChange }: ChangeProps<RuleChange>) {
  const { rule, value, forSeconds, policy, channels, enabled } = change
  const set = (part: Partial<RuleChange>) => onChange({ ...change, ...part })
  return (
    <>
      <Choice
        kind="rule"
        label={text.add.rule}
        value={rule?.id ?? ''}
        hint={
          rule && (
            <>
              {conditionText(rule)}
              {rule.target.type !== 'series' && (
                <>
                  {' '}
                  · <TargetLabel target={{ ...rule.target, type: rule.target.type }} />
                </>
              )}
            </>
          )
        }
        error={errors['id']}
        options={configured.rules}
        onChoose={(id) =>
          onChange(
            ruleChange(
              change.key,
              configured.rules.find((each) => each.id === id),
            ),
          )
        }
      />
      {rule && (
        <>
          {hasDuration(rule) ? (
            <div className="grid gap-4 sm:grid-cols-3">
              {isReplayable(rule) && (
                <SelectField
                  label={text.status}
                  value={value}
                  error={errors['condition.value']}
                  onChange={({ target }) => set({ value: target.value })}
                >
                  {ALERT_STATUSES.monitor.map((status) => (
                    <option key={status} value={status}>
                      {statusName(status)}
                    </option>
                  ))}
                </SelectField>
              )}
              <Seconds
                label={rules.for}
                value={forSeconds}
                usual={DURATIONS}
                error={errors['for_seconds']}
                onChange={(seconds) => set({ forSeconds: seconds })}
              />
              <Severity change={change} error={errors['severity']} onChange={onChange} />
            </div>
          ) : (
            <div className="grid gap-4 sm:grid-cols-3">
              <Severity change={change} error={errors['severity']} onChange={onChange} />
              <p className="text-[0.92rem] text-muted sm:col-span-2 sm:pt-7">{text.fixedCondition}</p>
            </div>
          )}
          <PolicyChoice
            value={policy}
            error={errors['escalation_policy_id']}
            onChange={({ target }) => set({ policy: target.value })}
          />
          {policy === '' && <ChannelChoice chosen={channels} onChange={(chosen) => set({ channels: chosen })} />}
          <FieldError id={`${change.key}-channels`} error={errors['channel_ids']} />
          <CheckField label={text.ruleEnabled} checked={enabled} onChange={({ target }) => set({ enabled: target.checked })} />
        </>
      )}
    </>
  )
}

function Severity({
  change,
  error,
  onChange,
}: Pick<ChangeProps<RuleChange>, 'change' | 'onChange'> & { error: string | undefined }) {
  return (
    <SelectField
      label={rules.severity}
      value={change.severity}
      error={error}
      onChange={({ target }) => onChange({ ...change, severity: target.value as RuleChange['severity'] })}
    >
      {SEVERITIES.toReversed().map((severity) => (
        <option key={severity} value={severity}>
          {statusName(severity)}
        </option>
      ))}
    </SelectField>
  )
}
