import type { Certificate, ServerDetails } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Panel } from '../../components/page.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { useNow } from '../../components/time.tsx'
import { useViewer } from '../../lib/api.ts'
import { daysLeft } from '../../lib/days-left.ts'
import { certificates as text } from '../../messages/certificates.ts'
import { serverCertificatesQuery } from './queries.ts'

/** What the files of a server have, and which cannot be read. Nothing where its agent reports none. */
export default function Certificates({ server: { id, unreadable_certificates: unreadable } }: { server: ServerDetails }) {
  const { data } = useQuery(serverCertificatesQuery(useViewer(), id))
  const certificates = data?.certificates ?? []
  if (certificates.length === 0 && unreadable.length === 0) return null
  const hidden = (data?.total ?? 0) - certificates.length
  return (
    <Panel title={text.ofServer}>
      <ul className="grid gap-2">
        {certificates.map((one) => (
          <Row key={one.id} one={one} />
        ))}
      </ul>
      {hidden > 0 && <p className="pt-2 text-muted">{text.more(hidden)}</p>}
      {unreadable.length > 0 && (
        <>
          <h3 className="pt-3 pb-1 font-medium">{text.unreadable}</h3>
          <ul className="grid gap-1 text-[0.92rem] [overflow-wrap:anywhere]">
            {unreadable.map(({ path, reason }) => (
              <li key={path}>
                <code>{path}</code>: {reason}
              </li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  )
}

function Row({ one }: { one: Certificate }) {
  const { status, label } = daysLeft(one.ends_at, useNow())
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
      <Link
        to="/certificates/$certificateId"
        params={{ certificateId: one.id }}
        className="min-w-0 [overflow-wrap:anywhere] hover:underline"
      >
        {one.name}
      </Link>
      <StatusBadge status={status} label={label} />
    </li>
  )
}
