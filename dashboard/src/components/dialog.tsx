import { X } from 'lucide-react'
import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react'
import { sentenceOf } from '../lib/errors.ts'
import { text } from '../messages/index.ts'
import { Button, IconButton } from './button.tsx'
import { FormFault, TextField } from './field.tsx'

interface Props {
  title: string
  description?: ReactNode
  isOpen: boolean
  onClose: () => void
  wide?: boolean
  children: ReactNode
}

/**
 * Over the page, which is inert meanwhile; Escape and a click beside it close it, and the focus goes back. The browser's own
 * dialog: libraries lock the page behind theirs by a style element, which the content security policy refuses.
 */
export function Dialog({ isOpen, ...props }: Props) {
  return isOpen ? <OpenDialog {...props} /> : null
}

function OpenDialog({ title, description, onClose, wide = false, children }: Omit<Props, 'isOpen'>) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={`${id}-title`}
      aria-describedby={description === undefined ? undefined : `${id}-about`}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onMouseDown={(event) => {
        // What is beside the box belongs to the dialog's backdrop, and nothing else of it is its own target.
        if (event.target === event.currentTarget) onClose()
      }}
      className={`m-auto max-h-[92dvh] w-[calc(100vw-1.5rem)] overflow-y-auto rounded-xl border border-line bg-raised text-text shadow-lift backdrop:bg-shade ${wide ? 'max-w-3xl' : 'max-w-lg'}`}
    >
      <div className="p-5">
        <div className="mb-3 flex items-start justify-between gap-4">
          <h2 id={`${id}-title`} className="text-[1.2rem] leading-snug">
            {title}
          </h2>
          <IconButton label={text.actions.close} onClick={onClose} className="-mt-1 -mr-1.5 size-8">
            <X size={17} />
          </IconButton>
        </div>
        {description !== undefined && (
          <p id={`${id}-about`} className="mb-4 text-soft">
            {description}
          </p>
        )}
        {children}
      </div>
    </dialog>
  )
}

interface ConfirmProps {
  title: string
  description: ReactNode
  action: string
  /** To be typed first, where what goes cannot come back. */
  name?: string
  isOpen: boolean
  onClose: () => void
  onConfirm: () => Promise<unknown>
}

export function Confirm({ title, description, action, name, isOpen, onClose, onConfirm }: ConfirmProps) {
  const [typed, setTyped] = useState('')
  const [fault, setFault] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const close = () => {
    setTyped('')
    setFault(undefined)
    onClose()
  }
  const confirm = () => {
    setBusy(true)
    onConfirm()
      .then(close, (error: unknown) => setFault(sentenceOf(error)))
      .finally(() => setBusy(false))
  }
  return (
    <Dialog title={title} description={description} isOpen={isOpen} onClose={close}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          confirm()
        }}
      >
        {name !== undefined && (
          <TextField
            label={text.confirm.typeName(name)}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            autoComplete="off"
            spellCheck={false}
          />
        )}
        <FormFault>{fault}</FormFault>
        <div className="flex justify-end gap-2">
          <Button onClick={close}>{text.actions.cancel}</Button>
          <Button type="submit" look="danger" disabled={isBusy || (name !== undefined && typed !== name)}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
