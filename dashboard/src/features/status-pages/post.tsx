import type { StatusPage, StatusPost } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { ConflictNotice, LeaveGuard } from '../../components/edit-notices.tsx'
import { Form } from '../../components/form.tsx'
import { Pencil } from '../../components/icons.tsx'
import { Page, Panel } from '../../components/page.tsx'
import { QueryPage } from '../../components/query-page.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { toast } from '../../components/toast.tsx'
import { useCache, useEditedQuery, useViewer } from '../../lib/api.ts'
import { statesQuery } from '../../lib/states.ts'
import { viewerZone } from '../../lib/time.ts'
import { useEdit } from '../../lib/use-edit.ts'
import { useForm } from '../../lib/use-form.ts'
import { messages } from '../../messages/index.ts'
import { statusPages } from '../../messages/status-pages.ts'
import { PostFields, PostTitle } from './post-fields.tsx'
import { missingTimes, type PostInput, toPostInput, toPostPatch } from './post-input.ts'
import { spanOf } from './posts.tsx'
import { componentsOf, pageQuery, postQuery } from './queries.ts'
import { AddUpdate, Updates } from './updates.tsx'

const text = statusPages.posts
const route = getRouteApi('/status-pages/$pageId/posts/$postId')

export function PostPage() {
  const viewer = useViewer()
  const { pageId, postId } = route.useParams()
  const page = useQuery(pageQuery(viewer, pageId))
  return (
    <QueryPage title={text.title} query={useQuery(postQuery(viewer, pageId, postId))}>
      {(post) => (page.data ? <PostDetails page={page.data} post={post} /> : null)}
    </QueryPage>
  )
}

function PostDetails({ page, post }: { page: StatusPage; post: StatusPost }) {
  const { client, can } = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  const { data: states } = useQuery(statesQuery(useViewer()))
  const [isEditing, setEditing] = useState(false)
  const names = componentsOf(page.sections, states).filter(({ id }) => post.monitors.includes(id))
  const remove = async () => {
    await client.statusPosts.remove(page.id, post.id)
    toast(messages.done.deleted(post.title))
    await navigate({ to: '/status-pages/$pageId', params: { pageId: page.id } })
    cache.remove('status-pages', page.id, 'posts', post.id)
    await cache.invalidate('status-pages', page.id)
  }
  return (
    <Page
      title={post.title}
      lead={
        <span className="flex flex-wrap items-center gap-2">
          <StatusBadge status={post.status} />
          <span>
            {text.types[post.type]} · {text.impacts[post.impact]} · {spanOf(post)}
          </span>
          <Link to="/status-pages/$pageId" params={{ pageId: page.id }} className="text-accent hover:underline">
            {page.title}
          </Link>
        </span>
      }
      aside={
        can('monitors:update') && (
          <>
            <Button onClick={() => setEditing(!isEditing)} aria-expanded={isEditing}>
              <Pencil size={15} aria-hidden="true" />
              {text.edit}
            </Button>
            <DeleteButton name={post.title} lead={text.deleteLead} onDelete={remove} />
          </>
        )
      }
    >
      <div className="grid max-w-3xl gap-4">
        {isEditing && <EditPost page={page} id={post.id} onDone={() => setEditing(false)} />}
        {names.length > 0 && (
          <p className="text-soft">
            {text.affected}: {names.map(({ name }) => name).join(', ')}
          </p>
        )}
        {can('monitors:update') && <AddUpdate key={post.status} pageId={page.id} post={post} />}
        <Updates pageId={page.id} post={post} />
      </div>
    </Page>
  )
}

interface EditProps {
  page: StatusPage
  id: string
  onDone: () => void
}

function EditPost(props: EditProps) {
  const { page, id } = props
  const post = useEditedQuery('posts', id, ({ statusPosts }, signal) => statusPosts.read(page.id, id, { signal }))
  return post.data ? <PostEditor {...props} post={post.data} /> : null
}

function PostEditor({ page, post, onDone }: EditProps & { post: StatusPost }) {
  const { client } = useViewer()
  const cache = useCache()
  const [zone] = useState(viewerZone)
  const edit = useEdit({
    resource: post,
    read: () => client.statusPosts.read(page.id, post.id),
    toInput: (one) => toPostInput(one, zone),
    toBody: toPostPatch,
    patch: (changes, options) => client.statusPosts.update(page.id, post.id, changes, options),
  })
  const save = async (input: PostInput) => {
    if (!(await edit.save(input))) return
    toast(messages.done.saved)
    onDone()
    await cache.invalidate('status-pages', page.id)
  }
  return <PostForm key={edit.revision} edit={edit} page={page} onSave={save} onDone={onDone} />
}

interface FormProps {
  edit: Pick<ReturnType<typeof useEdit<StatusPost, PostInput, object>>, 'input' | 'saved' | 'conflict'>
  page: StatusPage
  onSave: (input: PostInput) => Promise<void>
  onDone: () => void
}

function PostForm({ edit, page, onSave, onDone }: FormProps) {
  const { data: states } = useQuery(statesQuery(useViewer()))
  const form = useForm(edit.input, onSave, {
    saved: edit.saved,
    schema: ['PatchStatusPostBody', toPostPatch],
    missing: missingTimes,
  })
  return (
    <Panel title={text.edit}>
      <ConflictNotice conflict={edit.conflict} onTake={form.change} />
      <Form form={form} action={messages.actions.save} onCancel={onDone}>
        <LeaveGuard isDirty={form.isDirty} isSaving={form.isBusy} />
        <PostTitle form={form} />
        <PostFields form={form} components={componentsOf(page.sections, states)} />
      </Form>
    </Panel>
  )
}
