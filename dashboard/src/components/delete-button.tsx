import { Trash2 } from './icons.tsx'
import { useState } from 'react'
import { messages } from '../messages/index.ts'
import { IconButton } from './button.tsx'
import { Confirm } from './dialog.tsx'

interface Props {
  name: string
  lead: string
  /** True: the name has to be typed first. */
  isTyped?: boolean
  className?: string
  onDelete: () => Promise<unknown>
}

export function DeleteButton({ name, lead, isTyped = false, className = '', onDelete }: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <IconButton
        label={`${messages.actions.delete}: ${name}`}
        onClick={() => setOpen(true)}
        className={`hover:text-bad ${className}`}
      >
        <Trash2 size={16} />
      </IconButton>
      <Confirm
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={messages.titles.delete(name)}
        description={lead}
        action={messages.actions.delete}
        {...(isTyped ? { name } : {})}
        onConfirm={onDelete}
      />
    </>
  )
}
