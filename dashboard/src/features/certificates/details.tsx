import type { CertificateDetails, CertificateSeen } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { Fact, Page, Panel } from '../../components/page.tsx'
import { QueryPage } from '../../components/query-page.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { Table } from '../../components/table.tsx'
import { Ago, Instant, useNow } from '../../components/time.tsx'
import { toast } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { daysLeft } from '../../lib/days-left.ts'
import { fullDate } from '../../lib/time.ts'
import { certificates as text } from '../../messages/certificates.ts'
import { messages } from '../../messages/index.ts'
import { CertificateEditor } from './editor.tsx'
import { keyText, weakText } from './figures.ts'
import { certificateQuery } from './queries.ts'

const route = getRouteApi('/certificates/$certificateId')

export function CertificatePage() {
  const { certificateId } = route.useParams()
  return (
    <QueryPage title={text.title} query={useQuery(certificateQuery(useViewer(), certificateId))}>
      {(one) => (
        <Page title={one.name} lead={<End at={one.ends_at} />} aside={<Actions one={one} />}>
          <div className="grid gap-4">
            <Facts one={one} />
            {one.source !== 'manual' && <Chain one={one} />}
            {one.source !== 'manual' && <Sightings one={one} />}
          </div>
        </Page>
      )}
    </QueryPage>
  )
}

function End({ at }: { at: string }) {
  const { status, label } = daysLeft(at, useNow())
  return <StatusBadge status={status} label={label} />
}

function Actions({ one }: { one: CertificateDetails }) {
  const { client, can } = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  const [isEditing, setEditing] = useState(false)
  if (one.source !== 'manual' || !can('monitors:update')) return null
  const remove = async () => {
    await client.certificates.remove(one.id)
    toast(messages.done.deleted(one.name))
    await navigate({ to: '/certificates' })
    cache.remove('certificates', one.id)
    await cache.invalidate('certificates', 'list')
  }
  return (
    <>
      <Button onClick={() => setEditing(true)}>{messages.actions.edit}</Button>
      <DeleteButton name={one.name} lead={text.deleteLead} onDelete={remove} />
      {isEditing && <CertificateEditor one={one} onClose={() => setEditing(false)} />}
    </>
  )
}

function Facts({ one }: { one: CertificateDetails }) {
  return (
    <Panel title={text.facts}>
      <dl className="[overflow-wrap:anywhere]">
        {one.revoked_at !== null && (
          <Fact name={text.problem}>
            <span className="text-bad">
              {text.revokedText} <Instant at={one.revoked_at} format={fullDate} />
            </span>
          </Fact>
        )}
        {one.weak !== null && (
          <Fact name={text.problem}>
            <span className="text-bad">{weakText(one.weak)}</span>
          </Fact>
        )}
        {one.name_mismatch && (
          <Fact name={text.problem}>
            <span className="text-bad">{text.mismatchText}</span>
          </Fact>
        )}
        <Fact name={text.valid}>
          {one.not_before !== null && (
            <>
              <Instant at={one.not_before} format={fullDate} /> –{' '}
            </>
          )}
          <Instant at={one.not_after} />
        </Fact>
        {one.source !== 'manual' && <Origin one={one} />}
      </dl>
    </Panel>
  )
}

function Origin({ one }: { one: CertificateDetails }) {
  return (
    <>
      <Fact name={text.issuer}>{one.issuer ?? '–'}</Fact>
      <Fact name={text.subject}>{one.subject ?? '–'}</Fact>
      <Fact name={text.names}>{one.names.join(', ')}</Fact>
      <Fact name={text.key}>{keyText(one)}</Fact>
      <Fact name={text.signature}>{one.signature ?? '–'}</Fact>
      <Fact name={text.sha256}>
        <code className="text-[0.85rem]">{one.sha256 ?? '–'}</code>
      </Fact>
      <Fact name={text.firstSeen}>{one.first_seen_at === null ? '–' : <Ago at={one.first_seen_at} />}</Fact>
      <Fact name={text.lastSeen}>{one.last_seen_at === null ? text.notSeen : <Ago at={one.last_seen_at} />}</Fact>
    </>
  )
}

function Chain({ one: { chain } }: { one: CertificateDetails }) {
  return (
    <Panel title={text.chain} flush>
      <p className="px-4 pb-3 text-muted">{chain.length === 0 ? text.noChain : text.chainLead}</p>
      {chain.length > 0 && (
        <Table
          label={text.chain}
          rows={chain}
          keyOf={({ sha256 }) => sha256}
          columns={[
            { head: text.subject, isText: true, cell: ({ subject }) => subject },
            { head: text.issuer, isText: true, isExtra: true, cell: ({ issuer }) => issuer },
            { head: text.key, isExtra: true, cell: keyText },
            {
              head: text.until,
              isText: true,
              cell: ({ not_after: at }) => (
                <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
                  <Instant at={at} format={fullDate} />
                  <End at={at} />
                </span>
              ),
            },
          ]}
        />
      )}
    </Panel>
  )
}

function Sightings({ one: { seen, seen_total: total } }: { one: CertificateDetails }) {
  return (
    <Panel title={text.seen} flush>
      {seen.length === 0 && <p className="px-4 pb-3 text-muted">{text.notSeen}</p>}
      {seen.length > 0 && (
        <Table
          label={text.seen}
          rows={seen}
          keyOf={({ monitor, region, server, path, entry }) => [monitor?.id, region, server?.id, path, entry].join(' ')}
          columns={[
            {
              head: text.where,
              isText: true,
              cell: (place) => <Place place={place} />,
            },
            {
              head: text.region,
              isText: true,
              cell: ({ region, path, entry }) => region ?? [path, entry].filter(Boolean).join(' · '),
            },
            { head: text.since, isExtra: true, cell: ({ since }) => <Ago at={since} /> },
            { head: text.until, cell: ({ ends_at: at }) => <Instant at={at} format={fullDate} /> },
          ]}
        />
      )}
      {total > seen.length && <p className="px-4 py-3 text-muted">{text.more(total - seen.length)}</p>}
    </Panel>
  )
}

function Place({ place: { monitor, server } }: { place: CertificateSeen }) {
  if (monitor)
    return (
      <Link to="/monitors/$monitorId" params={{ monitorId: monitor.id }} className="hover:underline">
        {monitor.name}
      </Link>
    )
  if (!server) return null
  return (
    <Link to="/servers/$serverId" params={{ serverId: server.id }} className="hover:underline">
      {server.name}
    </Link>
  )
}
