import { MAX_SCHEDULE_LAYERS } from '@vedette/shared/tables'
import { useId } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { FieldError, TextField } from '../../components/field.tsx'
import { Plus, X } from '../../components/icons.tsx'
import { MoveButtons } from '../../components/move-buttons.tsx'
import { Panel } from '../../components/page.tsx'
import { RepeatFields } from '../../components/repeat-fields.tsx'
import { errorsBelow, moved, without, withPart } from '../../lib/rows.ts'
import { escalation } from '../../messages/escalation.ts'
import HoursFields from '../../components/hours-fields.tsx'
import { PeopleField } from './people-field.tsx'
import { type LayerInput, newLayer } from './schedule-input.ts'

const text = escalation.layers

interface Props {
  layers: readonly LayerInput[]
  zone: string
  /** By path, as `layers.0.user_ids`. */
  errors: Readonly<Record<string, string>>
  onChange: (layers: readonly LayerInput[]) => void
}

export function LayerFields({ layers, zone, errors, onChange }: Props) {
  const id = useId()
  return (
    <>
      {layers.map((layer, index) => (
        <Layer
          key={layer.key}
          layer={layer}
          title={text.one(index + 1)}
          errors={errorsBelow(errors, `layers.${index}.`)}
          aside={
            <span className="flex">
              <MoveButtons
                up={text.up(index + 1)}
                down={text.down(index + 1)}
                index={index}
                count={layers.length}
                onMove={(by) => onChange(moved(layers, index, by))}
              />
              <IconButton label={text.remove(index + 1)} onClick={() => onChange(without(layers, index))}>
                <X size={16} />
              </IconButton>
            </span>
          }
          onChange={(part) => onChange(withPart(layers, index, part))}
        />
      ))}
      <FieldError id={id} error={errors['layers']} />
      {layers.length < MAX_SCHEDULE_LAYERS && (
        <div className="flex flex-wrap items-center gap-3">
          <Button onClick={() => onChange([...layers, newLayer(Date.now(), zone)])}>
            <Plus size={14} aria-hidden="true" />
            {text.add}
          </Button>
          <span className="text-muted">{text.order}</span>
        </div>
      )}
    </>
  )
}

interface LayerProps {
  layer: LayerInput
  title: string
  errors: Props['errors']
  aside: React.ReactNode
  onChange: (part: Partial<LayerInput>) => void
}

function Layer({ layer, title, errors, aside, onChange }: LayerProps) {
  const people = Object.entries(errors).find(([path]) => path.startsWith('user_ids'))
  return (
    <Panel title={title} aside={aside}>
      <div className="grid gap-4">
        <PeopleField
          isOrdered
          label={text.people}
          hint={text.peopleHint}
          chosen={layer.people}
          error={people?.[1]}
          onChange={(chosen) => onChange({ people: chosen })}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label={text.starts}
            hint={text.startsHint}
            type="datetime-local"
            value={layer.starts}
            error={errors['starts_at']}
            onChange={({ target }) => onChange({ starts: target.value })}
          />
          <TextField
            label={text.ends}
            hint={text.endsHint}
            type="datetime-local"
            value={layer.ends}
            error={errors['ends_at']}
            onChange={({ target }) => onChange({ ends: target.value })}
          />
          <RepeatFields label={text.repeat} hoursLabel={text.hours} input={layer} error={errors['repeat']} onChange={onChange} />
        </div>
        <HoursFields
          hint={text.hoursHint}
          hours={layer.restrictions}
          errors={errorsBelow(errors, 'restrictions.')}
          onChange={(restrictions) => onChange({ restrictions })}
        />
      </div>
    </Panel>
  )
}
