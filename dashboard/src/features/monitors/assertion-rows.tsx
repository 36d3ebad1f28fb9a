import { ASSERTION_OPERATORS, assertionTypeSpec, assertionTypesOf, MAX_ASSERTIONS } from '@vedette/shared/tables'
import { Plus, X } from '../../components/icons.tsx'
import { useId } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { FieldError } from '../../components/field.tsx'
import { monitorEditor } from '../../messages/monitor-editor.ts'
import { factLabel } from '../../lib/fact-texts.ts'
import { type AssertionInput, newAssertion, valueKinds } from './input.ts'

const text = monitorEditor.editor

interface Props {
  /** The type of the check. */
  checkType: string
  assertions: readonly AssertionInput[]
  /** By dotted path: `assertions.0.value`. */
  errors: Readonly<Record<string, string>>
  onChange: (assertions: AssertionInput[]) => void
}

export function AssertionRows({ checkType, assertions, errors, onChange }: Props) {
  const types = assertionTypesOf(checkType)
  const set = (key: number, part: Partial<AssertionInput>) =>
    onChange(assertions.map((assertion) => (assertion.key === key ? { ...assertion, ...part } : assertion)))
  return (
    <div className="grid gap-2.5">
      {assertions.length === 0 && (
        <p className="text-muted">{checkType === 'http' ? text.noAssertion : text.noAssertionOfKind}</p>
      )}
      {assertions.map((assertion, index) => (
        <AssertionRow
          key={assertion.key}
          types={types}
          assertion={assertion}
          errors={Object.fromEntries(
            Object.entries(errors).flatMap(([path, message]) =>
              path === `assertions.${index}` || path.startsWith(`assertions.${index}.`)
                ? [[path.split('.')[2] ?? 'value', message]]
                : [],
            ),
          )}
          onSet={(part) => set(assertion.key, part)}
          onRemove={() => onChange(assertions.filter(({ key }) => key !== assertion.key))}
        />
      ))}
      {assertions.length < MAX_ASSERTIONS && types[0] !== undefined && (
        <Button small className="justify-self-start" onClick={() => onChange([...assertions, newAssertion(types[0] as string)])}>
          <Plus size={14} aria-hidden="true" />
          {text.addAssertion}
        </Button>
      )}
    </div>
  )
}

interface RowProps {
  /** Assertion types that the kind of check has. */
  types: readonly string[]
  assertion: AssertionInput
  /** By the name of the field. */
  errors: Readonly<Record<string, string>>
  onSet: (part: Partial<AssertionInput>) => void
  onRemove: () => void
}

function AssertionRow({ types, assertion: { type, operator, property, value }, errors, onSet, onRemove }: RowProps) {
  const id = useId()
  const spec = assertionTypeSpec(type)
  const kinds = valueKinds({ type, operator })
  const mark = (name: string) => name in errors && { 'aria-invalid': true, 'aria-describedby': `${id}-${name}` }
  return (
    <div>
      <div className="flex flex-wrap items-center gap-2">
        <select
          aria-label={text.assertionType}
          {...mark('type')}
          value={type}
          onChange={(event) => {
            const { key: _key, ...assertion } = newAssertion(event.target.value)
            onSet(assertion)
          }}
          className="field w-auto min-w-40 flex-1"
        >
          {types.map((name) => (
            <option key={name} value={name}>
              {factLabel(name)}
            </option>
          ))}
        </select>
        {spec?.property && (
          <input
            aria-label={text.property}
            {...mark('property')}
            placeholder={spec.property.example}
            value={property}
            onChange={(event) => onSet({ property: event.target.value })}
            className="field w-36 flex-1"
          />
        )}
        <select
          aria-label={text.operator}
          {...mark('operator')}
          value={operator}
          onChange={(event) => onSet({ operator: event.target.value })}
          className="field w-auto min-w-32 flex-1"
        >
          {spec?.operators.map((name) => (
            <option key={name} value={name}>
              {ASSERTION_OPERATORS[name].label}
            </option>
          ))}
        </select>
        {kinds.length > 0 && (
          <input
            aria-label={text.value}
            type={kinds.includes('string') ? 'text' : 'number'}
            placeholder={spec?.unit}
            value={value}
            onChange={(event) => onSet({ value: event.target.value })}
            {...mark('value')}
            className="field w-28 flex-1"
          />
        )}
        <IconButton label={text.removeAssertion} onClick={onRemove}>
          <X size={16} />
        </IconButton>
      </div>
      {Object.entries(errors).map(([name, error]) => (
        <FieldError key={name} id={`${id}-${name}`} error={error} />
      ))}
    </div>
  )
}
