import type { StatusPage, Subscriber } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { Plus } from '../../components/icons.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { useListPage } from '../../components/pager.tsx'
import { QueryPage } from '../../components/query-page.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { Instant } from '../../components/time.tsx'
import { toast } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { statesQuery } from '../../lib/states.ts'
import { fullDate } from '../../lib/time.ts'
import { messages } from '../../messages/index.ts'
import { statusPages } from '../../messages/status-pages.ts'
import { AddSubscriber } from './add-subscriber.tsx'
import { PageFrame } from './page-frame.tsx'
import { type Component, componentsOf, PAGE_LIMIT, pageQuery, subscribersQuery } from './queries.ts'

const text = statusPages.subscribers
const route = getRouteApi('/status-pages/$pageId/subscribers')

export function SubscribersPage() {
  const { pageId } = route.useParams()
  return (
    <QueryPage title={text.title} query={useQuery(pageQuery(useViewer(), pageId))}>
      {(page) => (
        <PageFrame page={page}>
          <Subscribers page={page} />
        </PageFrame>
      )}
    </QueryPage>
  )
}

/** The newest first. */
function Subscribers({ page: { id, sections } }: { page: StatusPage }) {
  const viewer = useViewer()
  const { data: states } = useQuery(statesQuery(viewer))
  const [isAdding, setAdding] = useState(false)
  const components = componentsOf(sections, states)
  return (
    <>
      <ListPanel
        title={text.title}
        lead={text.lead}
        empty={text.empty}
        add={
          viewer.can('monitors:update') && (
            <Button small variant="primary" onClick={() => setAdding(true)}>
              <Plus size={15} aria-hidden="true" />
              {text.add}
            </Button>
          )
        }
        query={useQuery(subscribersQuery(viewer, id, useListPage()))}
        rowsOf={({ subscribers }) => subscribers}
        row={(subscriber) => <SubscriberRow key={subscriber.id} pageId={id} subscriber={subscriber} components={components} />}
        limit={PAGE_LIMIT}
      />
      {isAdding && <AddSubscriber pageId={id} components={components} onClose={() => setAdding(false)} />}
    </>
  )
}

interface RowProps {
  pageId: string
  subscriber: Subscriber
  components: readonly Component[]
}

function SubscriberRow({
  pageId,
  subscriber: { id, type, email, url, monitors, confirmed_at, created_at },
  components,
}: RowProps) {
  const { client, can } = useViewer()
  const cache = useCache()
  const kind = text.kinds[type]
  const address = email ?? url
  const chosen = monitors.map((monitor) => components.find((component) => component.id === monitor)?.name ?? messages.unknown)
  const remove = async () => {
    await client.statusSubscribers.remove(pageId, id)
    toast(messages.done.deleted(address ?? kind))
    await cache.invalidate('status-pages', pageId, 'subscribers')
  }
  return (
    <li className="flex items-center gap-3 px-4 py-2.5">
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-1">
        <span className="w-38">
          <StatusBadge status={confirmed_at === null ? 'unconfirmed' : 'confirmed'} />
        </span>
        <div className="min-w-0 flex-1 basis-56">
          <p>
            <span className="font-medium">{kind}</span>{' '}
            <span className="text-soft [overflow-wrap:anywhere]">{address ?? text.hidden}</span>
          </p>
          <p className="text-[0.92rem] text-muted">
            {chosen.length === 0 ? text.all : chosen.join(', ')} · {text.since} <Instant at={created_at} format={fullDate} />
          </p>
        </div>
      </div>
      {can('monitors:update') && <DeleteButton name={address ?? kind} lead={text.deleteLead} onDelete={remove} />}
    </li>
  )
}
