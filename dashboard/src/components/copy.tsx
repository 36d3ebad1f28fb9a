import { Check, Copy, type IconComponent } from './icons.tsx'
import { useEffect, useState } from 'react'
import { messages } from '../messages/index.ts'
import { IconButton } from './button.tsx'
import { toastProblem } from './toast.tsx'

const COPIED_MS = 1_600

async function copy(value: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(value)
  // Browsers offer the clipboard API over HTTPS only. This older command copies the selection.
  const area = document.createElement('textarea')
  area.value = value
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

interface Props {
  /** A function is called with each click. */
  value: string | (() => string)
  label?: string
  Icon?: IconComponent
}

export function CopyButton({ value, label = messages.actions.copy, Icon = Copy }: Props) {
  const [isDone, setDone] = useState(false)
  useEffect(() => {
    if (!isDone) return
    const timer = setTimeout(() => setDone(false), COPIED_MS)
    return () => clearTimeout(timer)
  }, [isDone])
  const onClick = () => {
    copy(typeof value === 'string' ? value : value()).then(
      () => setDone(true),
      (error: Error) => toastProblem(error.message),
    )
  }
  return (
    <IconButton label={isDone ? messages.actions.copied : label} onClick={onClick} className="size-8">
      {isDone ? <Check size={15} className="text-good" /> : <Icon size={15} />}
    </IconButton>
  )
}

/** Lines to paste into a terminal. */
export function CodeLines({ lines, label }: { lines: readonly string[]; label: string }) {
  return (
    <div className="flex min-w-0 items-start rounded-lg border border-line bg-sunken">
      {/* Scrollable content must be focusable. */}
      <pre
        role="group"
        aria-label={label}
        tabIndex={0}
        className="min-w-0 flex-1 overflow-x-auto px-3 py-2.5 font-mono text-[0.9rem] leading-6"
      >
        {lines.join('\n')}
      </pre>
      <div className="p-1">
        <CopyButton value={lines.join('\n')} label={`${messages.actions.copy}: ${label}`} />
      </div>
    </div>
  )
}
