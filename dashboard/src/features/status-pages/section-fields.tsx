import { MAX_NAME_LENGTH, MAX_SECTIONS, MAX_TAG_LENGTH, PAGE_SHOWS, type PageShow } from '@vedette/shared/tables'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { CheckList, FieldError, TextField } from '../../components/field.tsx'
import { Plus, X } from '../../components/icons.tsx'
import { MoveButtons } from '../../components/move-buttons.tsx'
import { Panel } from '../../components/page.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { KnownTags } from '../../components/tags.tsx'
import { SingleTarget } from '../../components/target-fields.tsx'
import { useViewer } from '../../lib/api.ts'
import { moved } from '../../lib/rows.ts'
import { statesQuery } from '../../lib/states.ts'
import { statusPages } from '../../messages/status-pages.ts'
import { newSection, type SectionInput } from './input.ts'

const text = statusPages.sections

interface Props {
  sections: readonly SectionInput[]
  /** By path, as `sections.0.name`. */
  errors: Readonly<Record<string, string>>
  onChange: (sections: readonly SectionInput[]) => void
}

/** The sections of a page, in its order. */
export function SectionFields({ sections, errors, onChange }: Props) {
  const id = useId()
  return (
    <Panel title={text.title}>
      <p className="mb-3 text-muted">{text.lead}</p>
      <div className="grid gap-4">
        {sections.map((section, index) => (
          <Section
            key={section.key}
            section={section}
            index={index}
            count={sections.length}
            errors={errors}
            onChange={(part) => onChange(sections.map((one, at) => (at === index ? { ...one, ...part } : one)))}
            onMove={(by) => onChange(moved(sections, index, by))}
            onRemove={() => onChange(sections.filter((_, at) => at !== index))}
          />
        ))}
        <FieldError id={id} error={errors['sections']} />
        {sections.length < MAX_SECTIONS && (
          <Button small className="justify-self-start" onClick={() => onChange([...sections, newSection()])}>
            <Plus size={14} aria-hidden="true" />
            {text.add}
          </Button>
        )}
      </div>
    </Panel>
  )
}

interface SectionProps {
  section: SectionInput
  index: number
  count: number
  errors: Props['errors']
  onChange: (part: Partial<SectionInput>) => void
  onMove: (by: -1 | 1) => void
  onRemove: () => void
}

function Section({ section, index, count, errors, onChange, onMove, onRemove }: SectionProps) {
  const id = useId()
  const [number, path] = [index + 1, `sections.${index}`]
  const fault = Object.entries(errors).find(([at]) => at === path || at.startsWith(`${path}.monitors`))
  return (
    <fieldset className="grid min-w-0 gap-3 rounded-lg border border-line p-3">
      <legend className="px-1 font-semibold">{text.one(number)}</legend>
      <div className="flex items-start gap-1">
        <TextField
          label={text.name(number)}
          maxLength={MAX_NAME_LENGTH}
          value={section.name}
          error={errors[`${path}.name`]}
          onChange={({ target }) => onChange({ name: target.value })}
          className="min-w-0 flex-1"
        />
        <div className="flex pt-6">
          <MoveButtons
            up={text.up(text.one(number))}
            down={text.down(text.one(number))}
            index={index}
            count={count}
            onMove={onMove}
          />
          <IconButton label={text.remove(number)} onClick={onRemove}>
            <X size={16} />
          </IconButton>
        </div>
      </div>
      <Segmented
        label={text.by(number)}
        value={section.by}
        options={(['monitors', 'tag'] as const).map((value) => ({ value, label: text.kinds[value] }))}
        onChoose={(by) => onChange({ by })}
      />
      {section.by === 'tag' && (
        <>
          <TextField
            label={text.tag(number)}
            hint={text.tagHint}
            maxLength={MAX_TAG_LENGTH}
            list={`${id}-known`}
            autoComplete="off"
            value={section.tag}
            error={errors[`${path}.tag`]}
            onChange={({ target }) => onChange({ tag: target.value })}
            className="max-w-sm"
          />
          <KnownTags id={`${id}-known`} />
        </>
      )}
      <MonitorRows section={section} onChange={onChange} />
      <FieldError id={`${id}-monitors`} error={fault?.[1]} />
      <CheckList
        label={text.show(number)}
        options={PAGE_SHOWS.map((value) => ({ value, label: text.shows[value] }))}
        chosen={section.show}
        // In the order of the API, so that a change back is no change.
        onChange={(chosen) => onChange({ show: PAGE_SHOWS.filter((show: PageShow) => chosen.includes(show)) })}
      />
    </fieldset>
  )
}

/** The monitors of a section with their public names; those of a tag can be neither moved nor removed. */
function MonitorRows({ section, onChange }: Pick<SectionProps, 'section' | 'onChange'>) {
  const { data: states } = useQuery(statesQuery(useViewer()))
  const known = states?.monitors ?? []
  const isChosen = section.by === 'monitors'
  const tagged = known.filter(({ tags }) => tags.includes(section.tag.trim())).map(({ id }) => id)
  const ids = isChosen ? section.monitors : tagged
  return (
    <>
      {ids.length === 0 ? (
        <p className="text-muted">{text.none}</p>
      ) : (
        <ul className="grid gap-2">
          {ids.map((id, index) => {
            const name = known.find((monitor) => monitor.id === id)?.name ?? id
            return (
              <li key={id} className="flex flex-wrap items-center gap-x-2 gap-y-1">
                <span className="cut min-w-0 flex-1 basis-36 font-medium max-sm:basis-full">{name}</span>
                <input
                  aria-label={text.publicName(name)}
                  placeholder={name}
                  maxLength={MAX_NAME_LENGTH}
                  value={section.names[id] ?? ''}
                  onChange={({ target }) => onChange({ names: { ...section.names, [id]: target.value } })}
                  className="field min-w-0 flex-1 basis-36"
                />
                {isChosen && (
                  <span className="flex">
                    <MoveButtons
                      up={text.up(name)}
                      down={text.down(name)}
                      index={index}
                      count={ids.length}
                      onMove={(by) => onChange({ monitors: moved(ids, index, by) })}
                    />
                    <IconButton
                      label={text.removeMonitor(name)}
                      onClick={() => onChange({ monitors: ids.filter((each) => each !== id) })}
                    >
                      <X size={16} />
                    </IconButton>
                  </span>
                )}
              </li>
            )
          })}
        </ul>
      )}
      {isChosen && (
        <SingleTarget
          type="monitor"
          id={undefined}
          onChoose={(id) => id !== undefined && !ids.includes(id) && onChange({ monitors: [...ids, id] })}
        />
      )}
    </>
  )
}
