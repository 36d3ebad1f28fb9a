import { Plus, X } from 'lucide-react'
import { Button, IconButton } from '../../components/button.tsx'
import { text } from '../../messages/index.ts'
import { type DraftHeader, newKey } from './draft.ts'

const words = text.monitors.editor

export function HeaderRows({
  headers,
  onChange,
}: {
  headers: readonly DraftHeader[]
  onChange: (headers: DraftHeader[]) => void
}) {
  const set = (key: number, part: Partial<DraftHeader>) =>
    onChange(headers.map((header) => (header.key === key ? { ...header, ...part } : header)))
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 font-semibold text-[0.95rem]">{words.headers}</legend>
      {headers.map(({ key, name, value }) => (
        <div key={key} className="flex items-center gap-2">
          <input
            aria-label={words.headerName}
            value={name}
            spellCheck={false}
            onChange={(event) => set(key, { name: event.target.value })}
            className="field w-2/5"
          />
          <input
            aria-label={words.headerValue}
            value={value}
            spellCheck={false}
            onChange={(event) => set(key, { value: event.target.value })}
            className="field flex-1"
          />
          <IconButton label={words.removeHeader} onClick={() => onChange(headers.filter((header) => header.key !== key))}>
            <X size={16} />
          </IconButton>
        </div>
      ))}
      <Button small className="justify-self-start" onClick={() => onChange([...headers, { key: newKey(), name: '', value: '' }])}>
        <Plus size={14} aria-hidden="true" />
        {words.addHeader}
      </Button>
    </fieldset>
  )
}
