import type { StatusPage } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { FramedDocument } from '../../components/framed-document.tsx'
import { ErrorPanel, Panel, SkeletonRows } from '../../components/page.tsx'
import { useViewer } from '../../lib/api.ts'
import { statusPages } from '../../messages/status-pages.ts'
import { previewQuery } from './queries.ts'

const text = statusPages

export function Preview({ page }: { page: StatusPage }) {
  const preview = useQuery(previewQuery(useViewer(), page))
  return (
    <Panel title={text.preview}>
      <p className="mb-3 text-muted">{text.previewLead}</p>
      {/* The same height before it is read: what is below does not move. */}
      <div className="h-[36rem]">
        {preview.isError && <ErrorPanel error={preview.error} onRetry={() => void preview.refetch()} />}
        {preview.isPending && <SkeletonRows rows={6} />}
        {preview.data && (
          <FramedDocument
            title={text.preview}
            html={preview.data.html}
            className="size-full rounded-lg border border-line bg-white"
          />
        )}
      </div>
    </Panel>
  )
}
