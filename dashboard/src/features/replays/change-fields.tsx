import { IconButton } from '../../components/button.tsx'
import { CheckField } from '../../components/field.tsx'
import { X } from '../../components/icons.tsx'
import { QuietTimeFields } from '../../components/quiet-time-fields.tsx'
import { personText } from '../../lib/person.ts'
import { errorsBelow } from '../../lib/rows.ts'
import { replays as text } from '../../messages/replays.ts'
import { type ChangeProps, Choice, Seconds } from './choice.tsx'
import { type Change, type PolicyChange, policyChange, type QuietChange } from './input.ts'
import { RuleFields } from './rule-fields.tsx'

const WAITS = [60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400]

/** One change of a set: what is changed, then its fields. */
export function ChangeFields({ onRemove, ...props }: ChangeProps<Change> & { onRemove: () => void }) {
  const { change } = props
  return (
    <fieldset className="relative grid gap-4 rounded-lg border border-line p-4 pt-2">
      <legend className="sr-only">{text.add[change.kind]}</legend>
      <IconButton label={text.remove} onClick={onRemove} className="absolute top-1.5 right-1.5 size-8">
        <X size={16} />
      </IconButton>
      {change.kind === 'rule' && <RuleFields {...props} change={change} />}
      {change.kind === 'policy' && <PolicyFields {...props} change={change} />}
      {change.kind === 'quiet' && <QuietFields {...props} change={change} />}
    </fieldset>
  )
}

function PolicyFields({ change, configured, errors, onChange }: ChangeProps<PolicyChange>) {
  const { policy, waits } = change
  // The last step waits for something only where the steps are repeated.
  const steps = policy?.steps.slice(0, policy.repeats > 0 ? undefined : -1) ?? []
  return (
    <>
      <Choice
        kind="policy"
        label={text.add.policy}
        value={policy?.id ?? ''}
        error={errors['id']}
        options={configured.policies}
        onChoose={(id) =>
          onChange(
            policyChange(
              change.key,
              configured.policies.find((each) => each.id === id),
            ),
          )
        }
      />
      {policy && steps.length === 0 && <p className="text-muted">{text.oneStep}</p>}
      {steps.length > 0 && (
        <div className="grid gap-4 sm:grid-cols-2">
          {steps.map(({ user_ids, schedule_ids, channel_ids, wait_seconds }, index) => (
            <Seconds
              // The steps of a policy have no names, and keep their order here.
              key={index}
              label={text.step(index + 1)}
              hint={[...schedule_ids, ...user_ids, ...channel_ids].map((id) => configured.names.get(id) ?? id).join(', ')}
              value={waits[index] ?? String(wait_seconds)}
              usual={WAITS}
              error={errors[`steps.${index}.wait_seconds`]}
              onChange={(seconds) => onChange({ ...change, waits: waits.with(index, seconds) })}
            />
          ))}
        </div>
      )}
    </>
  )
}

function QuietFields({ change, configured, errors, onChange }: ChangeProps<QuietChange>) {
  const { userId, isOn, quiet } = change
  return (
    <>
      <Choice
        kind="quiet"
        label={text.member}
        value={userId}
        error={errors['id']}
        options={configured.members.map((member) => ({ id: member.id, name: personText(member) }))}
        onChoose={(id) => onChange({ ...change, userId: id })}
      />
      <CheckField label={text.hasQuiet} checked={isOn} onChange={({ target }) => onChange({ ...change, isOn: target.checked })} />
      {isOn && (
        <QuietTimeFields
          quiet={quiet}
          errors={errorsBelow(errors, 'quiet_time.')}
          critical={text.critical}
          onChange={(changed) => onChange({ ...change, quiet: changed })}
        />
      )}
    </>
  )
}
