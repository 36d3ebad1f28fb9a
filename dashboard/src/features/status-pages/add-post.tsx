import { MAX_POST_TEXT, POST_STATUSES, POST_TYPES } from '@vedette/shared/tables'
import type { StatusPage } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { LeaveGuard } from '../../components/edit-notices.tsx'
import { CheckField, SelectField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Page, Panel } from '../../components/page.tsx'
import { QueryPage } from '../../components/query-page.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { toast } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { statesQuery } from '../../lib/states.ts'
import { statusName } from '../../lib/status.ts'
import { viewerZone } from '../../lib/time.ts'
import { useForm } from '../../lib/use-form.ts'
import { messages } from '../../messages/index.ts'
import { statusPages } from '../../messages/status-pages.ts'
import { PostFields, PostTitle } from './post-fields.tsx'
import { fromDraft, missingTimes, newPost, type PostInput, toPostBody, withTemplate, withType } from './post-input.ts'
import { componentsOf, draftQuery, pageQuery } from './queries.ts'
import { TextArea } from '../../components/text-area.tsx'

const text = statusPages.posts
const route = getRouteApi('/status-pages/$pageId/posts/add')

/** A new post, or the draft about the incident that the address names. */
export function AddPostPage() {
  const viewer = useViewer()
  const { pageId } = route.useParams()
  const { incident } = route.useSearch()
  const page = useQuery(pageQuery(viewer, pageId))
  if (!viewer.can('monitors:update'))
    return (
      <Page title={text.addTitle}>
        <p>{statusPages.forbidden}</p>
      </Page>
    )
  return (
    <QueryPage title={text.addTitle} query={page}>
      {(data) => (incident === undefined ? <NewPost page={data} /> : <DraftedPost page={data} incident={incident} />)}
    </QueryPage>
  )
}

function DraftedPost({ page, incident }: { page: StatusPage; incident: string }) {
  const draft = useQuery(draftQuery(useViewer(), page.id, incident))
  return (
    <QueryPage title={text.addTitle} query={draft}>
      {(data) => <NewPost page={page} input={fromDraft(data, viewerZone())} />}
    </QueryPage>
  )
}

function NewPost({ page, input: given }: { page: StatusPage; input?: PostInput }) {
  const viewer = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  const { data: states } = useQuery(statesQuery(viewer))
  const [initial] = useState(() => given ?? newPost(viewerZone()))
  const [template, setTemplate] = useState('')
  const save = async (input: PostInput, idempotencyKey: string) => {
    const { id, title } = await viewer.client.statusPosts.create(page.id, toPostBody(input), { idempotencyKey })
    toast(messages.done.created(title))
    await navigate({ to: '/status-pages/$pageId/posts/$postId', params: { pageId: page.id, postId: id } })
    await cache.invalidate('status-pages', page.id)
  }
  const form = useForm(initial, save, { schema: ['CreateStatusPostBody', toPostBody], missing: missingTimes })
  const { input, change, field } = form
  return (
    <Page title={text.addTitle} lead={page.title}>
      <Form form={form} action={text.publish} className="max-w-2xl">
        <LeaveGuard isDirty={form.isDirty} isSaving={form.isBusy} />
        <Panel>
          <div className="grid gap-4 pt-1">
            <Segmented
              label={text.type}
              value={input.type}
              options={POST_TYPES.map((value) => ({ value, label: text.types[value] }))}
              onChoose={(type) => change(withType(type, Date.now(), input.zone))}
            />
            {page.templates.length > 0 && (
              <SelectField
                label={text.template}
                value={template}
                onChange={({ target }) => {
                  setTemplate(target.value)
                  const chosen = page.templates[Number(target.value)]
                  if (target.value !== '' && chosen) change(withTemplate(chosen))
                }}
                className="max-w-sm"
              >
                <option value="">{text.noTemplate}</option>
                {page.templates.map(({ name }, index) => (
                  <option key={name} value={index}>
                    {name}
                  </option>
                ))}
              </SelectField>
            )}
            <PostTitle form={form} />
            <TextArea label={text.text} hint={text.textHint} maxLength={MAX_POST_TEXT} rows={6} {...field('text')} />
            {input.type === 'incident' && (
              <SelectField label={text.status} {...field('status')} className="max-w-sm">
                {POST_STATUSES.incident.map((status) => (
                  <option key={status} value={status}>
                    {statusName(status)}
                  </option>
                ))}
              </SelectField>
            )}
            <PostFields form={form} components={componentsOf(page.sections, states)} />
            <CheckField
              label={text.notify}
              checked={input.notify}
              onChange={({ target }) => change({ notify: target.checked })}
            />
          </div>
        </Panel>
      </Form>
    </Page>
  )
}
