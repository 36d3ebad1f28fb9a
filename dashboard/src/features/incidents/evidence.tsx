import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Fact, Panel } from '../../components/page.tsx'
import { PhaseBar } from '../../components/phases.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Instant } from '../../components/time.tsx'
import { bytes, count, known, load, milliseconds, percent } from '../../lib/format.ts'
import { dayAndClock } from '../../lib/time.ts'
import { text } from '../../messages/index.ts'
import { readEvidence, type Seen, type SeenCheck, type SeenHost, type SeenProcess } from './read-evidence.ts'

const words = text.incidents.evidence
const phaseNames: Readonly<Record<string, string>> = text.monitors.phases
const fieldNames = text.alerts.metrics.server

/** What was known when the incident opened. */
export function EvidencePanels({ evidence }: { evidence: Record<string, unknown> }) {
  const { facts, checks, host } = readEvidence(evidence)
  return (
    <>
      <Panel title={words.title}>
        <p className="mb-1 text-muted">{words.lead}</p>
        {facts.length + checks.length === 0 && !host && <p>{words.none}</p>}
        {facts.length > 0 && <Facts facts={facts} />}
      </Panel>
      {checks.length > 0 && <Checks checks={checks} />}
      {host && <Host host={host} />}
    </>
  )
}

function Facts({ facts }: { facts: Seen['facts'] }) {
  return (
    <dl>
      {facts.map(([name, value]) => (
        <Fact key={name} name={words.names[name] ?? fieldNames[name]?.name ?? name}>
          {factOf(name, value)}
        </Fact>
      ))}
    </dl>
  )
}

function factOf(name: string, value: string | number): ReactNode {
  if (name === 'status') return <StatusBadge status={String(value)} />
  if (typeof value === 'number') return valueOf(name, value)
  return name.endsWith('_at') ? <Instant at={value} format={dayAndClock} /> : value
}

function valueOf(name: string, value: number): string {
  if (name === 'response_ms') return milliseconds(value)
  if (name.endsWith('percent')) return percent(value)
  if (name.endsWith('bytes')) return bytes(value)
  return name.startsWith('cpu.load') ? load(value) : count(value)
}

const CHECK_COLUMNS: Column<SeenCheck>[] = [
  { head: words.region, cell: ({ region }) => region },
  { head: words.outcome, cell: ({ outcome }) => (outcome === undefined ? text.unknown : <StatusBadge status={outcome} />) },
  {
    head: words.failedPhase,
    isExtra: true,
    cell: ({ failedPhase }) => (failedPhase === undefined ? text.unknown : (phaseNames[failedPhase] ?? failedPhase)),
  },
  { head: words.code, cell: ({ statusCode }) => statusCode ?? text.unknown, isFigure: true },
  { head: words.response, cell: ({ responseMs }) => milliseconds(responseMs), isFigure: true },
]

function Checks({ checks }: { checks: readonly SeenCheck[] }) {
  const most = Math.max(1, ...checks.map(({ times }) => Object.values(times).reduce<number>((sum, ms) => sum + (ms ?? 0), 0)))
  const phases: Column<SeenCheck> = {
    head: words.phases,
    isExtra: true,
    cell: ({ times, error }) => (
      <span className="block min-w-32" title={error}>
        {Object.values(times).some((ms) => ms !== null) ? <PhaseBar times={times} most={most} /> : text.unknown}
      </span>
    ),
  }
  return (
    <Panel title={words.checks} flush>
      <Table label={words.checks} columns={[...CHECK_COLUMNS, phases]} rows={checks} keyOf={({ region }) => region} />
      {checks.map((check) => (
        <CheckWords key={check.region} check={check} isOne={checks.length === 1} />
      ))}
    </Panel>
  )
}

/** What failed in words, and what the target said: as text, whatever markup it is. */
function CheckWords({
  check: { region, error, address, certificateExpiresAt, statusLine, body },
  isOne,
}: {
  check: SeenCheck
  isOne: boolean
}) {
  if ([error, address, certificateExpiresAt, statusLine].every((part) => part === undefined)) return undefined
  return (
    <div className="space-y-1 border-line border-t px-4 py-2 [overflow-wrap:anywhere]">
      {!isOne && <p className="text-muted">{region}</p>}
      {error !== undefined && <p className="text-bad">{error}</p>}
      {address !== undefined && (
        <p className="text-muted">
          {words.address} {address}
        </p>
      )}
      {certificateExpiresAt !== undefined && (
        <p className="text-muted">
          {words.certificate} <Instant at={certificateExpiresAt} format={dayAndClock} />
        </p>
      )}
      {statusLine !== undefined && <p className="font-mono text-[0.92rem]">{statusLine}</p>}
      {body !== undefined && body !== '' && (
        <pre className="max-h-64 overflow-auto rounded border border-line p-2 font-mono text-[0.85rem] whitespace-pre-wrap">
          {body}
        </pre>
      )}
    </div>
  )
}

const PROCESS_COLUMNS: Column<SeenProcess>[] = [
  { head: words.process, cell: ({ name }) => name },
  { head: words.cpu, cell: ({ cpuPercent }) => percent(cpuPercent), isFigure: true },
  { head: words.memory, cell: ({ memoryBytes }) => known(memoryBytes, bytes), isFigure: true },
]

function Host({ host: { id, name, sampledAt, values, processes } }: { host: SeenHost }) {
  return (
    <Panel
      title={words.host}
      flush
      aside={
        <Link to="/servers/$serverId" params={{ serverId: id }} className="text-accent hover:underline">
          {name}
        </Link>
      }
    >
      <dl className="grid gap-x-8 px-4 pb-3 sm:grid-cols-2">
        {values.map(([field, value]) => (
          <Fact key={field} name={fieldNames[field]?.name ?? field}>
            {valueOf(field, value)}
          </Fact>
        ))}
        {sampledAt !== undefined && (
          <Fact name={words.sampledAt}>
            <Instant at={sampledAt} format={dayAndClock} />
          </Fact>
        )}
      </dl>
      {processes.length > 0 && (
        <Table
          label={words.processes}
          columns={PROCESS_COLUMNS}
          rows={processes}
          keyOf={({ pid, name: command }) => `${pid} ${command}`}
        />
      )}
    </Panel>
  )
}
