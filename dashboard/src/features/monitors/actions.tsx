import type { MonitorDetails } from '@vedette/shared'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Pause, Pencil, Play, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button, buttonClass, IconButton } from '../../components/button.tsx'
import { Confirm } from '../../components/dialog.tsx'
import { toast } from '../../components/toast.tsx'
import { useScope, useViewer } from '../../lib/api.ts'
import { sentenceOf } from '../../lib/errors.ts'
import { text } from '../../messages/index.ts'

const words = text.monitors

/** What may be done to a monitor by who may. */
export function MonitorActions({ monitor }: { monitor: MonitorDetails }) {
  const { client, can } = useViewer()
  const scope = useScope()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [isDeleting, setDeleting] = useState(false)
  const isPaused = monitor.status === 'paused'
  const set = async (pause: boolean) => {
    try {
      const changed = pause ? await client.monitors.pause(monitor.id) : await client.monitors.resume(monitor.id)
      queries.setQueryData([scope, 'monitors', monitor.id], changed)
      toast(pause ? words.paused(1) : words.resumed(1), 'good', { label: text.actions.undo, run: () => void set(!pause) })
      await queries.invalidateQueries({ queryKey: [scope, 'monitors'] })
    } catch (error) {
      toast(sentenceOf(error), 'bad')
    }
  }
  const remove = async () => {
    await client.monitors.remove(monitor.id)
    await navigate({ to: '/monitors' })
    toast(words.delete.done(monitor.name))
    queries.removeQueries({ queryKey: [scope, 'monitors', monitor.id] })
    await queries.invalidateQueries({ queryKey: [scope, 'monitors'] })
  }
  return (
    <>
      {can('monitors:update') && (
        <>
          <Button onClick={() => void set(!isPaused)}>
            {isPaused ? <Play size={15} aria-hidden="true" /> : <Pause size={15} aria-hidden="true" />}
            {isPaused ? words.resume : words.pause}
          </Button>
          <Link to="/monitors/$monitorId/edit" params={{ monitorId: monitor.id }} className={buttonClass()}>
            <Pencil size={15} aria-hidden="true" />
            {text.actions.edit}
          </Link>
        </>
      )}
      {can('monitors:delete') && (
        <IconButton label={words.delete.action} onClick={() => setDeleting(true)} className="border border-line hover:text-bad">
          <Trash2 size={16} />
        </IconButton>
      )}
      <Confirm
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        title={words.delete.title(monitor.name)}
        description={`${words.delete.lead} ${text.confirm.cannotUndo}`}
        action={words.delete.action}
        name={monitor.name}
        onConfirm={remove}
      />
    </>
  )
}
