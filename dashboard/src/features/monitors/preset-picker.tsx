import { SelectField } from '../../components/field.tsx'
import { newKey } from '../../lib/rows.ts'
import { monitorEditor } from '../../messages/monitor-editor.ts'
import { APP_PRESETS, draftOf } from './app-presets.ts'
import { type MonitorInput, toAssertionInput } from './input.ts'
import { PROVIDERS } from './provider-catalogue.ts'

const text = monitorEditor.editor

interface Props {
  input: MonitorInput
  onChange: (part: Partial<MonitorInput>) => void
}

/** Well-known programs of the kind `http`, and providers of the kind `upstream`: a choice fills in the fields below it. */
export function PresetPicker({ input, onChange }: Props) {
  if (input.type === 'http')
    return (
      <Choice
        label={text.preset}
        hint={text.presetHint}
        names={APP_PRESETS.map(({ name }) => name)}
        onChoose={(name) => {
          const preset = APP_PRESETS.find((one) => one.name === name)
          if (preset) onChange(partOf(draftOf(preset, input.url), input))
        }}
      />
    )
  if (input.type === 'upstream')
    return (
      <Choice
        label={text.provider}
        hint={text.providerHint}
        names={Object.keys(PROVIDERS)}
        onChoose={(name) => onChange({ name, url: PROVIDERS[name] ?? '' })}
      />
    )
  return null
}

const partOf = (draft: ReturnType<typeof draftOf>, { name }: MonitorInput): Partial<MonitorInput> => ({
  // A name that is typed stays.
  ...(name === '' && draft.name !== undefined && { name: draft.name }),
  url: draft.url ?? '',
  method: draft.method ?? 'GET',
  body: '',
  verifyTls: draft.verifyTls ?? true,
  headers: (draft.headers ?? []).map(([header, value]) => ({ key: newKey(), name: header, value })),
  assertions: (draft.assertions ?? []).map(toAssertionInput),
})

interface ChoiceProps {
  label: string
  hint: string
  names: readonly string[]
  onChoose: (name: string) => void
}

/** It keeps no choice: what was filled in can be changed. */
function Choice({ label, hint, names, onChoose }: ChoiceProps) {
  return (
    <SelectField label={label} hint={hint} value="" onChange={(event) => onChoose(event.target.value)}>
      <option value="">{text.choosePreset}</option>
      {names.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </SelectField>
  )
}
