import { useId, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { viewerZone } from '../../../lib/time.ts'
import { instantAt, localTimeAt } from '../../../lib/time-zone.ts'
import { entities as text } from '../../../messages/entities.ts'

interface Props {
  /** ms; undefined: now. */
  at: number | undefined
  onChange: (at: number | undefined) => void
}

/** The instant of a list: now, or an earlier time. */
export function AtPicker({ at, onChange }: Props) {
  const id = useId()
  const zone = viewerZone()
  const [isOpen, setOpen] = useState(at !== undefined)
  // An empty field would show the form of dates of the browser, which is not that of the page.
  if (!isOpen && at === undefined)
    return (
      <Button small variant="quiet" className="justify-self-start" title={text.at.hint} onClick={() => setOpen(true)}>
        {text.at.earlier}
      </Button>
    )
  return (
    <span className="flex flex-wrap items-center gap-2">
      <label htmlFor={id} className="text-muted">
        {text.at.label}
      </label>
      <input
        id={id}
        type="datetime-local"
        title={text.at.hint}
        max={localTimeAt(Date.now(), zone)}
        value={localTimeAt(at ?? Date.now(), zone)}
        onChange={({ target: { value } }) => {
          const next = instantAt(value, zone)
          if (next !== undefined && next > 0) onChange(next)
        }}
        className="field min-h-9 w-auto py-1"
      />
      {at !== undefined && (
        <Button
          small
          onClick={() => {
            setOpen(false)
            onChange(undefined)
          }}
        >
          {text.at.now}
        </Button>
      )}
    </span>
  )
}
