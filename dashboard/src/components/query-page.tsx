import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorPanel, Page, SkeletonRows } from './page.tsx'

interface Props<Data> {
  query: UseQueryResult<Data, unknown>
  /** The title until there is an answer. */
  title: string
  children: (data: Data) => ReactNode
}

/** A page that needs the answer of a query: a skeleton before it, and the error in its place. */
export function QueryPage<Data>({ query, title, children }: Props<Data>) {
  if (query.data !== undefined) return children(query.data)
  if (query.isError) {
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
