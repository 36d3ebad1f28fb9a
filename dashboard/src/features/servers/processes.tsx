import type { ServerDetails } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/page.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { useScope, useViewer } from '../../lib/api.ts'
import { bytes, known, percent } from '../../lib/format.ts'
import { dayAndClock } from '../../lib/time.ts'
import { text } from '../../messages/index.ts'
import { processesQuery } from './queries.ts'

const words = text.servers.processes

type Process = ServerDetails['processes'][number]

const COLUMNS: Column<Process>[] = [
  { head: words.name, cell: ({ name }) => name },
  { head: words.cpu, cell: ({ cpu_percent }) => percent(cpu_percent), isFigure: true },
  { head: words.memory, cell: ({ memory_bytes }) => known(memory_bytes, bytes), isFigure: true },
  { head: words.pid, cell: ({ pid }) => pid, isFigure: true, isExtra: true },
]

interface Props {
  server: ServerDetails
  /** ms; undefined: the newest list. */
  pinned: number | undefined
  onUnpin: () => void
}

/** Who used the machine: now, or at the instant that was clicked in a chart. */
export function Processes({ server, pinned, onUnpin }: Props) {
  const { client } = useViewer()
  // One list a push: instants of the same push ask once.
  const stepMs = server.push_interval_seconds * 1000
  const at = Math.round((pinned ?? 0) / stepMs) * stepMs
  const earlier = useQuery({ ...processesQuery(useScope(), client, server.id, at), enabled: pinned !== undefined })
  const processes = pinned === undefined ? server.processes : (earlier.data?.processes ?? [])
  const sampledAt = earlier.data?.sampled_at
  const about = pinned === undefined ? words.now : sampledAt ? words.at(dayAndClock(Date.parse(sampledAt))) : ''
  return (
    <Panel
      flush
      title={
        <>
          {words.title} <span className="font-normal text-[0.92rem] text-muted">{about}</span>
        </>
      }
      aside={
        pinned !== undefined && (
          <Button small onClick={onUnpin}>
            {words.unpin}
          </Button>
        )
      }
    >
      {processes.length > 0 ? (
        <Table label={words.title} columns={COLUMNS} rows={processes} keyOf={({ pid, name }) => `${pid} ${name}`} />
      ) : (
        <p className="border-line border-t px-4 py-3 text-muted">{earlier.isFetching ? '…' : words.none}</p>
      )}
      <p className="border-line border-t px-4 py-2 text-[0.9rem] text-muted">{words.hint}</p>
    </Panel>
  )
}
