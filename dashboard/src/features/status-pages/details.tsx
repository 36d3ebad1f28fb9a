import type { StatusPage } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button, buttonClass } from '../../components/button.tsx'
import { CodeLines } from '../../components/copy.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { Confirm } from '../../components/dialog.tsx'
import { Pencil } from '../../components/icons.tsx'
import { ManagedNote } from '../../components/managed.tsx'
import { Panel } from '../../components/page.tsx'
import { QueryPage } from '../../components/query-page.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { toast, toastError } from '../../components/toast.tsx'
import { useRestore } from '../../components/use-restore.ts'
import { useCache, useViewer } from '../../lib/api.ts'
import { messages } from '../../messages/index.ts'
import { statusPages } from '../../messages/status-pages.ts'
import { PageFrame } from './page-frame.tsx'
import { Posts } from './posts.tsx'
import { Preview } from './preview.tsx'
import { pageQuery } from './queries.ts'

const text = statusPages
const route = getRouteApi('/status-pages/$pageId')

export function StatusPagePage() {
  const { pageId } = route.useParams()
  return (
    <QueryPage title={text.title} query={useQuery(pageQuery(useViewer(), pageId))}>
      {(page) => (
        <PageFrame page={page} aside={<Actions page={page} />}>
          <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
            <div className="grid min-w-0 gap-4">
              <Preview page={page} />
            </div>
            <div className="grid min-w-0 gap-4">
              <ManagedNote managed={page.managed} />
              <Posts page={page} />
              {page.visibility === 'link' && <LinkPanel page={page} />}
              {page.domain !== null && <DomainPanel page={page} />}
            </div>
          </div>
        </PageFrame>
      )}
    </QueryPage>
  )
}

/** Shows a page that a request has changed. */
function useShow() {
  const cache = useCache()
  return async (page: StatusPage, message: string) => {
    cache.set(['status-pages', page.id], page)
    toast(message)
    await cache.invalidate('status-pages', 'list')
  }
}

function Actions({ page: { id, name, published } }: { page: StatusPage }) {
  const { client, can } = useViewer()
  const cache = useCache()
  const restore = useRestore('statusPages')
  const navigate = useNavigate()
  const show = useShow()
  if (!can('monitors:update')) return null
  const publish = async () =>
    show(await client.statusPages.update(id, { published: !published }), published ? text.unpublished : text.published)
  const remove = async () => {
    await client.statusPages.remove(id)
    toast(messages.done.deleted(name), () => restore(id, name))
    await navigate({ to: '/status-pages' })
    cache.remove('status-pages', id)
    await cache.invalidate('status-pages', 'list')
  }
  return (
    <>
      <Button variant={published ? 'plain' : 'primary'} onClick={() => void publish().catch(toastError)}>
        {published ? text.unpublish : text.publish}
      </Button>
      <Link to="/status-pages/$pageId/edit" params={{ pageId: id }} className={buttonClass()}>
        <Pencil size={15} aria-hidden="true" />
        {messages.actions.edit}
      </Link>
      <DeleteButton name={name} lead={text.deleteLead} isTyped onDelete={remove} />
    </>
  )
}

/** The address with its key. */
function LinkPanel({ page: { id, url } }: { page: StatusPage }) {
  const { client, can } = useViewer()
  const show = useShow()
  const [isRenewing, setRenewing] = useState(false)
  const renew = async () => show(await client.statusPages.update(id, { renew_link: true }), text.renewed)
  return (
    <Panel title={text.address}>
      <div className="grid gap-3">
        <CodeLines lines={[url]} label={text.address} />
        {can('monitors:update') && (
          <Button small className="justify-self-start" onClick={() => setRenewing(true)}>
            {text.renewKey}
          </Button>
        )}
      </div>
      <Confirm
        isOpen={isRenewing}
        onClose={() => setRenewing(false)}
        title={text.renewTitle}
        description={text.renewLead}
        action={text.renewKey}
        onConfirm={renew}
      />
    </Panel>
  )
}

/** The record that proves the own domain, and its state. */
function DomainPanel({ page: { id, domain, domain_status: status, domain_record: record } }: { page: StatusPage }) {
  const { client, can } = useViewer()
  const show = useShow()
  const check = async () => show(await client.statusPages.verifyDomain(id), text.record.verified)
  return (
    <Panel title={domain} aside={status !== null && <StatusBadge status={status} />}>
      <div className="grid gap-3">
        <p className="text-muted">{text.record.lead}</p>
        {record && <CodeLines lines={[record.name]} label={text.record.name} />}
        {record && <CodeLines lines={[record.value]} label={text.record.value} />}
        {can('monitors:update') && (
          <Button small className="justify-self-start" onClick={() => void check().catch(toastError)}>
            {text.record.check}
          </Button>
        )}
      </div>
    </Panel>
  )
}
