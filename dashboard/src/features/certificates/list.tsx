import type { Certificate } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { Page } from '../../components/page.tsx'
import { useListPage } from '../../components/pager.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { Instant, useNow } from '../../components/time.tsx'
import { useViewer } from '../../lib/api.ts'
import { daysLeft } from '../../lib/days-left.ts'
import { fullDate } from '../../lib/time.ts'
import { certificates as text } from '../../messages/certificates.ts'
import { CertificateEditor } from './editor.tsx'
import { endsByChain } from './figures.ts'
import { certificatesQuery, PAGE_LIMIT } from './queries.ts'

const route = getRouteApi('/certificates')

export function CertificateListPage() {
  const viewer = useViewer()
  const { q } = route.useSearch()
  const navigate = route.useNavigate()
  const [isAdding, setAdding] = useState(false)
  return (
    <Page
      title={text.title}
      aside={
        <SearchBox
          value={q ?? ''}
          label={text.search}
          onSearch={(value) => void navigate({ search: value === '' ? {} : { q: value }, replace: true })}
        />
      }
    >
      <ListPanel
        title={text.title}
        lead={text.lead}
        empty={text.empty}
        isFiltered={q !== undefined}
        add={
          viewer.can('monitors:update') && (
            <Button small onClick={() => setAdding(true)}>
              {text.add}
            </Button>
          )
        }
        query={useQuery(certificatesQuery(viewer, useListPage(), q))}
        rowsOf={({ certificates }) => certificates}
        row={(one) => <CertificateRow key={one.id} one={one} />}
        limit={PAGE_LIMIT}
      />
      {isAdding && <CertificateEditor onClose={() => setAdding(false)} />}
    </Page>
  )
}

function CertificateRow({ one }: { one: Certificate }) {
  const { status, label } = daysLeft(one.ends_at, useNow())
  return (
    <li className="relative flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5 hover:bg-hover">
      <span className="w-36 max-sm:w-full">
        <StatusBadge status={status} label={label} />
      </span>
      <div className="min-w-0 flex-1 basis-52">
        <Link
          to="/certificates/$certificateId"
          params={{ certificateId: one.id }}
          className="block cut font-medium row-link hover:text-accent hover:underline"
        >
          {one.name}
        </Link>
        <p className="truncate text-[0.92rem] text-muted">{one.source === 'manual' ? text.manual : (one.issuer ?? '–')}</p>
      </div>
      <div className="w-64 text-[0.92rem] max-sm:w-full">
        <p>
          <Instant at={one.ends_at} format={fullDate} />
          {endsByChain(one) && ` (${text.intermediate})`}
        </p>
        <p className="text-muted">{notesOf(one)}</p>
      </div>
    </li>
  )
}

function notesOf(one: Certificate): string {
  const notes = [
    one.source === 'check' ? text.monitors(one.monitors) : '',
    one.servers > 0 ? text.servers(one.servers) : '',
    one.revoked_at === null ? '' : text.revoked,
    one.weak === null ? '' : text.weak,
    one.name_mismatch ? text.mismatch : '',
    one.changed_at === null ? '' : text.changed(fullDate(Date.parse(one.changed_at))),
  ]
  return notes.filter((note) => note !== '').join(' · ')
}
