import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useDeferredValue } from 'react'
import { ErrorPanel, Page, SkeletonRows } from './page.tsx'

interface Props<Data> {
  query: UseQueryResult<Data, unknown>
  /** The title until there is an answer. */
  title: string
  /** Of what stands above the content and would move it. */
  isWaiting?: boolean
  children: (data: Data) => ReactNode
}

/** A page that needs the answer of a query: a skeleton before it, and the error in its place. */
export function QueryPage<Data>({ query, title, isWaiting = false, children }: Props<Data>) {
  const isReady = query.data !== undefined && !isWaiting
  // The content is rendered in pieces, between which the browser can paint.
  const isShown = useDeferredValue(isReady)
  if (query.data !== undefined && isReady && isShown) return children(query.data)
  if (query.isError && query.data === undefined) {
    return (
      <Page title={title}>
        <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
      </Page>
    )
  }
  return <PageSkeleton title={title} />
}

export function PageSkeleton({ title }: { title: string }) {
  return (
    <Page title={title} heading={<div className="skeleton h-7 w-56" />}>
      {/* The key keeps this element apart from the content: reusing it would count as a layout shift. */}
      <div key="skeleton" className="panel">
        <SkeletonRows rows={6} />
      </div>
    </Page>
  )
}
