import type { StatusPage, StatusPostItem } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../components/button.tsx'
import { Plus } from '../../components/icons.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { useListPage } from '../../components/pager.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { useViewer } from '../../lib/api.ts'
import { dayAndClock } from '../../lib/time.ts'
import { statusPages } from '../../messages/status-pages.ts'
import { PAGE_LIMIT, postsQuery } from './queries.ts'

const text = statusPages.posts

/** Open posts and past ones, the newest first. */
export function Posts({ page: { id } }: { page: StatusPage }) {
  const viewer = useViewer()
  return (
    <ListPanel
      title={text.title}
      empty={text.empty}
      add={
        viewer.can('monitors:update') && (
          <Link to="/status-pages/$pageId/posts/add" params={{ pageId: id }} className={buttonClass('primary', true)}>
            <Plus size={15} aria-hidden="true" />
            {text.add}
          </Link>
        )
      }
      query={useQuery(postsQuery(viewer, id, useListPage()))}
      rowsOf={({ posts }) => posts}
      row={(post) => <PostRow key={post.id} pageId={id} post={post} />}
      limit={PAGE_LIMIT}
    />
  )
}

function PostRow({ pageId, post }: { pageId: string; post: StatusPostItem }) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
      <span className="w-38">
        <StatusBadge status={post.status} />
      </span>
      <div className="min-w-0 flex-1 basis-64">
        <Link
          to="/status-pages/$pageId/posts/$postId"
          params={{ pageId, postId: post.id }}
          className="font-medium [overflow-wrap:anywhere] hover:text-accent hover:underline"
        >
          {post.title}
        </Link>
        <p className="text-[0.92rem] text-muted">
          {text.types[post.type]} · {text.impacts[post.impact]} · {spanOf(post)}
        </p>
      </div>
    </li>
  )
}

/** `22 Nov 10:00 – 22 Nov 11:00`; without an end while there is none. */
export function spanOf({ starts_at: start, ends_at: end, resolved_at: resolved }: StatusPostItem): string {
  const last = resolved ?? end
  const from = dayAndClock(Date.parse(start))
  return last === null ? from : `${from} – ${dayAndClock(Date.parse(last))}`
}
