import { INCIDENT_STATUSES } from '@vedette/shared/tables'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { buttonClass } from '../../components/button.tsx'
import { ListSection } from '../../components/list-section.tsx'
import { Page } from '../../components/page.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { useViewer } from '../../lib/api.ts'
import { statusName } from '../../lib/status.ts'
import { messages } from '../../messages/index.ts'
import { incidentListQuery, PAGE_LIMIT } from './queries.ts'
import { IncidentRow } from './row.tsx'

const text = messages.incidents
const route = getRouteApi('/incidents')

export function IncidentListPage() {
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/incidents' })
  const list = useQuery(incidentListQuery(useViewer(), search))
  return (
    <Page
      title={text.title}
      aside={
        <Link to="/alerts/{-$section}" className={buttonClass()}>
          {text.rules}
        </Link>
      }
    >
      <div className="mb-3 flex">
        <Segmented
          label={messages.list.status}
          value={search.status ?? ''}
          options={[
            { value: '', label: messages.list.all },
            ...INCIDENT_STATUSES.map((value) => ({ value: value as string, label: statusName(value) })),
          ]}
          onChoose={(status) => void navigate({ search: status === '' ? {} : { status } })}
        />
      </div>
      <ListSection
        query={list}
        search={search}
        limit={PAGE_LIMIT}
        rowsOf={({ incidents }) => incidents}
        empty={{ title: text.none, lead: text.noneLead }}
        row={(incident) => <IncidentRow key={incident.id} incident={incident} />}
      />
    </Page>
  )
}
