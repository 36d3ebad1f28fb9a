import { type Ref, useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { Plus } from '../../components/icons.tsx'
import { FoldedPanel, Panel } from '../../components/page.tsx'
import { usualQuietTime } from '../../components/quiet-time-fields.tsx'
import { TextArea } from '../../components/text-area.tsx'
import { errorsBelow, newKey } from '../../lib/rows.ts'
import { replays as text } from '../../messages/replays.ts'
import { ChangeFields } from './change-fields.tsx'
import { type Change, policyChange, ruleChange, type SetInput } from './input.ts'
import type { Configured } from './queries.ts'

interface Props {
  name: string
  set: SetInput
  configured: Configured
  /** By field: `changes.0.for_seconds`, and `json`. */
  errors: Readonly<Record<string, string>>
  onChange: (set: SetInput) => void
  onRemove: () => void
}

/** The changes of one set. */
export function SetFields({ name, set, configured, errors, onChange, onRemove }: Props) {
  const buttons = useRef<HTMLDivElement>(null)
  const { changes, json } = set
  const replace = (next: readonly Change[]) => onChange({ ...set, changes: next })
  const remove = (key: number) => {
    replace(changes.filter((change) => change.key !== key))
    buttons.current?.querySelector('button')?.focus()
  }
  return (
    <Panel
      title={name}
      aside={
        <Button small onClick={onRemove}>
          {text.removeSet(name)}
        </Button>
      }
    >
      <p className="mb-3 text-muted">{text.setLead}</p>
      <div className="grid gap-3">
        {changes.map((change, place) => (
          <ChangeFields
            key={change.key}
            change={change}
            configured={configured}
            errors={errorsBelow(errors, `changes.${place}.`)}
            onChange={(next) => replace(changes.map((each) => (each.key === change.key ? next : each)))}
            onRemove={() => remove(change.key)}
          />
        ))}
        <AddButtons
          ref={buttons}
          hasPolicies={configured.policies.length > 0}
          onAdd={(change) => replace([...changes, change])}
        />
        <FoldedPanel title={text.json.title} isFilled={json !== ''} hasFault={errors['json'] !== undefined}>
          <TextArea
            label={text.json.label}
            hint={text.json.hint}
            error={errors['json']}
            mono
            rows={6}
            spellCheck={false}
            placeholder={'{ "without": ["mw_…"] }'}
            value={json}
            onChange={({ target }) => onChange({ ...set, json: target.value })}
          />
        </FoldedPanel>
      </div>
    </Panel>
  )
}

interface AddProps {
  ref: Ref<HTMLDivElement>
  hasPolicies: boolean
  onAdd: (change: Change) => void
}

function AddButtons({ ref, hasPolicies, onAdd }: AddProps) {
  const makers: Record<Change['kind'], (key: number) => Change> = {
    rule: (key) => ruleChange(key),
    policy: (key) => policyChange(key),
    quiet: (key) => ({ kind: 'quiet', key, userId: '', isOn: true, quiet: usualQuietTime() }),
  }
  const kinds = (['rule', 'policy', 'quiet'] as const).filter((kind) => kind !== 'policy' || hasPolicies)
  return (
    <div ref={ref} className="flex flex-wrap gap-2">
      {kinds.map((kind) => (
        <Button key={kind} small onClick={() => onAdd(makers[kind](newKey()))}>
          <Plus size={14} aria-hidden="true" />
          {text.add[kind]}
        </Button>
      ))}
    </div>
  )
}
