import { type ReactNode, useEffect, useState } from 'react'
import { describeError } from '../lib/errors.ts'
import { setPageTitle } from '../lib/window-title.ts'
import { messages } from '../messages/index.ts'
import { Button } from './button.tsx'

interface PageProps {
  title: string
  /** Replaces the heading; `title` stays the title of the window. */
  heading?: ReactNode
  aside?: ReactNode
  lead?: ReactNode
  children: ReactNode
}

export function Page({ title, heading, aside, lead, children }: PageProps) {
  useEffect(() => {
    setPageTitle(title)
  }, [title])
  return (
    <>
      <div className="mb-4 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          {heading ?? <h1>{title}</h1>}
          {lead !== undefined && <div className="mt-1 text-muted [overflow-wrap:anywhere]">{lead}</div>}
        </div>
        {aside !== undefined && <div className="flex flex-wrap items-center gap-2">{aside}</div>}
      </div>
      {children}
    </>
  )
}

interface PanelProps {
  title?: ReactNode
  aside?: ReactNode
  className?: string
  flush?: boolean
  children: ReactNode
}

export function Panel({ title, aside, className = '', flush = false, children }: PanelProps) {
  return (
    <section className={`panel min-w-0 ${className}`}>
      {title !== undefined && (
        <div className={`flex flex-wrap items-center justify-between gap-2 px-4 pt-3 ${flush ? 'pb-2.5' : ''}`}>
          <h2>{title}</h2>
          {aside}
        </div>
      )}
      <div className={flush ? '' : 'px-4 pt-2.5 pb-4'}>{children}</div>
    </section>
  )
}

interface FoldedProps {
  title: string
  isFilled: boolean
  hasFault: boolean
  /** What it holds is loaded when it is opened. */
  isLazy?: boolean
  children: ReactNode
}

/** A panel for what most people leave alone: open from the beginning where it is filled, and while it has a fault. */
export function FoldedPanel({ title, isFilled, hasFault, isLazy = false, children }: FoldedProps) {
  const [isOpen, setOpen] = useState(isFilled)
  return (
    <details className="panel" open={isOpen || hasFault} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="px-4 py-3 font-semibold">{title}</summary>
      <div className="px-4 pb-4">{(!isLazy || isOpen || hasFault) && children}</div>
    </details>
  )
}

/** An error, its advice and a retry button. */
export function ErrorPanel({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { title, advice, requestId } = describeError(error)
  return (
    <div role="alert" className="panel flex flex-wrap items-center justify-between gap-3 p-4">
      <div>
        <p className="font-semibold text-bad">{title}</p>
        <p className="text-soft">{advice}</p>
        {requestId !== undefined && (
          <p className="mt-1 font-mono text-[0.85rem] text-muted">{messages.errors.requestId(requestId)}</p>
        )}
      </div>
      {onRetry && <Button onClick={onRetry}>{messages.actions.retry}</Button>}
    </div>
  )
}

export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-3 px-4 py-12 text-center">
      <p className="font-semibold text-[1.05rem]">{title}</p>
      {children}
    </div>
  )
}

export interface EmptyListTexts {
  title: string
  /** What comes here, and how. */
  lead: string
}

interface EmptyListProps extends EmptyListTexts {
  /** Makes the first entry; false for those who may not. */
  add?: ReactNode
}

/** In place of the rows of a list that has none. */
export function EmptyList({ title, lead, add }: EmptyListProps) {
  return (
    <EmptyState title={title}>
      <p className="max-w-lg text-soft">
        {lead} {add === false && messages.list.mayNotAdd}
      </p>
      {add}
    </EmptyState>
  )
}

export function SkeletonRows({ rows = 8 }: { rows?: number }) {
  return (
    <div aria-busy="true" className="grid gap-px">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="flex items-center gap-4 px-4 py-3.5">
          <div className="skeleton h-4 w-20" />
          <div className="skeleton h-4 flex-1" />
          <div className="skeleton h-4 w-24" />
        </div>
      ))}
    </div>
  )
}

/** A name and its value in a `dl`. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 items-baseline justify-between gap-4 border-line border-b py-1.5 last:border-0">
      <dt className="shrink-0 text-muted">{name}</dt>
      <dd className="min-w-0 text-right">{children}</dd>
    </div>
  )
}

interface FigureProps {
  name: string
  value: ReactNode
  tone?: string
  /** Shown below the number. */
  children?: ReactNode
}

/** A number with its name in a `dl`. */
export function Stat({ name, value, tone = '', children }: FigureProps) {
  return (
    <div className="min-w-0">
      <dt className="text-[0.88rem] text-muted">{name}</dt>
      <dd className={`font-semibold text-[1.22rem] leading-7 ${tone}`}>{value}</dd>
      {children !== undefined && <dd aria-hidden="true">{children}</dd>}
    </div>
  )
}
