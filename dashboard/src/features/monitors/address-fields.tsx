import { type ReactNode, useState } from 'react'
import { SelectField, TextField } from '../../components/field.tsx'
import { monitorEditor } from '../../messages/monitor-editor.ts'
import { type AddressField, type AddressParts, partsOf } from './address/address.ts'
import { kindFormOf } from './kind-forms.ts'

const text = monitorEditor.address
const labels: Readonly<Record<string, string>> = text.parts

interface Props {
  type: string
  url: string
  /** By path: `url.host`, or `url` for the whole. */
  errors: Readonly<Record<string, string>>
  onChange: (url: string) => void
  /** Next to a URL that is a field of its own. */
  children?: ReactNode
}

/** The fields of an address by the description of the kind, and behind "Advanced" the URL that they make. Its key is the kind. */
export function AddressFields({ type, url, errors, onChange, children }: Props) {
  const form = kindFormOf(type).address
  const [typed, setTyped] = useState<AddressParts>(() => partsOf(form, url) ?? {})
  const [isOpen, setOpen] = useState(false)
  const isAsTyped = form.toUrl(typed) === url
  const parts = isAsTyped ? typed : partsOf(form, url)
  const set = (name: string, value: string) => {
    const next = { ...parts, [name]: value }
    setTyped(next)
    onChange(form.toUrl(next))
  }
  /** Shows in each field what was understood: a port that was typed after the host is moved to its own. */
  const tidy = () => {
    const tidied = url === '' ? undefined : partsOf(form, url)
    if (tidied) setTyped(tidied)
  }
  const [first] = form.fields
  const errorOf = ({ name }: AddressField) => errors[`url.${name}`] ?? (name === first?.name ? errors['url'] : undefined)
  const field = (part: AddressField) => (
    <PartField
      key={part.name}
      part={part}
      value={parts?.[part.name] ?? ''}
      error={errorOf(part)}
      onChange={(value) => set(part.name, value)}
      onBlur={tidy}
    />
  )
  if (form.isWhole)
    return (
      <div className={children === undefined ? 'grid gap-4' : 'grid gap-4 sm:grid-cols-[minmax(0,1fr)_8rem]'}>
        {form.fields.map(field)}
        {children}
      </div>
    )
  const [usual, advanced] = [form.fields.filter((part) => !part.isAdvanced), form.fields.filter((part) => part.isAdvanced)]
  const isInFields = parts !== undefined
  const urlError = isInFields ? undefined : errors['url']
  return (
    <>
      {isInFields && usual.length > 0 && (
        <div className="grid gap-4 sm:grid-cols-[minmax(0,2fr)_minmax(0,1fr)_minmax(0,1fr)]">{usual.map(field)}</div>
      )}
      <details
        open={isOpen || !isInFields || advanced.some((part) => errorOf(part) !== undefined)}
        onToggle={(event) => setOpen(event.currentTarget.open)}
      >
        <summary className="w-fit text-[0.95rem] text-soft">{text.advanced}</summary>
        <div className="mt-3 grid gap-4">
          {isInFields && advanced.map(field)}
          <TextField
            label={text.parts.url}
            hint={isInFields ? text.advancedHint : text.notInFields}
            type="url"
            inputMode="url"
            spellCheck={false}
            autoComplete="off"
            mono
            value={url}
            error={urlError}
            onChange={(event) => onChange(event.target.value)}
          />
        </div>
      </details>
    </>
  )
}

const HINTS: Readonly<Record<string, string>> = {
  resolver: text.ownResolver,
  database: text.defaultDatabase,
  slug: text.slugHint,
}

interface PartProps {
  part: AddressField
  value: string
  error: string | undefined
  onChange: (value: string) => void
  onBlur: () => void
}

function PartField({ part, value, error, onChange, onBlur }: PartProps) {
  const { name, example, choices, isNumber, isRequired } = part
  const label = labels[name] ?? name
  if (choices)
    return (
      <SelectField label={label} error={error} value={value} onChange={(event) => onChange(event.target.value)}>
        {(value === '' ? ['', ...choices] : choices).map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </SelectField>
    )
  const ownHint = HINTS[name] ?? (isNumber && !isRequired ? text.without(example) : undefined)
  const hint = isRequired && example !== '' ? text.example(example) : ownHint
  return (
    <TextField
      label={label}
      hint={hint}
      error={error}
      inputMode={isNumber ? 'numeric' : 'url'}
      spellCheck={false}
      autoCapitalize="none"
      autoComplete="off"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onBlur={onBlur}
    />
  )
}
