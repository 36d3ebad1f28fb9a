import type { ServerDetails } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/page.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { useViewer } from '../../lib/api.ts'
import { bytes, orDash, percent } from '../../lib/format.ts'
import { dayAndClock } from '../../lib/time.ts'
import { messages } from '../../messages/index.ts'
import { processesQuery } from './queries.ts'

const text = messages.servers.processes

type Process = ServerDetails['processes'][number]

const COLUMNS: Column<Process>[] = [
  { head: text.name, cell: ({ name }) => name },
  { head: text.cpu, cell: ({ cpu_percent }) => percent(cpu_percent), isFigure: true },
  { head: text.memory, cell: ({ memory_bytes }) => orDash(memory_bytes, bytes), isFigure: true },
  { head: text.pid, cell: ({ pid }) => pid, isFigure: true, isExtra: true },
]

interface Props {
  server: ServerDetails
  /** The time of the list, ms; undefined: the latest one. */
  pinned: number | undefined
  onUnpin: () => void
}

/** The processes of the latest push, or of the time that was clicked in a chart. */
export function Processes({ server, pinned, onUnpin }: Props) {
  // There is one list per push, so times of the same push share a request.
  const stepMs = server.push_interval_seconds * 1000
  const at = Math.round((pinned ?? 0) / stepMs) * stepMs
  const earlier = useQuery({ ...processesQuery(useViewer(), server.id, at), enabled: pinned !== undefined })
  const processes = pinned === undefined ? server.processes : (earlier.data?.processes ?? [])
  const sampledAt = earlier.data?.sampled_at
  const about = pinned === undefined ? text.latest : sampledAt ? text.at(dayAndClock(Date.parse(sampledAt))) : ''
  return (
    <Panel
      flush
      title={
        <>
          {text.title} <span className="font-normal text-[0.92rem] text-muted">{about}</span>
        </>
      }
      aside={
        pinned !== undefined && (
          <Button small onClick={onUnpin}>
            {text.unpin}
          </Button>
        )
      }
    >
      {processes.length > 0 ? (
        <Table label={text.title} columns={COLUMNS} rows={processes} keyOf={({ pid, name }) => `${pid} ${name}`} />
      ) : (
        <p className="border-line border-t px-4 py-3 text-muted">{earlier.isFetching ? '…' : text.none}</p>
      )}
      <p className="border-line border-t px-4 py-2 text-[0.9rem] text-muted">{text.hint}</p>
    </Panel>
  )
}
