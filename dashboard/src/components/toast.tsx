import { X } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { errorMessage } from '../lib/errors.ts'
import { messages } from '../messages/index.ts'
import { IconButton } from './button.tsx'

interface Toast {
  id: number
  message: string
  tone: 'good' | 'bad'
  action?: { label: string; run: () => void } | undefined
}

/** Long enough to read it and to press undo; an error stays until it is closed. */
const SHOWN_MS = 7_000
const MOST = 4

let toasts: readonly Toast[] = []
let last = 0
const listeners = new Set<() => void>()

function change(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

const close = (id: number) => change(toasts.filter((each) => each.id !== id))

/** Shows what was done, with an action such as undo. */
export function toast(message: string, tone: Toast['tone'] = 'good', action?: Toast['action']): void {
  last += 1
  const id = last
  change([...toasts, { id, message, tone, action }].slice(-MOST))
  if (tone === 'good') setTimeout(() => close(id), SHOWN_MS)
}

/** Shows an error until it is closed. */
export const toastError = (error: unknown): void => toast(errorMessage(error), 'bad')

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => toasts,
  )
  return (
    <section
      aria-live="polite"
      aria-label={messages.toasts}
      className="pointer-events-none fixed right-4 bottom-18 left-4 lg:bottom-4 z-50 flex flex-col items-end gap-2"
    >
      {shown.map(({ id, message, tone, action }) => (
        <div
          key={id}
          className={`pointer-events-auto flex max-w-md items-center gap-2 rounded-lg border border-line bg-raised py-1 pr-1 pl-3.5 shadow-lift ${tone === 'bad' ? 'text-bad' : ''}`}
        >
          <span className="py-1.5">{message}</span>
          {action && (
            <button
              type="button"
              className="rounded-md px-2 py-1 font-semibold text-accent hover:bg-hover"
              onClick={() => {
                close(id)
                action.run()
              }}
            >
              {action.label}
            </button>
          )}
          <IconButton label={messages.actions.close} onClick={() => close(id)} className="size-8">
            <X size={15} />
          </IconButton>
        </div>
      ))}
    </section>
  )
}
