import type { Incident } from '@vedette/shared'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Fact, Panel } from '../../components/page.tsx'
import { PhaseBar } from '../../components/phases.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Instant } from '../../components/time.tsx'
import { createPart } from '../../lib/create-part.tsx'
import { attributeName, entityMetricLabel, formatOf, unitOfMetric } from '../../lib/entity-texts.ts'
import { bytes, count, fixed, orDash, load, milliseconds, percent } from '../../lib/format.ts'
import { findingName } from '../../lib/health-tabs.ts'
import { factLabel, factText } from '../../lib/fact-texts.ts'
import { dayAndClock } from '../../lib/time.ts'
import { alerts } from '../../messages/alerts.ts'
import { incidentPage } from '../../messages/incident-page.ts'
import { messages } from '../../messages/index.ts'
import { locale } from '../../messages/language.ts'
import { metrics } from '../../messages/metrics.ts'
import {
  readEvidence,
  type Evidence,
  type EvidenceCheck,
  type EvidenceEntity,
  type EvidenceHost,
  type EvidenceProcess,
} from './read-evidence.ts'
import { ResponseBody } from './response-body.tsx'

const text = incidentPage.evidence
const { Part: DocumentationPanel } = createPart(() => import('../../components/documentation.tsx'))
const phaseNames: Readonly<Record<string, string>> = messages.monitors.phases
const fieldNames: Readonly<Record<string, { name: string }>> = metrics.server

/** The evidence that was recorded when the incident opened. */
export function EvidencePanels({ incident: { evidence, target } }: { incident: Incident }) {
  const { facts, checks, host, entities, findings, documentation } = readEvidence(evidence)
  return (
    <>
      {documentation.rule && <DocumentationPanel about="rule" documentation={documentation.rule} />}
      {documentation.target && <DocumentationPanel about="target" documentation={documentation.target} />}
      <Panel title={text.title}>
        <p className="mb-1 text-muted">{text.lead}</p>
        {facts.length + checks.length + findings.length === 0 && !host && !entities && <p>{text.none}</p>}
        {facts.length > 0 && <Facts facts={facts} />}
        {findings.length > 0 && <Findings findings={findings} />}
      </Panel>
      {entities && <Entities {...entities} />}
      {checks.length > 0 && <Checks checks={checks} monitorId={target.type === 'monitor' ? target.id : undefined} />}
      {host && <Host host={host} />}
    </>
  )
}

function Facts({ facts }: { facts: Evidence['facts'] }) {
  return (
    <dl>
      {facts.map(([name, value]) => (
        <Fact key={name} name={text.names[name] ?? fieldNames[name]?.name ?? name}>
          {factOf(name, value)}
        </Fact>
      ))}
    </dl>
  )
}

function Findings({ findings }: Pick<Evidence, 'findings'>) {
  return (
    <ul className="grid gap-2">
      {findings.map(({ code, text: sentence, since }) => (
        <li key={sentence}>
          <span className="font-semibold">{findingName(code)}</span>
          {since !== undefined && (
            <span className="text-muted">
              {' · '}
              <Instant at={since} format={dayAndClock} />
            </span>
          )}
          <p className="text-soft">{sentence}</p>
        </li>
      ))}
    </ul>
  )
}

function Entities({ metric, rows }: NonNullable<Evidence['entities']>) {
  const label = entityMetricLabel(metric)?.name ?? metric
  const columns: Column<EvidenceEntity>[] = [
    { head: alerts.name, cell: ({ name }) => name, isText: true },
    ...(rows.some(({ image }) => image !== undefined)
      ? [{ head: attributeName('image'), cell: ({ image }: EvidenceEntity) => image ?? messages.unknown, isExtra: true }]
      : []),
    { head: label, cell: ({ value }) => formatOf(unitOfMetric(metric) ?? 'number')(value), isFigure: true },
  ]
  return (
    <Panel title={label} flush>
      <Table label={label} columns={columns} rows={rows} keyOf={({ name }) => name} />
    </Panel>
  )
}

function factOf(name: string, value: string | number): ReactNode {
  if (name === 'status') return <StatusBadge status={String(value)} />
  if (typeof value === 'number') return valueOf(name, value)
  return name.endsWith('_at') ? <Instant at={value} format={dayAndClock} /> : value
}

function valueOf(name: string, value: number): string {
  if (name === 'response_ms') return milliseconds(value)
  if (name === 'burn_rate') return `${fixed(value, value >= 100 ? 0 : 1)}×`
  if (name === 'objective') return `${value.toLocaleString(locale, { maximumFractionDigits: 3 })} %`
  if (name.endsWith('percent')) return percent(value)
  if (name.endsWith('bytes')) return bytes(value)
  return name.startsWith('cpu.load') ? load(value) : count(value)
}

const CHECK_COLUMNS: Column<EvidenceCheck>[] = [
  { head: text.region, cell: ({ region }) => region },
  { head: text.outcome, cell: ({ outcome }) => (outcome === undefined ? messages.unknown : <StatusBadge status={outcome} />) },
  { head: text.code, cell: ({ statusCode }) => statusCode ?? messages.unknown, isFigure: true },
  { head: text.response, cell: ({ responseMs }) => milliseconds(responseMs), isFigure: true },
]

const FAILED_PHASE: Column<EvidenceCheck> = {
  head: text.failedPhase,
  isExtra: true,
  cell: ({ failedPhase }) => (failedPhase === undefined ? messages.unknown : (phaseNames[failedPhase] ?? failedPhase)),
}

function Checks({ checks, monitorId }: { checks: readonly EvidenceCheck[]; monitorId: string | undefined }) {
  const most = Math.max(1, ...checks.map(({ times }) => Object.values(times).reduce<number>((sum, ms) => sum + (ms ?? 0), 0)))
  const phases: Column<EvidenceCheck> = {
    head: text.phases,
    isExtra: true,
    cell: ({ times, error }) => (
      <span className="block min-w-32" title={error}>
        {Object.values(times).some((ms) => ms !== null) ? <PhaseBar times={times} most={most} /> : messages.unknown}
      </span>
    ),
  }
  // A check that was answered failed in none of them; the column would push the last one out of view.
  const failed = checks.some(({ failedPhase }) => failedPhase !== undefined) ? [FAILED_PHASE] : []
  return (
    <Panel title={text.checks} flush>
      <Table label={text.checks} columns={[...CHECK_COLUMNS, ...failed, phases]} rows={checks} keyOf={({ region }) => region} />
      {checks.map((check) => (
        <CheckDetails key={check.region} check={check} monitorId={monitorId} isOne={checks.length === 1} />
      ))}
    </Panel>
  )
}

/** The error and the response of a check. Markup in it is shown as text. */
function CheckDetails({
  check: { region, error, address, facts, certificateExpiresAt, statusLine, body, checkedAt },
  monitorId,
  isOne,
}: {
  check: EvidenceCheck
  monitorId: string | undefined
  isOne: boolean
}) {
  if (facts.length === 0 && [error, address, certificateExpiresAt, statusLine].every((part) => part === undefined))
    return undefined
  return (
    <div className="space-y-1 border-line border-t px-4 py-2 [overflow-wrap:anywhere]">
      {!isOne && <p className="text-muted">{region}</p>}
      {error !== undefined && <p className="text-bad">{error}</p>}
      {facts.map(([name, value]) => (
        <p key={name} className="text-muted">
          {factLabel(name)} {factText(name, value)}
        </p>
      ))}
      {address !== undefined && (
        <p className="text-muted">
          {text.address} {address}
        </p>
      )}
      {certificateExpiresAt !== undefined && (
        <p className="text-muted">
          {text.certificate} <Instant at={certificateExpiresAt} format={dayAndClock} />
        </p>
      )}
      {statusLine !== undefined && <p className="font-mono text-[0.92rem]">{statusLine}</p>}
      {body !== undefined && body !== '' && (
        <ResponseBody body={body} check={monitorId && checkedAt ? { monitorId, region, checkedAt } : undefined} />
      )}
    </div>
  )
}

const PROCESS_COLUMNS: Column<EvidenceProcess>[] = [
  { head: text.process, cell: ({ name }) => name },
  { head: text.cpu, cell: ({ cpuPercent }) => percent(cpuPercent), isFigure: true },
  { head: text.memory, cell: ({ memoryBytes }) => orDash(memoryBytes, bytes), isFigure: true },
]

function Host({ host: { id, name, sampledAt, values, processes } }: { host: EvidenceHost }) {
  return (
    <Panel
      title={text.host}
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
          <Fact name={text.sampledAt}>
            <Instant at={sampledAt} format={dayAndClock} />
          </Fact>
        )}
      </dl>
      {processes.length > 0 && (
        <Table
          label={text.processes}
          columns={PROCESS_COLUMNS}
          rows={processes}
          keyOf={({ pid, name: command }) => `${pid} ${command}`}
        />
      )}
    </Panel>
  )
}
