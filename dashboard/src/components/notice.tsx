import type { ReactNode } from 'react'
import { StatusMark } from './status.tsx'

const TONES: Readonly<Record<string, string>> = { degraded: 'border-warn-bar bg-warn-ground' }

/** The reason of a problem, at the top of a page. */
export function Notice({ status, title, children }: { status: string; title: ReactNode; children?: ReactNode }) {
  return (
    <section className={`rounded-[0.7rem] border px-4 py-3 ${TONES[status] ?? 'border-bad-bar bg-bad-ground'}`}>
      <p className="flex items-baseline gap-2 font-semibold">
        <StatusMark status={status} className="size-3 shrink-0 translate-y-px" />
        <span>{title}</span>
      </p>
      {children !== undefined && <div className="mt-0.5 pl-5 text-soft [overflow-wrap:anywhere]">{children}</div>}
    </section>
  )
}
