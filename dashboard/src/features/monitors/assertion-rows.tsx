import { Plus, X } from 'lucide-react'
import { Button, IconButton } from '../../components/button.tsx'
import { text } from '../../messages/index.ts'
import { ASSERTION_FORMS, type DraftAssertion, newAssertion, takesValue } from './draft.ts'

const words = text.monitors
const MOST = 20

interface Props {
  assertions: readonly DraftAssertion[]
  /** What the API says, by dotted path: `assertions.0.value`. */
  faults: Readonly<Record<string, string>>
  onChange: (assertions: DraftAssertion[]) => void
}

export function AssertionRows({ assertions, faults, onChange }: Props) {
  const set = (key: number, part: Partial<DraftAssertion>) =>
    onChange(assertions.map((assertion) => (assertion.key === key ? { ...assertion, ...part } : assertion)))
  return (
    <div className="grid gap-2.5">
      {assertions.length === 0 && <p className="text-muted">{words.editor.noAssertion}</p>}
      {assertions.map((assertion, index) => (
        <AssertionRow
          key={assertion.key}
          assertion={assertion}
          fault={
            Object.entries(faults).find(
              ([path]) => path === `assertions.${index}` || path.startsWith(`assertions.${index}.`),
            )?.[1]
          }
          onSet={(part) => set(assertion.key, part)}
          onRemove={() => onChange(assertions.filter(({ key }) => key !== assertion.key))}
        />
      ))}
      {assertions.length < MOST && (
        <Button small className="justify-self-start" onClick={() => onChange([...assertions, newAssertion()])}>
          <Plus size={14} aria-hidden="true" />
          {words.editor.addAssertion}
        </Button>
      )}
    </div>
  )
}

interface RowProps {
  assertion: DraftAssertion
  fault: string | undefined
  onSet: (part: Partial<DraftAssertion>) => void
  onRemove: () => void
}

function AssertionRow({ assertion: { type, operator, property, value }, fault, onSet, onRemove }: RowProps) {
  const form = ASSERTION_FORMS[type]
  const isNumber = form?.isNumber === true || operator === 'less_than' || operator === 'greater_than'
  const { editor, types, operators } = words
  return (
    <div>
      <div className="flex flex-wrap items-center gap-2">
        <select
          aria-label={editor.assertionType}
          value={type}
          onChange={(event) => {
            const { key: _new, ...fresh } = newAssertion(event.target.value)
            onSet(fresh)
          }}
          className="field w-auto min-w-40 flex-1"
        >
          {Object.keys(ASSERTION_FORMS).map((name) => (
            <option key={name} value={name}>
              {types[name]}
            </option>
          ))}
        </select>
        {form?.property !== undefined && (
          <input
            aria-label={editor.property}
            placeholder={form.property}
            value={property}
            onChange={(event) => onSet({ property: event.target.value })}
            className="field w-36 flex-1"
          />
        )}
        <select
          aria-label={editor.operator}
          value={operator}
          onChange={(event) => onSet({ operator: event.target.value })}
          className="field w-auto min-w-32 flex-1"
        >
          {form?.operators.map((name) => (
            <option key={name} value={name}>
              {operators[name]}
            </option>
          ))}
        </select>
        {takesValue(operator) && (
          <input
            aria-label={editor.value}
            type={isNumber ? 'number' : 'text'}
            value={value}
            onChange={(event) => onSet({ value: event.target.value })}
            aria-invalid={fault !== undefined || undefined}
            className="field w-28 flex-1"
          />
        )}
        <IconButton label={editor.removeAssertion} onClick={onRemove}>
          <X size={16} />
        </IconButton>
      </div>
      {fault !== undefined && <p className="mt-1 text-[0.9rem] text-bad">{fault}</p>}
    </div>
  )
}
