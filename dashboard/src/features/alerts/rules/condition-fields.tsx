import { SelectField, TextField } from '../../../components/field.tsx'
import { duration } from '../../../lib/format.ts'
import { text } from '../../../messages/index.ts'
import { isStatus, metricsOf, MOUNTED, OPERATORS, type RuleDraft, statusesOf, unitOf, withMetric } from './draft.ts'

const words = text.alerts.rules
const SPANS = [0, 60, 120, 300, 600, 900, 1_800, 3_600, 21_600, 86_400]

interface Props {
  draft: RuleDraft
  faults: Readonly<Record<string, string>>
  onChange: (draft: RuleDraft) => void
}

/** What is looked at, and how it stands to what. */
export function ConditionFields({ draft, faults, onChange }: Props) {
  const names = text.alerts.metrics[draft.target.type]
  const spans = [...new Set([...SPANS, Number(draft.forSeconds)])].toSorted((one, other) => one - other)
  const change = (part: Partial<RuleDraft>) => onChange({ ...draft, ...part })
  return (
    <div className="grid gap-4">
      <div className="grid gap-4 sm:grid-cols-[minmax(0,2fr)_minmax(0,1fr)_minmax(0,1fr)]">
        <SelectField
          label={words.metric}
          value={draft.metric}
          onChange={(event) => onChange(withMetric(draft, event.target.value))}
        >
          {metricsOf(draft.target.type).map((metric) => (
            <option key={metric} value={metric}>
              {names[metric]?.name}
            </option>
          ))}
        </SelectField>
        {isStatus(draft) ? (
          <StatusValue draft={draft} onChange={change} />
        ) : (
          <Bound draft={draft} faults={faults} onChange={change} />
        )}
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label={words.for}
          {...(isStatus(draft) ? {} : { hint: words.forHint })}
          value={draft.forSeconds}
          onChange={(event) => change({ forSeconds: event.target.value })}
        >
          {spans.map((seconds) => (
            <option key={seconds} value={seconds}>
              {seconds === 0 ? words.forAtOnce : duration(seconds)}
            </option>
          ))}
        </SelectField>
        {!isStatus(draft) && draft.operator !== 'equals' && (
          <TextField
            label={words.clear}
            hint={words.clearHint}
            fault={faults['clear_value']}
            type="number"
            step="any"
            value={draft.clear}
            onChange={(event) => change({ clear: event.target.value })}
          />
        )}
        {draft.metric === MOUNTED && (
          <TextField
            label={words.mount}
            hint={words.mountHint}
            fault={faults['condition.mount']}
            mono
            placeholder="/var"
            value={draft.mount}
            onChange={(event) => change({ mount: event.target.value })}
          />
        )}
      </div>
    </div>
  )
}

interface PartProps {
  draft: RuleDraft
  onChange: (part: Partial<RuleDraft>) => void
}

function StatusValue({ draft, onChange }: PartProps) {
  return (
    <SelectField
      label={text.alerts.operators.equals}
      className="sm:col-span-2"
      value={draft.value}
      onChange={(event) => onChange({ value: event.target.value })}
    >
      {statusesOf(draft.target.type).map((status) => (
        <option key={status} value={status}>
          {text.status[status]}
        </option>
      ))}
    </SelectField>
  )
}

function Bound({ draft, faults, onChange }: PartProps & { faults: Readonly<Record<string, string>> }) {
  const unit = unitOf(draft)
  return (
    <>
      <SelectField
        label={words.operator}
        value={draft.operator}
        onChange={(event) => onChange({ operator: event.target.value as RuleDraft['operator'] })}
      >
        {OPERATORS.map((operator) => (
          <option key={operator} value={operator}>
            {text.alerts.operators[operator]}
          </option>
        ))}
      </SelectField>
      <TextField
        label={unit === '' ? words.value : words.valueIn(unit)}
        fault={faults['condition.value']}
        type="number"
        step="any"
        value={draft.value}
        onChange={(event) => onChange({ value: event.target.value })}
      />
    </>
  )
}
