import type { ChangeSetItem } from '@vedette/shared'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { ChoiceFilter, DayFilter } from '../../components/filters.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { Panel, SkeletonRows } from '../../components/page.tsx'
import { useViewer } from '../../lib/api.ts'
import { startOfDay } from '../../lib/start-of-day.ts'
import { changes } from '../../messages/changes.ts'
import { DriftPanel } from './drift.tsx'
import { MadeBy, StateBadge } from './origin.tsx'

const text = changes
const route = getRouteApi('/changes')
const PAGE_LIMIT = 50
/** The most that one answer of the API has: their owners can be chosen. */
const RECENT = 100

/** The filters in the address. `from`: a day in the zone of the viewer. A state that is none is no filter. */
function useFilters() {
  const { page = 1, state: typed, ...filters } = route.useSearch()
  const state = Object.keys(text.states).find((each) => each === typed) as ChangeSetItem['state'] | undefined
  return { page, ...(state !== undefined && { state }), ...filters }
}

/** All owners of the newest change sets, and the chosen one. */
function useOwners(chosen: string | undefined) {
  const { client, organizationId } = useViewer()
  const { data, isPending } = useQuery({
    queryKey: [organizationId, 'changes', 'recent'],
    queryFn: ({ signal }) => client.changeSets.list({ limit: RECENT }, { signal }),
  })
  const found = [chosen, ...(data?.change_sets ?? []).map(({ owner }) => owner)].filter((owner) => typeof owner === 'string')
  return { owners: [...new Set(found)].toSorted(), isPending }
}

/** The change sets of the organization; above them what has drifted, of the chosen owner or the only one. */
export function ChangeList() {
  const { client, organizationId } = useViewer()
  const { page, ...filters } = useFilters()
  const { from, ...exact } = filters
  const start = startOfDay(from)
  const query = { ...exact, ...(start !== undefined && { from: start }) }
  const list = useQuery({
    queryKey: [organizationId, 'changes', 'list', page, query],
    queryFn: ({ signal }) => client.changeSets.list({ page, limit: PAGE_LIMIT, ...query }, { signal }),
    placeholderData: keepPreviousData,
  })
  const { owners, isPending } = useOwners(filters.owner)
  const owner = filters.resource === undefined ? (filters.owner ?? (owners.length === 1 ? owners[0] : undefined)) : undefined
  const drift = useQuery({
    queryKey: [organizationId, 'changes', 'drift', owner],
    enabled: owner !== undefined,
    queryFn: ({ signal }) => client.configuration.drift({ owner: owner ?? '' }, { signal }),
  })
  return (
    <>
      <Filters filters={filters} owners={owners} />
      {/* What stands above the list would move it. */}
      {isPending || drift.isLoading ? (
        <Panel title={text.title} flush>
          <SkeletonRows rows={4} />
        </Panel>
      ) : (
        <>
          {owner !== undefined && <DriftPanel owner={owner} query={drift} />}
          <ListPanel
            title={text.title}
            lead={text.lead}
            empty={text.empty}
            isFiltered={Object.keys(filters).length > 0}
            query={list}
            rowsOf={({ change_sets: sets }) => sets}
            row={(set) => <Row key={set.id} set={set} />}
            limit={PAGE_LIMIT}
          />
        </>
      )}
    </>
  )
}

type FilterValues = Omit<ReturnType<typeof useFilters>, 'page'>

function Filters({ filters, owners }: { filters: FilterValues; owners: readonly string[] }) {
  const navigate = useNavigate({ from: '/changes' })
  // Without the page: it belongs to another list.
  const set = (change: Partial<Record<keyof FilterValues, string>>) => {
    const all = Object.entries({ ...filters, ...change }).filter(([, value]) => value !== '')
    void navigate({ search: Object.fromEntries(all) })
  }
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <ChoiceFilter
        label={text.owner}
        all={text.allOwners}
        value={filters.owner}
        options={Object.fromEntries(owners.map((owner) => [owner, owner]))}
        onChange={(owner) => set({ owner })}
      />
      <ChoiceFilter
        label={text.state}
        all={text.allStates}
        value={filters.state}
        options={text.states}
        onChange={(state) => set({ state })}
      />
      <DayFilter label={text.from} value={filters.from} onChange={(from) => set({ from })} />
      {filters.resource !== undefined && (
        <p className="flex flex-wrap items-center gap-x-3 gap-y-2">
          {text.ofOne}
          <Button small onClick={() => set({ resource: '' })}>
            {text.showAll}
          </Button>
        </p>
      )}
    </div>
  )
}

function Row({ set }: { set: ChangeSetItem }) {
  const { create, update, delete: deleted, refused } = set.summary
  const steps = create + update + deleted + refused
  const more = set.says.length === 0 ? 0 : steps - set.says.length
  // Of what not everybody may read, the list has no sentence.
  const [first = steps === 0 ? text.nothing : `${text.one.steps}: ${steps}`, ...others] = set.says
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-1.5 px-4 py-2.5">
      <div className="min-w-0 flex-1 basis-72">
        <Link
          to="/changes/$changeId"
          params={{ changeId: set.id }}
          className="font-medium [overflow-wrap:anywhere] hover:text-accent hover:underline"
        >
          {first}
        </Link>
        {others.map((sentence, index) => (
          <p key={`${index} ${sentence}`} className="[overflow-wrap:anywhere]">
            {sentence}
          </p>
        ))}
        {more > 0 && <p className="text-muted">{text.more(String(more))}</p>}
        <p className="text-[0.92rem] text-muted">
          <MadeBy set={set} />
        </p>
      </div>
      <StateBadge state={set.state} />
    </li>
  )
}
