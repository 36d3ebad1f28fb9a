import type { Export } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/dialog.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { toast } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { count, duration } from '../../lib/format.ts'
import { exports as text } from '../../messages/exports.ts'
import { ExportEditor } from './editor.tsx'

const REFRESH_MS = 30_000

/** Where samples are sent, and what became of it. */
export function Exports() {
  const { client, organizationId } = useViewer()
  const [isAdding, setAdding] = useState(false)
  const query = useQuery({
    queryKey: [organizationId, 'exports'],
    queryFn: ({ signal }) => client.exports.list({}, { signal }),
    refetchInterval: REFRESH_MS,
  })
  return (
    <>
      <ListPanel
        title={text.title}
        lead={text.lead}
        empty={text.empty}
        add={
          <Button small onClick={() => setAdding(true)}>
            {text.add}
          </Button>
        }
        query={query}
        rowsOf={(answer) => answer.exports}
        row={(one) => <ExportItem key={one.id} one={one} />}
      />
      {isAdding && <ExportEditor onClose={() => setAdding(false)} />}
    </>
  )
}

function ExportItem({ one }: { one: Export }) {
  const { client } = useViewer()
  const cache = useCache()
  const [open, setOpen] = useState<'edit' | 'remove'>()
  const { id, name, kind, url, enabled, managed, state } = one
  const close = () => setOpen(undefined)
  const remove = async () => {
    await client.exports.remove(id)
    toast(text.removed)
    await cache.invalidate('exports')
  }
  return (
    <li className="grid gap-1 px-4 py-2.5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1.5">
        <div className="min-w-0 flex-1 basis-44">
          <p className="cut font-medium">
            {name} {!enabled && <span className="text-muted">· {text.disabled}</span>}
          </p>
          <p className="truncate text-[0.9rem] text-muted">
            {text.kinds[kind]} · {url}
          </p>
        </div>
        {managed === null ? (
          <>
            <Button small onClick={() => setOpen('edit')}>
              {text.edit}
            </Button>
            <Button small onClick={() => setOpen('remove')}>
              {text.remove}
            </Button>
          </>
        ) : (
          <span className="text-[0.9rem] text-muted">{text.managed(managed.ref)}</span>
        )}
      </div>
      <State state={state} />
      {open === 'edit' && <ExportEditor one={one} onClose={close} />}
      <Confirm
        isOpen={open === 'remove'}
        onClose={close}
        onConfirm={remove}
        title={text.removeTitle}
        description={text.removeLead}
        action={text.remove}
      />
    </li>
  )
}

function State({ state }: { state: Export['state'] }) {
  const { last_sent_at: sentAt, samples_sent: sent, samples_dropped: dropped, samples_skipped: skipped } = state
  return (
    <div className="text-[0.9rem] text-muted">
      <p>{sentAt === null ? text.never : text.sent(count(sent), duration(state.lag_seconds))}</p>
      {dropped > 0 && <p className="text-warn">{text.dropped(count(dropped))}</p>}
      {skipped > 0 && <p className="text-warn">{text.skipped(count(skipped))}</p>}
      {state.last_error !== null && <p className="break-words text-warn">{state.last_error}</p>}
    </div>
  )
}
