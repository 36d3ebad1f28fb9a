import type { MonitorDetails, PingList } from '@vedette/shared'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CodeLines } from '../../components/copy.tsx'
import { Confirm } from '../../components/dialog.tsx'
import { Panel } from '../../components/page.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Ago, useNow } from '../../components/time.tsx'
import { toast } from '../../components/toast.tsx'
import { useViewer } from '../../lib/api.ts'
import { milliseconds } from '../../lib/format.ts'
import { usePreferences } from '../../lib/preferences.ts'
import { exact } from '../../lib/time.ts'
import { heartbeats } from '../../messages/heartbeats.ts'
import { monitorQuery, pingsQuery } from './queries.ts'

const { address, pings: text } = heartbeats

/** The address of pings with snippets, for those who may change the monitor. */
export function PingAddress({ monitor: { id, ping_url: url } }: { monitor: MonitorDetails }) {
  const viewer = useViewer()
  const queries = useQueryClient()
  const [isReplacing, setReplacing] = useState(false)
  if (url === undefined) return null
  const replace = async () => {
    await viewer.client.monitors.update(id, { credentials: { token: '' } })
    await queries.invalidateQueries({ queryKey: monitorQuery(viewer, id).queryKey })
    toast(address.replaced)
  }
  const curl = 'curl -fsS -m 10 --retry 5 -o /dev/null'
  return (
    <Panel
      title={address.title}
      aside={
        <Button small variant="quiet" onClick={() => setReplacing(true)}>
          {address.replace}
        </Button>
      }
    >
      <div className="grid gap-3">
        <p className="text-muted">{address.lead}</p>
        <Snippet label={address.url} lines={[url]} />
        <Snippet label={address.curl} lines={[`${curl} ${url}`]} />
        <Snippet label={address.cron} lines={[`0 2 * * * /usr/local/bin/backup; ${curl} ${url}/$?`]} />
        <Snippet
          label={address.systemd}
          lines={[
            '[Service]',
            `ExecStartPre=-curl -fsS -m 10 -o /dev/null ${url}/start`,
            'ExecStart=/usr/local/bin/backup',
            `ExecStopPost=-sh -c '${curl} ${url}/$$EXIT_STATUS'`,
          ]}
        />
      </div>
      <Confirm
        isOpen={isReplacing}
        onClose={() => setReplacing(false)}
        title={address.replaceTitle}
        description={address.replaceLead}
        action={address.replace}
        onConfirm={replace}
      />
    </Panel>
  )
}

function Snippet({ label, lines }: { label: string; lines: readonly string[] }) {
  return (
    <div className="grid min-w-0 gap-1">
      <span className="font-semibold text-[0.95rem]">{label}</span>
      <CodeLines label={label} lines={lines} />
    </div>
  )
}

function NextPing({ next: { expected_at: expectedAt, due_by: dueBy } }: { next: NonNullable<MonitorDetails['next_ping']> }) {
  usePreferences()
  const [expectedMs, dueMs] = [Date.parse(expectedAt), Date.parse(dueBy)]
  const isLate = useNow() >= expectedMs
  return (
    <p className={`px-4 pb-3 ${isLate ? 'text-warn' : 'text-muted'}`}>
      {isLate ? text.late(exact(expectedMs), exact(dueMs)) : text.expected(exact(expectedMs))}
    </p>
  )
}

type Ping = PingList['pings'][number]

/** The newest pings with what they brought. */
export function Pings({ monitor }: { monitor: MonitorDetails }) {
  const { data } = useQuery(pingsQuery(useViewer(), monitor.id))
  const columns: Column<Ping>[] = [
    {
      head: text.kind,
      cell: ({ kind, exit_code: code }) => (
        <span className={kind === 'fail' ? 'text-bad' : kind === 'success' ? 'text-good' : 'text-soft'}>
          {text.kinds[kind] ?? kind}
          {code !== null && ` · ${text.exitCode(code)}`}
        </span>
      ),
    },
    { head: text.time, cell: ({ received_at }) => <Ago at={received_at} /> },
    { head: text.duration, cell: ({ duration_ms }) => milliseconds(duration_ms), isFigure: true },
    { head: text.from, isExtra: true, cell: ({ address, user_agent: agent }) => [address, agent].filter(Boolean).join(' · ') },
    {
      head: text.body,
      isText: true,
      cell: ({ body }) =>
        body !== null && (
          <details>
            <summary className="max-w-64 truncate text-soft">{body.split('\n', 1)[0]}</summary>
            <pre className="max-h-80 overflow-auto whitespace-pre-wrap font-mono text-[0.88rem]">{body}</pre>
          </details>
        ),
    },
  ]
  return (
    <Panel title={text.title} flush>
      {monitor.next_ping && <NextPing next={monitor.next_ping} />}
      {data?.pings.length === 0 ? (
        <p className="border-line border-t px-4 py-3 text-muted">{text.none}</p>
      ) : (
        <Table
          label={text.title}
          columns={columns}
          rows={data?.pings ?? []}
          keyOf={({ received_at, kind, rid }) => `${received_at} ${kind} ${rid}`}
        />
      )}
    </Panel>
  )
}
