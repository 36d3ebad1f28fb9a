import { type Ref, useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Plus } from '../../components/icons.tsx'
import { Panel } from '../../components/page.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { fieldErrors } from '../../lib/errors.ts'
import { duration } from '../../lib/format.ts'
import { errorsBelow } from '../../lib/rows.ts'
import type { FormState } from '../../lib/use-form.ts'
import { replays as text } from '../../messages/replays.ts'
import { MAX_CHANGED_SETS, newSet, REPLAY_PERIODS, type ReplayInput, type SetInput } from './input.ts'
import type { Configured } from './queries.ts'
import { SetFields } from './set-fields.tsx'

const ACKNOWLEDGE = [300, 900, 1_800, 3_600, 28_800]

interface Props {
  form: FormState<ReplayInput>
  configured: Configured
  /** What the form does, for screen readers and below its button. */
  progress: string
  action: string
  onCancel: () => void
}

/** The period, and what is changed. */
export function ReplayForm({ form, configured, progress, action, onCancel }: Props) {
  const { input, change, error, isBusy } = form
  const { sets } = input
  const errors = fieldErrors(error)
  const add = useRef<HTMLButtonElement>(null)
  const remove = (key: number) => {
    change({ sets: sets.filter((set) => set.key !== key) })
    // The button may be there only after this.
    requestAnimationFrame(() => add.current?.focus())
  }
  return (
    <Form form={form} action={isBusy ? text.running : action} className="grid-cols-[minmax(0,1fr)]" {...(isBusy && { onCancel })}>
      <PeriodFields form={form} />
      {sets.map((set, index) => (
        <SetFields
          key={set.key}
          name={text.set(index + 1)}
          set={set}
          configured={configured}
          errors={errorsBelow(errors, `sets.${index}.`)}
          onChange={(next) => change({ sets: sets.map((each) => (each.key === set.key ? next : each)) })}
          onRemove={() => remove(set.key)}
        />
      ))}
      {sets.length === 0 && (
        <Panel title={text.compareTitle}>
          <p className="mb-3 text-muted">{text.compareLead}</p>
          <AddSet ref={add} label={text.compare} onAdd={(set) => change({ sets: [set] })} />
        </Panel>
      )}
      {sets.length > 0 && sets.length < MAX_CHANGED_SETS && (
        <AddSet ref={add} label={text.compareAgain} onAdd={(set) => change({ sets: [...sets, set] })} />
      )}
      <p role="status" className={progress === '' ? 'sr-only' : 'text-right text-muted'}>
        {progress}
      </p>
    </Form>
  )
}

interface AddSetProps {
  ref: Ref<HTMLButtonElement>
  label: string
  onAdd: (set: SetInput) => void
}

function AddSet({ ref, label, onAdd }: AddSetProps) {
  return (
    <Button ref={ref} className="justify-self-start" onClick={() => onAdd(newSet())}>
      <Plus size={15} aria-hidden="true" />
      {label}
    </Button>
  )
}

function PeriodFields({ form: { input, change, field } }: { form: FormState<ReplayInput> }) {
  const { period, sets } = input
  return (
    <Panel title={text.period}>
      <div className="grid gap-4">
        <Segmented
          label={text.period}
          value={period}
          options={REPLAY_PERIODS.map((value) => ({ value, label: text.periods[value] }))}
          onChoose={(chosen) => change({ period: chosen })}
        />
        {period === 'other' && (
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField label={text.from} type="datetime-local" {...field('from')} />
            <TextField label={text.to} type="datetime-local" {...field('to')} />
          </div>
        )}
        {sets.length > 0 && (
          <SelectField
            label={text.acknowledge}
            hint={text.acknowledgeHint}
            className="max-w-md"
            {...field('acknowledge', 'acknowledge_after_seconds')}
          >
            <option value="">{text.never}</option>
            {ACKNOWLEDGE.map((seconds) => (
              <option key={seconds} value={seconds}>
                {text.after(duration(seconds))}
              </option>
            ))}
          </SelectField>
        )}
      </div>
    </Panel>
  )
}
