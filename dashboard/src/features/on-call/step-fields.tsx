import { MAX_ESCALATION_STEPS } from '@vedette/shared/tables'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { ChannelChoice } from '../../components/channel-choice.tsx'
import { CheckList, FieldError, TextField } from '../../components/field.tsx'
import { Plus, X } from '../../components/icons.tsx'
import { MoveButtons } from '../../components/move-buttons.tsx'
import { Panel } from '../../components/page.tsx'
import { useViewer } from '../../lib/api.ts'
import { errorsBelow, moved, without, withPart } from '../../lib/rows.ts'
import { escalation } from '../../messages/escalation.ts'
import HoursFields from '../../components/hours-fields.tsx'
import { PeopleField } from './people-field.tsx'
import { newStep, type StepInput } from './policy-input.ts'
import { schedulesQuery } from '../../lib/schedule-queries.ts'

const text = escalation.steps

interface Props {
  steps: readonly StepInput[]
  /** By path, as `steps.0.wait_seconds`. */
  errors: Readonly<Record<string, string>>
  onChange: (steps: readonly StepInput[]) => void
}

export function StepFields({ steps, errors, onChange }: Props) {
  const id = useId()
  return (
    <>
      {steps.map((step, index) => (
        <Step
          key={step.key}
          step={step}
          title={text.one(index + 1)}
          error={errors[`steps.${index}`]}
          errors={errorsBelow(errors, `steps.${index}.`)}
          aside={
            <span className="flex">
              <MoveButtons
                up={text.up(index + 1)}
                down={text.down(index + 1)}
                index={index}
                count={steps.length}
                onMove={(by) => onChange(moved(steps, index, by))}
              />
              {steps.length > 1 && (
                <IconButton label={text.remove(index + 1)} onClick={() => onChange(without(steps, index))}>
                  <X size={16} />
                </IconButton>
              )}
            </span>
          }
          onChange={(part) => onChange(withPart(steps, index, part))}
        />
      ))}
      <FieldError id={id} error={errors['steps']} />
      {steps.length < MAX_ESCALATION_STEPS && (
        <Button className="justify-self-start" onClick={() => onChange([...steps, newStep()])}>
          <Plus size={14} aria-hidden="true" />
          {text.add}
        </Button>
      )}
    </>
  )
}

interface StepProps {
  step: StepInput
  title: string
  /** Of the whole step. */
  error: string | undefined
  errors: Props['errors']
  aside: React.ReactNode
  onChange: (part: Partial<StepInput>) => void
}

function Step({ step, title, error, errors, aside, onChange }: StepProps) {
  const { data } = useQuery(schedulesQuery(useViewer(), 1, 100))
  const schedules = data?.schedules.map(({ id, name }) => ({ value: id, label: name })) ?? []
  const people = Object.entries(errors).find(([path]) => path.startsWith('user_ids'))
  return (
    <Panel title={title} aside={aside}>
      <div className="grid gap-4">
        {schedules.length > 0 && (
          <CheckList
            label={text.schedules}
            options={schedules}
            chosen={step.schedules}
            onChange={(chosen) => onChange({ schedules: chosen })}
          />
        )}
        <PeopleField
          label={text.people}
          chosen={step.people}
          error={people?.[1] ?? error}
          onChange={(chosen) => onChange({ people: chosen.flat() })}
        />
        <ChannelChoice chosen={step.channels} onChange={(chosen) => onChange({ channels: chosen })} />
        <TextField
          className="max-w-sm"
          label={text.wait}
          hint={text.waitHint}
          value={step.wait}
          error={errors['wait_seconds']}
          onChange={({ target }) => onChange({ wait: target.value })}
        />
        <HoursFields
          hint={text.hoursHint}
          hours={step.hours}
          errors={errorsBelow(errors, 'restrictions.')}
          onChange={(hours) => onChange({ hours })}
        />
      </div>
    </Panel>
  )
}
