import { MAX_POST_TEXT, POST_STATUSES } from '@vedette/shared/tables'
import type { StatusPost, StatusPostUpdate } from '@vedette/shared'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { LeaveGuard } from '../../components/edit-notices.tsx'
import { CheckField, SelectField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Panel } from '../../components/page.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { Instant } from '../../components/time.tsx'
import { toast } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { statusName } from '../../lib/status.ts'
import { dayAndClock } from '../../lib/time.ts'
import { useForm } from '../../lib/use-form.ts'
import { messages } from '../../messages/index.ts'
import { statusPages } from '../../messages/status-pages.ts'
import { isEnd, toUpdateBody, type UpdateInput } from './post-input.ts'
import { TextArea } from '../../components/text-area.tsx'

const text = statusPages.posts

interface Props {
  pageId: string
  post: StatusPost
}

/** The next step of a post, with its status from then on. */
export function AddUpdate({ pageId, post: { id, type, status } }: Props) {
  const { client } = useViewer()
  const cache = useCache()
  const save = async (input: UpdateInput, idempotencyKey: string) => {
    await client.statusPosts.addUpdate(pageId, id, toUpdateBody(input), { idempotencyKey })
    toast(text.added)
    form.reset()
    await cache.invalidate('status-pages', pageId)
  }
  const initial: UpdateInput = { text: '', status, notify: true }
  const form = useForm(initial, save, { schema: ['StatusPostUpdateBody', toUpdateBody] })
  const { input, change, field } = form
  const isResolving = isEnd(input.status) && !isEnd(status)
  return (
    <Panel title={text.addUpdate}>
      <Form form={form} action={isResolving ? text.resolve[type] : text.addUpdate}>
        <LeaveGuard isDirty={form.isDirty} isSaving={form.isBusy} />
        <SelectField label={text.status} {...field('status')} className="max-w-sm">
          {POST_STATUSES[type].map((each) => (
            <option key={each} value={each}>
              {statusName(each)}
            </option>
          ))}
        </SelectField>
        <TextArea label={text.updateText} hint={text.textHint} maxLength={MAX_POST_TEXT} {...field('text')} />
        <CheckField label={text.notify} checked={input.notify} onChange={({ target }) => change({ notify: target.checked })} />
      </Form>
    </Panel>
  )
}

/** Newest first. */
export function Updates({ pageId, post }: Props) {
  return (
    <Panel title={text.updates} flush>
      <ul className="divide-y divide-line border-line border-t">
        {post.updates.map((update) => (
          <Update key={update.id} pageId={pageId} postId={post.id} update={update} />
        ))}
      </ul>
    </Panel>
  )
}

interface UpdateProps {
  pageId: string
  postId: string
  update: StatusPostUpdate
}

function Update({ pageId, postId, update }: UpdateProps) {
  const { can } = useViewer()
  const [isOpen, setOpen] = useState(false)
  return (
    <li className="grid gap-2 px-4 py-3">
      <div className="flex flex-wrap items-center gap-2">
        <StatusBadge status={update.status} />
        <span className="text-muted">
          <Instant at={update.at} format={dayAndClock} />
        </span>
        {can('monitors:update') && !isOpen && (
          <Button small variant="quiet" className="ml-auto" onClick={() => setOpen(true)}>
            {text.correct}
          </Button>
        )}
      </div>
      {isOpen ? (
        <Correction pageId={pageId} postId={postId} update={update} onClose={() => setOpen(false)} />
      ) : (
        <p className="whitespace-pre-line">{update.text}</p>
      )}
    </li>
  )
}

const toCorrection = ({ text: typed }: { text: string }) => ({ text: typed.trim() })

function Correction({ pageId, postId, update, onClose }: UpdateProps & { onClose: () => void }) {
  const { client } = useViewer()
  const cache = useCache()
  const save = async (input: { text: string }) => {
    await client.statusPosts.correctUpdate(pageId, postId, update.id, toCorrection(input))
    toast(messages.done.saved)
    onClose()
    await cache.invalidate('status-pages', pageId)
  }
  const form = useForm({ text: update.text }, save, { schema: ['PatchStatusPostUpdateBody', toCorrection] })
  return (
    <Form form={form} action={messages.actions.save} onCancel={onClose}>
      <LeaveGuard isDirty={form.isDirty} isSaving={form.isBusy} />
      <TextArea label={text.corrected} maxLength={MAX_POST_TEXT} {...form.field('text')} />
    </Form>
  )
}
