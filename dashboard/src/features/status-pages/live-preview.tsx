import type { StatusPagePreviewBody } from '@vedette/shared'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { FramedDocument } from '../../components/framed-document.tsx'
import { ErrorPanel, SkeletonRows } from '../../components/page.tsx'
import { useViewer } from '../../lib/api.ts'
import { statusPages } from '../../messages/status-pages.ts'
import { type PageInput, toPreviewBody } from './input.ts'

const text = statusPages
/** What is typed is shown after a pause of that length. */
const PAUSE_MS = 400

interface Props {
  input: PageInput
  /** The page that is edited; undefined for a new one. */
  pageId: string | undefined
}

/** The public page with what is in the form. Nothing is stored. */
export function LivePreview({ input, pageId }: Props) {
  const { client, organizationId } = useViewer()
  const body = usePaused(toPreviewBody(input, pageId, text.sections.one))
  const preview = useQuery({
    queryKey: [organizationId, 'edited', 'status-page-preview', body],
    queryFn: ({ signal }) => client.statusPages.previewDraft(body, { signal }),
    placeholderData: keepPreviousData,
    // What the form has while it is wrong, for example half a time zone, is not asked for again.
    retry: false,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  const scrolled = useRef(0)
  const onReady = (view: Window) => {
    view.scrollTo(0, scrolled.current)
    view.addEventListener('scroll', () => {
      scrolled.current = view.scrollY
    })
  }
  return (
    <section aria-label={text.preview} className="grid h-full min-h-96 grid-rows-[auto_1fr] gap-2">
      <p className="text-muted">{text.livePreviewLead}</p>
      {preview.data ? (
        <FramedDocument
          title={text.preview}
          html={preview.data.html}
          className="size-full rounded-lg border border-line bg-white"
          onReady={onReady}
        />
      ) : (
        <div>
          {preview.isError ? (
            <ErrorPanel error={preview.error} onRetry={() => void preview.refetch()} />
          ) : (
            <SkeletonRows rows={6} />
          )}
        </div>
      )}
    </section>
  )
}

/** The body, once it has not changed for a moment. */
function usePaused(body: StatusPagePreviewBody): StatusPagePreviewBody {
  const [paused, setPaused] = useState(body)
  const key = JSON.stringify(body)
  const current = useRef(body)
  current.current = body
  useEffect(() => {
    const timer = setTimeout(() => setPaused(current.current), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [key])
  return paused
}
