import type { MonitorItem } from '@vedette/shared'
import { useQueryClient } from '@tanstack/react-query'
import { Pause, Play, Tag, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Confirm, Dialog } from '../../components/dialog.tsx'
import { FormFault, TextField } from '../../components/field.tsx'
import { toast } from '../../components/toast.tsx'
import { useScope, useViewer } from '../../lib/api.ts'
import { sentenceOf } from '../../lib/errors.ts'
import { text } from '../../messages/index.ts'

const words = text.monitors

/** What may be done to several at once. Pausing is a request each, so a few at a time stay below the limit of writes. */
const MOST_PAUSED = 20

export function BulkBar({ monitors, onDone }: { monitors: readonly MonitorItem[]; onDone: () => void }) {
  const { client, can } = useViewer()
  const scope = useScope()
  const queries = useQueryClient()
  const [open, setOpen] = useState<'tag' | 'delete'>()
  const refresh = () => queries.invalidateQueries({ queryKey: [scope, 'monitors'] })
  const ids = monitors.map(({ id }) => id)

  const done = async (message: string, undo?: () => void) => {
    toast(message, 'good', undo && { label: text.actions.undo, run: undo })
    onDone()
    await refresh()
  }
  const each = async (work: (id: string) => Promise<unknown>, some: readonly string[]) => {
    try {
      for (const id of some) await work(id)
    } catch (error) {
      toast(sentenceOf(error), 'bad')
    }
  }
  const running = monitors.filter(({ status }) => status !== 'paused').map(({ id }) => id)
  const paused = monitors.filter(({ status }) => status === 'paused').map(({ id }) => id)
  const pause = async () => {
    await each((id) => client.monitors.pause(id), running)
    await done(words.paused(running.length), () => void each((id) => client.monitors.resume(id), running).then(refresh))
  }
  const resume = async () => {
    await each((id) => client.monitors.resume(id), paused)
    await done(words.resumed(paused.length))
  }
  const remove = async () => {
    await client.monitors.bulk({ delete: ids })
    await done(words.delete.manyDone(ids.length))
  }
  return (
    <div className="flex min-h-10 flex-wrap items-center gap-1.5 border-line border-b bg-accent-ground px-4 py-1">
      <span className="mr-2 font-semibold">{words.selected(monitors.length)}</span>
      <Button small onClick={() => void pause()} disabled={running.length === 0 || running.length > MOST_PAUSED}>
        <Pause size={14} aria-hidden="true" />
        {words.pause}
      </Button>
      <Button small onClick={() => void resume()} disabled={paused.length === 0 || paused.length > MOST_PAUSED}>
        <Play size={14} aria-hidden="true" />
        {words.resume}
      </Button>
      <Button small onClick={() => setOpen('tag')}>
        <Tag size={14} aria-hidden="true" />
        {words.setTags}
      </Button>
      {can('monitors:delete') && (
        <Button small look="danger" onClick={() => setOpen('delete')}>
          <Trash2 size={14} aria-hidden="true" />
          {words.delete.action}
        </Button>
      )}
      <Button small look="quiet" className="ml-auto" onClick={onDone}>
        {text.actions.cancel}
      </Button>
      {open === 'tag' && (
        <AddTag monitors={monitors} onClose={() => setOpen(undefined)} onDone={(count) => void done(words.tagged(count))} />
      )}
      <Confirm
        isOpen={open === 'delete'}
        onClose={() => setOpen(undefined)}
        title={words.delete.manyTitle(ids.length)}
        description={`${words.delete.lead} ${text.confirm.cannotUndo}`}
        action={words.delete.action}
        onConfirm={remove}
      />
    </div>
  )
}

function AddTag({
  monitors,
  onClose,
  onDone,
}: {
  monitors: readonly MonitorItem[]
  onClose: () => void
  onDone: (count: number) => void
}) {
  const { client } = useViewer()
  const [tag, setTag] = useState('')
  const [fault, setFault] = useState<string>()
  const save = async () => {
    const update = monitors.filter(({ tags }) => !tags.includes(tag)).map(({ id, tags }) => ({ id, tags: [...tags, tag] }))
    try {
      if (update.length > 0) await client.monitors.bulk({ update })
      onClose()
      onDone(update.length)
    } catch (error) {
      setFault(sentenceOf(error))
    }
  }
  return (
    <Dialog isOpen onClose={onClose} title={words.setTags}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <TextField label={words.tagName} value={tag} maxLength={64} required onChange={(event) => setTag(event.target.value)} />
        <FormFault>{fault}</FormFault>
        <Button type="submit" look="primary" className="justify-self-end">
          {text.actions.save}
        </Button>
      </form>
    </Dialog>
  )
}
