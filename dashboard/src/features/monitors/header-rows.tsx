import { Plus, X } from 'lucide-react'
import { Button, IconButton } from '../../components/button.tsx'
import { messages } from '../../messages/index.ts'
import { type HeaderInput, newKey } from './input.ts'

const text = messages.monitors.editor

export function HeaderRows({
  headers,
  onChange,
}: {
  headers: readonly HeaderInput[]
  onChange: (headers: HeaderInput[]) => void
}) {
  const set = (key: number, part: Partial<HeaderInput>) =>
    onChange(headers.map((header) => (header.key === key ? { ...header, ...part } : header)))
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 font-semibold text-[0.95rem]">{messages.monitors.fields.headers}</legend>
      {headers.map(({ key, name, value }) => (
        <div key={key} className="flex items-center gap-2">
          <input
            aria-label={text.headerName}
            value={name}
            spellCheck={false}
            onChange={(event) => set(key, { name: event.target.value })}
            className="field w-2/5"
          />
          <input
            aria-label={text.headerValue}
            value={value}
            spellCheck={false}
            onChange={(event) => set(key, { value: event.target.value })}
            className="field flex-1"
          />
          <IconButton label={text.removeHeader} onClick={() => onChange(headers.filter((header) => header.key !== key))}>
            <X size={16} />
          </IconButton>
        </div>
      ))}
      <Button small className="justify-self-start" onClick={() => onChange([...headers, { key: newKey(), name: '', value: '' }])}>
        <Plus size={14} aria-hidden="true" />
        {text.addHeader}
      </Button>
    </fieldset>
  )
}
