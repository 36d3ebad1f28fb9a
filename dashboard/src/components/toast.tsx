import { X } from './icons.tsx'
import { useSyncExternalStore } from 'react'
import { errorMessage } from '../lib/errors.ts'
import { messages } from '../messages/index.ts'
import { IconButton } from './button.tsx'

interface Toast {
  id: number
  message: string
  tone: 'good' | 'bad'
  undo?: (() => Promise<unknown>) | undefined
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

function show(content: Omit<Toast, 'id'>): number {
  last += 1
  change([...toasts, { ...content, id: last }].slice(-MOST))
  return last
}

/** Shows what was done, with a button to undo it. What `undo` throws is shown as an error. */
export function toast(message: string, undo?: Toast['undo']): void {
  const id = show({ message, tone: 'good', undo })
  setTimeout(() => close(id), SHOWN_MS)
}

/** Shows a problem until it is closed. */
export const toastProblem = (message: string): void => void show({ message, tone: 'bad' })

export const toastError = (error: unknown): void => toastProblem(errorMessage(error))

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
      {shown.map(({ id, message, tone, undo }) => (
        <div
          key={id}
          className={`pointer-events-auto flex max-w-md items-center gap-2 rounded-lg border border-line bg-raised py-1 pr-1 pl-3.5 shadow-lift ${tone === 'bad' ? 'text-bad' : ''}`}
        >
          <span className="py-1.5">{message}</span>
          {undo && (
            <button
              type="button"
              className="rounded-md px-2 py-1 font-semibold text-accent hover:bg-hover"
              onClick={() => {
                close(id)
                void undo().catch(toastError)
              }}
            >
              {messages.actions.undo}
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
