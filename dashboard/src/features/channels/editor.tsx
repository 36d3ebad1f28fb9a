import { MASK, CHANNEL_TEXTS, CHANNEL_TYPES, EVENT_TYPES, MAX_NAME_LENGTH } from '@vedette/shared/tables'
import { CheckField, CheckList, SelectField, TextField } from '../../components/field.tsx'
import { ConflictNotice, LeaveGuard } from '../../components/edit-notices.tsx'
import type { EditorProps } from '../../components/editor-pages.tsx'
import { Form } from '../../components/form.tsx'
import { Panel } from '../../components/page.tsx'
import { fieldErrors } from '../../lib/errors.ts'
import { useForm } from '../../lib/use-form.ts'
import { channels as text } from '../../messages/channels.ts'
import { alerts } from '../../messages/alerts.ts'
import { messages } from '../../messages/index.ts'
import { TestNewButton } from './test-button.tsx'
import { channelFields, isTemplate } from '../../lib/channel-fields.ts'
import { type ChannelInput, toCreateBody, toPatchBody } from './input.ts'
import { Templates } from './templates.tsx'

const fieldHints: Readonly<Record<string, string>> = text.fieldHints

export function ChannelEditor({ input: initial, isNew = false, action, onSave, saved, conflict }: EditorProps<ChannelInput>) {
  const form = useForm(initial, onSave, {
    saved,
    missing: missingFields,
    schema: isNew ? ['CreateChannelBody', toCreateBody] : ['PatchChannelBody', toPatchBody],
  })
  const { input, change } = form
  const errors = fieldErrors(form.error)
  return (
    <>
      <ConflictNotice labels={CHANNEL_TEXTS} conflict={conflict} onTake={change} />
      <Form form={form} action={action} className="max-w-2xl">
        <LeaveGuard isDirty={form.isDirty} isSaving={form.isBusy} />
        <Panel>
          <div className="grid gap-4 pt-1">
            <SelectField label={text.type} hint={text.hints[input.type]} {...form.field('type')} disabled={!isNew}>
              {Object.entries(CHANNEL_TYPES).map(([type, { label }]) => (
                <option key={type} value={type}>
                  {label}
                </option>
              ))}
            </SelectField>
            <TextField label={alerts.name} hint={text.nameHint} maxLength={MAX_NAME_LENGTH} {...form.field('name')} />
            <ConfigFields input={input} isNew={isNew} errors={errors} onChange={change} />
            {isNew && (
              <div>
                <TestNewButton input={input} onError={form.setError} />
              </div>
            )}
            <CheckField
              label={alerts.enabled}
              hint={text.enabledHint}
              checked={input.enabled}
              onChange={(event) => change({ enabled: event.target.checked })}
            />
          </div>
        </Panel>
        <Templates key={input.type} input={input} errors={errors} onChange={change} />
        {input.type === 'webhook' && <Events chosen={input.events} onChange={(events) => change({ events })} />}
      </Form>
    </>
  )
}

const missingFields = ({ type, config }: ChannelInput): string[] =>
  channelFields(type).flatMap(({ name, isRequired }) =>
    isRequired && (config[name] ?? '').trim() === '' ? [`config.${name}`] : [],
  )

interface FieldsProps {
  input: ChannelInput
  isNew: boolean
  errors: Readonly<Record<string, string>>
  onChange: (part: Partial<ChannelInput>) => void
}

/** A stored secret is shown as its mask; sent back, the mask keeps the secret. */
function ConfigFields({ input: { type, config }, isNew, errors, onChange }: FieldsProps) {
  const hintOf = (name: string, isRequired: boolean): string | undefined => {
    if (config[name] === MASK) return text.secretStored
    if (type === 'webhook' && name === 'secret') return text.secretHint
    return fieldHints[name] ?? (isRequired ? undefined : text.optional)
  }
  // RotateSecret replaces the secret of an existing webhook.
  const fields = channelFields(type).filter(({ name }) => !isTemplate(name) && (isNew || type !== 'webhook' || name !== 'secret'))
  return fields.map(({ name, isRequired }) => {
    const hint = hintOf(name, isRequired)
    return (
      <TextField
        key={`${type} ${name}`}
        label={CHANNEL_TEXTS[name].label}
        hint={hint}
        error={errors[`config.${name}`]}
        mono
        spellCheck={false}
        autoComplete="off"
        required={isRequired}
        value={config[name] ?? ''}
        // Part of a mask is no secret: typing replaces all of it.
        onFocus={(event) => event.target.select()}
        onChange={(event) => onChange({ config: { ...config, [name]: event.target.value } })}
      />
    )
  })
}

function Events({ chosen, onChange }: { chosen: readonly string[]; onChange: (events: string[]) => void }) {
  return (
    <details className="panel" open={chosen.length > 0}>
      <summary className="px-4 py-3 font-semibold">{text.events}</summary>
      <div className="grid gap-2 px-4 pb-4">
        <p className="text-muted">{text.eventsHint}</p>
        <CheckList
          options={EVENT_TYPES.map((value) => ({ value, label: messages.events[value] ?? value }))}
          chosen={chosen}
          onChange={onChange}
          className="grid gap-2"
        />
      </div>
    </details>
  )
}
