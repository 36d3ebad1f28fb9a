import { X } from './icons.tsx'
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { useForm } from '../lib/use-form.ts'
import { messages } from '../messages/index.ts'
import { Button, IconButton } from './button.tsx'
import { TextField } from './field.tsx'
import { Form } from './form.tsx'

interface Props {
  title: string
  description?: ReactNode
  isOpen: boolean
  onClose: () => void
  wide?: boolean
  /** True: only a button in the dialog closes it. */
  isPersistent?: boolean
  children: ReactNode
}

/**
 * A modal dialog; Escape and a click outside close it and return the focus. It is the browser's own: libraries lock the page behind
 * theirs with a style element, which the content security policy rejects.
 */
export function Dialog({ isOpen, ...props }: Props) {
  return isOpen ? <OpenDialog {...props} /> : null
}

function OpenDialog({ title, description, onClose, wide = false, isPersistent = false, children }: Omit<Props, 'isOpen'>) {
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
        if (!isPersistent) onClose()
      }}
      onKeyDown={(event) => {
        // Chromium closes a dialog at the second Escape without asking.
        if (isPersistent && event.key === 'Escape') event.preventDefault()
      }}
      onMouseDown={(event) => {
        // Only a click on the backdrop has the dialog itself as its target.
        if (event.target === event.currentTarget && !isPersistent) onClose()
      }}
      className={`m-auto max-h-[92dvh] w-[calc(100vw-1.5rem)] overflow-y-auto rounded-xl border border-line bg-raised text-text shadow-lift backdrop:bg-shade ${wide ? 'max-w-3xl' : 'max-w-lg'}`}
    >
      <div className="p-5">
        <div className="mb-3 flex items-start justify-between gap-4">
          <h2 id={`${id}-title`} className="text-[1.2rem] leading-snug">
            {title}
          </h2>
          {!isPersistent && (
            <IconButton label={messages.actions.close} onClick={onClose} className="-mt-1 -mr-1.5 size-8">
              <X size={17} />
            </IconButton>
          )}
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
  /** Has to be typed first; for what cannot be undone. */
  name?: string
  isOpen: boolean
  onClose: () => void
  onConfirm: () => Promise<unknown>
}

export function Confirm({ isOpen, ...props }: ConfirmProps) {
  return isOpen ? <OpenConfirm {...props} /> : null
}

function OpenConfirm({ title, description, action, name, onClose, onConfirm }: Omit<ConfirmProps, 'isOpen'>) {
  const form = useForm({ typed: '' }, () => onConfirm().then(onClose))
  return (
    <Dialog title={title} description={description} isOpen onClose={onClose}>
      <Form
        form={form}
        action={action}
        variant="danger"
        isDisabled={name !== undefined && form.input.typed !== name}
        onCancel={onClose}
      >
        {name !== undefined && (
          <TextField label={messages.confirm.typeName(name)} {...form.field('typed')} autoComplete="off" spellCheck={false} />
        )}
      </Form>
    </Dialog>
  )
}

interface SecretDialogProps {
  title: string
  description: ReactNode
  onClose: () => void
  children: ReactNode
}

/** Shows a secret that the API answers only once; only its button closes it. */
export function SecretDialog({ children, onClose, ...rest }: SecretDialogProps) {
  return (
    <Dialog isOpen onClose={onClose} wide isPersistent {...rest}>
      <div className="grid gap-3">
        {children}
        <Button variant="primary" className="justify-self-end" onClick={onClose}>
          {messages.actions.done}
        </Button>
      </div>
    </Dialog>
  )
}
