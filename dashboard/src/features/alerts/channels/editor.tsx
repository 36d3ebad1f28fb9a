import { Button } from '../../../components/button.tsx'
import { CheckField, FormFault, SelectField, TextField } from '../../../components/field.tsx'
import { Panel } from '../../../components/page.tsx'
import { fieldFaults, sentenceOf } from '../../../lib/errors.ts'
import { useDraft } from '../../../lib/use-draft.ts'
import { text } from '../../../messages/index.ts'
import { CHANNEL_FORMS, type ChannelDraft, MASK, TYPES } from './draft.ts'

const words = text.alerts.channels

interface Props {
  draft: ChannelDraft
  isNew: boolean
  action: string
  onSave: (draft: ChannelDraft) => Promise<void>
}

export function ChannelEditor({ draft: given, isNew, action, onSave }: Props) {
  const { draft, change, error, isBusy, onSubmit } = useDraft(given, onSave)
  const faults = fieldFaults(error)
  return (
    <form noValidate className="grid max-w-2xl gap-4" onSubmit={onSubmit}>
      <Panel>
        <div className="grid gap-4 pt-1">
          <SelectField
            label={words.type}
            hint={words.hints[draft.type]}
            value={draft.type}
            disabled={!isNew}
            onChange={(event) => change({ type: event.target.value as ChannelDraft['type'] })}
          >
            {TYPES.map((type) => (
              <option key={type} value={type}>
                {words.types[type]}
              </option>
            ))}
          </SelectField>
          <TextField
            label={words.name}
            hint={words.nameHint}
            maxLength={200}
            value={draft.name}
            fault={faults['name']}
            onChange={(event) => change({ name: event.target.value })}
          />
          <ConfigFields draft={draft} isNew={isNew} faults={faults} onChange={change} />
          <CheckField
            label={words.enabled}
            hint={words.enabledHint}
            checked={draft.enabled}
            onChange={(event) => change({ enabled: event.target.checked })}
          />
        </div>
      </Panel>
      {draft.type === 'webhook' && <Events chosen={draft.events} onChange={(events) => change({ events })} />}
      <FormFault>{error === undefined ? undefined : sentenceOf(error)}</FormFault>
      <Button type="submit" look="primary" disabled={isBusy} className="min-h-11 sm:min-w-40 sm:justify-self-end">
        {action}
      </Button>
    </form>
  )
}

interface FieldsProps {
  draft: ChannelDraft
  isNew: boolean
  faults: Readonly<Record<string, string>>
  onChange: (part: Partial<ChannelDraft>) => void
}

/** A secret that is kept shows as its mask, and goes back as that. */
function ConfigFields({ draft: { type, config }, isNew, faults, onChange }: FieldsProps) {
  const hintOf = (name: string, isRequired: boolean): string | undefined => {
    if (config[name] === MASK) return words.kept
    if (type === 'webhook' && name === 'secret') return words.ownSecret
    return isRequired ? undefined : words.optional
  }
  // The secret of a webhook that is there is replaced by a button of its own.
  const fields = CHANNEL_FORMS[type].filter(({ name }) => isNew || type !== 'webhook' || name !== 'secret')
  return fields.map(({ name, isRequired }) => {
    const hint = hintOf(name, isRequired)
    return (
      <TextField
        key={`${type} ${name}`}
        label={words.fields[name]}
        {...(hint === undefined ? {} : { hint })}
        fault={faults[`config.${name}`]}
        mono
        spellCheck={false}
        autoComplete="off"
        required={isRequired}
        value={config[name] ?? ''}
        // Half of a mask is no secret: whoever types replaces the whole.
        onFocus={(event) => event.target.select()}
        onChange={(event) => onChange({ config: { ...config, [name]: event.target.value } })}
      />
    )
  })
}

function Events({ chosen, onChange }: { chosen: readonly string[]; onChange: (events: string[]) => void }) {
  return (
    <details className="panel" open={chosen.length > 0}>
      <summary className="px-4 py-3 font-semibold">{words.events}</summary>
      <div className="grid gap-2 px-4 pb-4">
        <p className="text-muted">{words.eventsHint}</p>
        {Object.entries(words.eventNames).map(([type, name]) => (
          <CheckField
            key={type}
            label={name}
            checked={chosen.includes(type)}
            onChange={(event) => onChange(event.target.checked ? [...chosen, type] : chosen.filter((each) => each !== type))}
          />
        ))}
      </div>
    </details>
  )
}
