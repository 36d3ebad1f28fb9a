import { MAX_COMPOSITE_MEMBERS } from '@vedette/shared/tables'
import { CheckField, SelectField, TextField } from '../../../components/field.tsx'
import { Panel } from '../../../components/page.tsx'
import { Segmented } from '../../../components/segmented.tsx'
import { errorsBelow } from '../../../lib/rows.ts'
import { statusName } from '../../../lib/status.ts'
import { composites } from '../../../messages/composites.ts'
import { MANUAL_STATES, newRule, numberField, RULE_FORMS, type RuleForm, type TypedComposite, type TypedRule } from './input.ts'
import { Members } from './member-fields.tsx'

const { editor: text, rules } = composites

type Errors = Readonly<Record<string, string>>

interface Props {
  composite: TypedComposite
  /** By path, as `options.members.0.weight`. */
  errors: Errors
  onChange: (part: Partial<TypedComposite>) => void
}

/** What gives a composite its status: members and a rule, or a person. */
export default function CompositeEditor({ composite, errors, onChange }: Props) {
  const { isManual, manual_status: manual, members, down_when: down, degraded_when: degraded } = composite
  const own = errorsBelow(errors, 'options.')
  const isNoneRequired = !members.some(({ required }) => required)
  return (
    <>
      <Panel title={text.source}>
        <div className="grid gap-4 pt-1">
          <Segmented
            label={text.source}
            value={isManual ? 'person' : 'members'}
            options={(['members', 'person'] as const).map((value) => ({ value, label: text.sources[value] }))}
            onChoose={(source) => onChange({ isManual: source === 'person' })}
          />
          {isManual ? (
            <SelectField
              label={text.manualStatus}
              hint={text.manualHint}
              error={own['manual_status']}
              value={manual}
              onChange={({ target }) => onChange({ manual_status: target.value as TypedComposite['manual_status'] })}
            >
              {MANUAL_STATES.map((status) => (
                <option key={status} value={status}>
                  {statusName(status)}
                </option>
              ))}
            </SelectField>
          ) : (
            <Members members={members} errors={own} onChange={(next) => onChange({ members: next })} />
          )}
        </div>
      </Panel>
      {!isManual && (
        <Panel title={text.rule}>
          <div className="grid gap-4 pt-1">
            <RuleFields
              name="down_when"
              label={text.downWhen}
              rule={down}
              errors={own}
              isNoneRequired={isNoneRequired}
              onChange={(rule) => onChange({ down_when: rule })}
            />
            <CheckField
              label={text.ownDegraded}
              hint={text.ownDegradedHint}
              checked={degraded !== undefined}
              onChange={({ target }) => onChange({ degraded_when: target.checked ? newRule('count') : undefined })}
            />
            {degraded && (
              <RuleFields
                name="degraded_when"
                label={text.degradedWhen}
                rule={degraded}
                errors={own}
                isNoneRequired={isNoneRequired}
                onChange={(rule) => onChange({ degraded_when: rule })}
              />
            )}
          </div>
        </Panel>
      )}
    </>
  )
}

interface RuleProps {
  name: 'down_when' | 'degraded_when'
  label: string
  rule: TypedRule
  errors: Errors
  isNoneRequired: boolean
  onChange: (rule: TypedRule) => void
}

function RuleFields({ name, label, rule: { form, number }, errors, isNoneRequired, onChange }: RuleProps) {
  const field = numberField(form)
  const nameOf = (one: RuleForm): string => (one === 'percent' ? rules.belowShare : rules[name][one])
  return (
    <div className="grid gap-4 sm:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
      <SelectField
        label={label}
        hint={form === 'required' && isNoneRequired ? rules.noneRequired : undefined}
        error={errors[name]}
        value={form}
        onChange={({ target }) => onChange(newRule(target.value as RuleForm))}
      >
        {RULE_FORMS.map((one) => (
          <option key={one} value={one}>
            {nameOf(one)}
          </option>
        ))}
      </SelectField>
      {field !== undefined && (
        <TextField
          label={form === 'percent' ? rules.share : rules.number}
          hint={form === 'percent' ? rules.shareHint : undefined}
          type="number"
          min={1}
          max={form === 'percent' ? 100 : MAX_COMPOSITE_MEMBERS}
          value={number}
          error={errors[`${name}.${field}`]}
          onChange={({ target }) => onChange({ form, number: target.value })}
        />
      )}
    </div>
  )
}
