import type { ReactNode } from 'react'

/** What is read first and what explains it: next to each other where there is room, also next to a list. */
export function TwoColumns({ children }: { children: ReactNode }) {
  return (
    <div className="@container">
      <div className="grid items-start gap-4 @min-[60rem]:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">{children}</div>
    </div>
  )
}
