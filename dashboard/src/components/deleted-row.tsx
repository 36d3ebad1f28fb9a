import type { ReactNode } from 'react'
import { dayAndClock } from '../lib/time.ts'
import { deleted as text } from '../messages/deleted.ts'
import { Button } from './button.tsx'
import { ArchiveRestore } from './icons.tsx'
import { Instant } from './time.tsx'
import { toastError } from './toast.tsx'

interface Props {
  name: string
  removedAt: string
  /** Absent: the viewer may not restore it. */
  onRestore?: (() => Promise<unknown>) | undefined
  /** Below the name. */
  detail?: ReactNode
  children?: ReactNode
}

/** Something that can be restored. */
export function DeletedRow({ name, removedAt, onRestore, detail, children }: Props) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
      <div className="min-w-0 flex-1 basis-60">
        <p className="cut font-medium">{name}</p>
        {detail !== undefined && <p className="truncate text-[0.9rem] text-muted">{detail}</p>}
      </div>
      {children}
      <p className="text-[0.9rem] text-muted">
        {text.removed} <Instant at={removedAt} format={dayAndClock} />
      </p>
      {onRestore && (
        <Button small aria-label={`${text.restore}: ${name}`} onClick={() => void onRestore().catch(toastError)}>
          <ArchiveRestore size={14} aria-hidden="true" />
          {text.restore}
        </Button>
      )}
    </li>
  )
}
