import { useState } from 'react'
import { createPart } from '../lib/create-part.tsx'
import { deleted as text } from '../messages/deleted.ts'
import type { DeletedListProps } from './deleted-list.tsx'

const { Part } = createPart<DeletedListProps>(() => import('./deleted-list.tsx'))

/** Below a list: what was deleted of it, once somebody asks. */
export function Deleted(props: DeletedListProps) {
  const [isOpen, setOpen] = useState(false)
  if (isOpen) return <Part {...props} />
  return (
    <p className="text-[0.93rem]">
      <button type="button" className="text-muted underline hover:text-text" onClick={() => setOpen(true)}>
        {text.show}
      </button>
    </p>
  )
}
