import type { MonitorItem } from '@vedette/shared'
import { MAX_TAG_LENGTH } from '@vedette/shared/tables'
import { Pause, Play, Tag, Trash2 } from '../../components/icons.tsx'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Confirm, Dialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { toast, toastError } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { useForm } from '../../lib/use-form.ts'
import { messages } from '../../messages/index.ts'

const text = messages.monitors

export function BulkActions({ monitors, onDone }: { monitors: readonly MonitorItem[]; onDone: () => void }) {
  const { client, can } = useViewer()
  const cache = useCache()
  const [open, setOpen] = useState<'tag' | 'delete'>()
  const ids = monitors.map(({ id }) => id)

  const finish = async (message: string, undo?: () => Promise<unknown>) => {
    toast(message, undo)
    onDone()
    await cache.invalidate('monitors')
  }
  const running = monitors.filter(({ status }) => status !== 'paused').map(({ id }) => id)
  const paused = monitors.filter(({ status }) => status === 'paused').map(({ id }) => id)
  const pause = async () => {
    await client.monitors.bulk({ pause: running })
    await finish(text.paused(running.length), async () => {
      await client.monitors.bulk({ resume: running })
      await cache.invalidate('monitors')
    })
  }
  const resume = async () => {
    await client.monitors.bulk({ resume: paused })
    await finish(text.resumed(paused.length))
  }
  const remove = async () => {
    await client.monitors.bulk({ delete: ids })
    await finish(text.deletedMany(ids.length), async () => {
      await client.monitors.bulk({ restore: ids })
      await cache.invalidate('monitors')
    })
  }
  return (
    <div className="flex min-h-10 flex-wrap items-center gap-1.5 border-line border-b bg-accent-ground px-4 py-1">
      <span className="mr-2 font-semibold">{text.selected(monitors.length)}</span>
      <Button small onClick={() => void pause().catch(toastError)} disabled={running.length === 0}>
        <Pause size={14} aria-hidden="true" />
        {text.pause}
      </Button>
      <Button small onClick={() => void resume().catch(toastError)} disabled={paused.length === 0}>
        <Play size={14} aria-hidden="true" />
        {text.resume}
      </Button>
      <Button small onClick={() => setOpen('tag')}>
        <Tag size={14} aria-hidden="true" />
        {text.addTag}
      </Button>
      {can('monitors:delete') && (
        <Button small variant="danger" onClick={() => setOpen('delete')}>
          <Trash2 size={14} aria-hidden="true" />
          {messages.actions.delete}
        </Button>
      )}
      <Button small variant="quiet" className="ml-auto" onClick={onDone}>
        {messages.actions.cancel}
      </Button>
      {open === 'tag' && (
        <AddTag monitors={monitors} onClose={() => setOpen(undefined)} onDone={(count) => void finish(text.tagged(count))} />
      )}
      <Confirm
        isOpen={open === 'delete'}
        onClose={() => setOpen(undefined)}
        title={text.deleteManyTitle(ids.length)}
        description={text.deleteLead}
        action={messages.actions.delete}
        name={text.countOf(ids.length)}
        onConfirm={remove}
      />
    </div>
  )
}

interface AddTagProps {
  monitors: readonly MonitorItem[]
  onClose: () => void
  onDone: (count: number) => void
}

function AddTag({ monitors, onClose, onDone }: AddTagProps) {
  const { client } = useViewer()
  const save = async (input: { tag: string }) => {
    const tag = input.tag.trim()
    const update = monitors.filter(({ tags }) => !tags.includes(tag)).map(({ id, tags }) => ({ id, tags: [...tags, tag] }))
    if (update.length > 0) await client.monitors.bulk({ update })
    onClose()
    onDone(update.length)
  }
  const form = useForm({ tag: '' }, save, { missing: ({ tag }) => (tag.trim() === '' ? ['tag'] : []) })
  return (
    <Dialog isOpen onClose={onClose} title={text.addTag}>
      <Form form={form} action={messages.actions.save}>
        <TextField label={text.tag} {...form.field('tag')} maxLength={MAX_TAG_LENGTH} />
      </Form>
    </Dialog>
  )
}
