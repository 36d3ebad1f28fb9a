import type { MonitorDetails } from '@vedette/shared'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Activity, Copy, Pause, Pencil, Play } from '../../components/icons.tsx'
import { Button, buttonClass } from '../../components/button.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { toast, toastError } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { useCheckNow } from '../../components/check-now.ts'
import { checkNow } from '../../messages/check-now.ts'
import { messages } from '../../messages/index.ts'
import { kindOf } from './kind.ts'

const text = messages.monitors

export function MonitorActions({ monitor: { id, name, type, status } }: { monitor: MonitorDetails }) {
  const { client, can } = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  const isPaused = status === 'paused'
  const setPaused = async (pause: boolean): Promise<void> => {
    cache.set(['monitors', id], pause ? await client.monitors.pause(id) : await client.monitors.resume(id))
    toast(pause ? text.paused(1) : text.resumed(1), () => setPaused(!pause))
    await cache.invalidate('monitors')
  }
  const remove = async () => {
    await client.monitors.remove(id)
    await navigate({ to: '/monitors' })
    toast(messages.done.deleted(name), async () => {
      await client.monitors.restore(id)
      toast(messages.done.restored(name))
      await cache.invalidate('monitors')
    })
    cache.remove('monitors', id)
    await cache.invalidate('monitors')
  }
  return (
    <>
      {can('monitors:update') && (
        <>
          {kindOf(type).isChecked && !isPaused && <CheckNow monitorId={id} />}
          <Button onClick={() => void setPaused(!isPaused).catch(toastError)}>
            {isPaused ? <Play size={15} aria-hidden="true" /> : <Pause size={15} aria-hidden="true" />}
            {isPaused ? text.resume : text.pause}
          </Button>
          <Link to="/monitors/$monitorId/edit" params={{ monitorId: id }} className={buttonClass()}>
            <Pencil size={15} aria-hidden="true" />
            {messages.actions.edit}
          </Link>
        </>
      )}
      {can('monitors:create') && (
        <Link to="/monitors/add" search={{ from: id }} className={buttonClass()}>
          <Copy size={15} aria-hidden="true" />
          {text.duplicate}
        </Link>
      )}
      {can('monitors:delete') && (
        <DeleteButton name={name} lead={text.deleteLead} className="border border-line" onDelete={remove} />
      )}
    </>
  )
}

function CheckNow({ monitorId }: { monitorId: string }) {
  const check = useCheckNow()
  const [isRunning, setRunning] = useState(false)
  const run = async () => {
    setRunning(true)
    await check(monitorId).catch(toastError)
    setRunning(false)
  }
  return (
    <Button disabled={isRunning} onClick={() => void run()}>
      <Activity size={15} aria-hidden="true" />
      {isRunning ? checkNow.running : checkNow.action}
    </Button>
  )
}
