import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { text } from '../messages/index.ts'
import { IconButton } from './button.tsx'
import { toast } from './toast.tsx'

const TOLD_MS = 1_600

async function copy(value: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(value)
  // Over plain HTTP browsers give no clipboard: the old way, which needs something selected.
  const area = document.createElement('textarea')
  area.value = value
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

export function CopyButton({ value, label = text.actions.copy }: { value: string; label?: string }) {
  const [isDone, setDone] = useState(false)
  useEffect(() => {
    if (!isDone) return
    const timer = setTimeout(() => setDone(false), TOLD_MS)
    return () => clearTimeout(timer)
  }, [isDone])
  const onClick = () => {
    copy(value).then(
      () => setDone(true),
      (error: Error) => toast(error.message, 'bad'),
    )
  }
  return (
    <IconButton label={isDone ? text.actions.copied : label} onClick={onClick} className="size-8">
      {isDone ? <Check size={15} className="text-good" /> : <Copy size={15} />}
    </IconButton>
  )
}

/** Lines to be pasted into a terminal; long ones scroll by themselves. */
export function CodeLines({ lines, label }: { lines: readonly string[]; label: string }) {
  return (
    <div className="flex min-w-0 items-start rounded-lg border border-line bg-sunken">
      {/* What scrolls must be reached by keys. */}
      <pre
        role="group"
        aria-label={label}
        tabIndex={0}
        className="min-w-0 flex-1 overflow-x-auto px-3 py-2.5 font-mono text-[0.9rem] leading-6"
      >
        {lines.join('\n')}
      </pre>
      <div className="p-1">
        <CopyButton value={lines.join('\n')} label={`${text.actions.copy}: ${label}`} />
      </div>
    </div>
  )
}
