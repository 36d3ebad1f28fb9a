import { SEVERITIES } from '@vedette/shared/tables'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { X } from '../../components/icons.tsx'
import { AddLink } from '../../components/add-link.tsx'
import { Button, buttonClass } from '../../components/button.tsx'
import { ListSection } from '../../components/list-section.tsx'
import { Page } from '../../components/page.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { TagFilters } from '../../components/tags.tsx'
import { SideBySide } from '../../components/side-by-side.tsx'
import { createPart } from '../../lib/create-part.tsx'
import { useViewer } from '../../lib/api.ts'
import { foldIncidents } from '../../lib/fold-incidents.ts'
import { PERIODS } from '../../lib/range.ts'
import { statusName } from '../../lib/status.ts'
import { alerts } from '../../messages/alerts.ts'
import { messages } from '../../messages/index.ts'
import { incidentListQuery, PAGE_LIMIT } from './queries.ts'
import { IncidentGroupRow } from './row.tsx'
import type { IncidentSearch } from './search.ts'

/** Loaded with the first row that is opened. */
const { Part: IncidentDetail } = createPart(() => import('./details-aside.tsx'))

const text = messages.incidents
const route = getRouteApi('/incidents')

export function IncidentListPage() {
  const search = route.useSearch()
  const viewer = useViewer()
  const navigate = useNavigate()
  const list = useQuery(incidentListQuery(viewer, search))
  const { page: _page, open: _open, status, ...filters } = search
  const isResolved = status === 'resolved'
  const isPart = Object.keys(filters).length > 0
  const { open = 0, acknowledged = 0, resolved = 0 } = list.data?.counts ?? {}
  const hasHad = open + acknowledged + resolved > 0
  const addRule = viewer.can('monitors:update') && <AddLink to="/alerts/rules/add" label={alerts.rules.add} />
  return (
    <Page
      title={text.title}
      aside={
        <Link to="/alerts/{-$section}" className={buttonClass()}>
          {text.rules}
        </Link>
      }
    >
      <Filters search={search} counts={list.data?.counts} targetName={list.data?.incidents[0]?.target.name} />
      <SideBySide
        title={text.title}
        detail={(id) => <IncidentDetail incidentId={id} />}
        onOpen={(id) => void navigate({ to: '/incidents/$incidentId', params: { incidentId: id } })}
      >
        <ListSection
          query={list}
          search={search}
          limit={PAGE_LIMIT}
          rowsOf={({ incidents }) => foldIncidents(incidents)}
          isFiltered={isPart}
          empty={{
            title: isResolved ? text.noneResolved : text.noneOpen,
            lead: text.noneLead,
            add: hasHad ? undefined : addRule,
          }}
          row={(group) => <IncidentGroupRow key={group.incident.id} {...group} />}
        />
      </SideBySide>
    </Page>
  )
}

interface FiltersProps {
  search: IncidentSearch
  counts: Readonly<Record<'open' | 'acknowledged' | 'resolved', number>> | undefined
  targetName: string | undefined
}

function Filters({ search, counts, targetName }: FiltersProps) {
  const navigate = useNavigate({ from: '/incidents' })
  const { status, q = '', severity = '', range = '', tag = [], target } = search
  const set = (change: { [Name in keyof IncidentSearch]: IncidentSearch[Name] | undefined }) => {
    const { page: _page, ...rest } = search
    void navigate({ search: { ...rest, ...change } as IncidentSearch })
  }
  const isFiltered = q !== '' || severity !== '' || range !== '' || tag.length > 0 || target !== undefined
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <Segmented
        label={messages.list.status}
        value={status === 'resolved' ? 'resolved' : ''}
        options={[
          { value: '', label: statusName('open'), count: counts && counts.open + counts.acknowledged },
          { value: 'resolved', label: statusName('resolved'), count: counts?.resolved },
        ]}
        onChoose={(chosen) => set({ status: chosen === '' ? undefined : chosen })}
      />
      <SearchBox value={q} label={text.search} onSearch={(query) => set({ q: query === '' ? undefined : query })} />
      <Choice
        label={text.severity}
        value={severity}
        options={[['', text.anySeverity], ...SEVERITIES.toReversed().map((each) => [each, statusName(each)] as const)]}
        onChoose={(chosen) => set({ severity: SEVERITIES.find((each) => each === chosen) })}
      />
      <Choice
        label={messages.range.label}
        value={range}
        options={[['', text.anyTime], ...PERIODS.map((each) => [each, text.lastTime(each)] as const)]}
        onChoose={(chosen) => set({ range: PERIODS.find((each) => each === chosen) })}
      />
      <TagFilters
        tags={tag}
        onRemove={(gone) => {
          const rest = tag.filter((each) => each !== gone)
          set({ tag: rest.length > 0 ? rest : undefined })
        }}
      />
      {target !== undefined && (
        <Button small variant="quiet" onClick={() => set({ target: undefined })} className="text-accent">
          {text.ofTarget(targetName ?? target)}
          <X size={13} aria-hidden="true" />
        </Button>
      )}
      {isFiltered && (
        <Button variant="quiet" small onClick={() => void navigate({ search: status === undefined ? {} : { status } })}>
          {messages.actions.clear}
        </Button>
      )}
    </div>
  )
}

interface ChoiceProps {
  label: string
  value: string
  options: readonly (readonly [value: string, label: string])[]
  onChoose: (value: string) => void
}

function Choice({ label, value, options, onChoose }: ChoiceProps) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => onChoose(event.target.value)}
      className="field min-h-9 w-auto py-1"
    >
      {options.map(([each, name]) => (
        <option key={each} value={each}>
          {name}
        </option>
      ))}
    </select>
  )
}
