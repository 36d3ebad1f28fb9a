import { MAX_SOURCE_ROUTES } from '@vedette/shared/tables'
import { Button, IconButton } from '../../components/button.tsx'
import { Plus, X } from '../../components/icons.tsx'
import { PolicyChoice } from '../../components/policy-choice.tsx'
import { TextArea } from '../../components/text-area.tsx'
import { without, withPart } from '../../lib/rows.ts'
import { alertSources } from '../../messages/alert-sources.ts'
import { newRoute, type RouteInput } from './input.ts'

const text = alertSources.routes

interface Props {
  routes: readonly RouteInput[]
  /** By path, as `0.labels`. */
  errors: Readonly<Record<string, string>>
  onChange: (routes: RouteInput[]) => void
}

/** Alerts with some labels that go to another policy; none: all go where the source says. */
export function RouteFields({ routes, errors, onChange }: Props) {
  const set = (index: number, part: Partial<RouteInput>) => onChange(withPart(routes, index, part))
  return (
    <fieldset className="grid min-w-0 gap-3">
      <legend className="mb-1 font-semibold text-[0.95rem]">{text.title}</legend>
      <p className="text-[0.9rem] text-muted">{text.hint}</p>
      {routes.map(({ key, labels, policy }, index) => (
        <div key={key} className="grid gap-2 border-line border-l-2 pl-3">
          <TextArea
            rows={2}
            label={text.labels(index + 1)}
            mono
            spellCheck={false}
            value={labels}
            error={errors[`${index}.labels`]}
            onChange={({ target }) => set(index, { labels: target.value })}
          />
          <PolicyChoice
            value={policy}
            error={errors[`${index}.escalation_policy_id`]}
            onChange={({ target }) => set(index, { policy: target.value })}
          />
          <IconButton label={text.remove(index + 1)} onClick={() => onChange(without(routes, index))}>
            <X size={16} />
          </IconButton>
        </div>
      ))}
      {routes.length < MAX_SOURCE_ROUTES && (
        <Button small className="justify-self-start" onClick={() => onChange([...routes, newRoute()])}>
          <Plus size={14} aria-hidden="true" />
          {text.add}
        </Button>
      )}
    </fieldset>
  )
}
