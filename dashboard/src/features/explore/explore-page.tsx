import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button, buttonClass } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { Link2, Play, Plus } from '../../components/icons.tsx'
import { Page } from '../../components/page.tsx'
import { RangePicker } from '../../components/range-picker.tsx'
import { useViewer } from '../../lib/api.ts'
import { rangeOf } from '../../lib/range.ts'
import { explore } from '../../messages/explore.ts'
import { messages } from '../../messages/index.ts'
import { Examples } from './example-list.tsx'
import { answersKey, instantAnswerQuery } from './queries.ts'
import { QueryField } from './query-field.tsx'
import { faultOf } from './result.ts'
import { Results } from './results.tsx'
import { type ExploreSearch, exploreSearch, MOST_CHARACTERS, ruleLink } from './search.ts'

const text = explore
const route = getRouteApi('/explore')

/** Queries with PromQL. The query and the range are in the URL. */
export function ExplorePage() {
  const search = exploreSearch({ ...route.useSearch() })
  const { query } = search
  const navigate = useNavigate()
  const show = (change: { [Name in keyof ExploreSearch]?: ExploreSearch[Name] | undefined }) =>
    // Undefined values are left out of the URL.
    void navigate({ to: '/explore', search: { ...search, ...change } as ExploreSearch, resetScroll: false })
  const withRange = (range: ExploreSearch) => show({ range: undefined, from: undefined, to: undefined, ...range })
  const run = (wanted: string) => show({ query: wanted.trim() === '' ? undefined : wanted.trim(), sort: undefined })
  const range = rangeOf(search, '1h')
  return (
    <Page title={messages.nav.explore} lead={text.lead} aside={query === undefined ? undefined : <Actions query={query} />}>
      <div className="grid gap-3">
        <QueryForm search={search} onRun={run} />
        <RangePicker range={range} onChange={withRange} onReset={() => withRange({})} />
        {query === undefined ? (
          <Examples onChoose={run} />
        ) : (
          <Results
            query={query}
            range={range}
            sort={search.sort}
            onSort={(sort) => show({ sort })}
            onZoom={(from, to) => withRange({ from, to })}
            onReset={() => withRange({})}
            onChoose={run}
          />
        )}
      </div>
    </Page>
  )
}

function Actions({ query }: { query: string }) {
  const { can } = useViewer()
  return (
    <>
      <CopyButton value={() => location.href} label={text.link} Icon={Link2} />
      {can('monitors:update') && (
        <Link {...ruleLink(query)} className={buttonClass()}>
          <Plus size={16} aria-hidden="true" />
          {text.rule}
        </Link>
      )}
    </>
  )
}

/** What is typed until it is run. */
function QueryForm({ search, onRun }: { search: ExploreSearch; onRun: (query: string) => void }) {
  const { query = '' } = search
  const viewer = useViewer()
  const queries = useQueryClient()
  const [typed, setTyped] = useState(query)
  const [shown, setShown] = useState(query)
  // The address has another query: by the back button, or an example.
  if (shown !== query) {
    setShown(query)
    setTyped(query)
  }
  const { data: answer } = useQuery({ ...instantAnswerQuery(viewer, query, rangeOf(search, '1h')), enabled: query !== '' })
  const isChanged = typed.trim() !== query
  const fault = answer?.fault === undefined || isChanged ? undefined : faultOf(answer.fault, query)
  const tooLong = typed.length > MOST_CHARACTERS ? text.tooLong(MOST_CHARACTERS, typed.length) : undefined
  const stop = () => queries.cancelQueries({ queryKey: answersKey(viewer) })
  const run = () => {
    if (tooLong !== undefined) return
    if (isChanged) onRun(typed)
    else void queries.invalidateQueries({ queryKey: answersKey(viewer) })
  }
  return (
    <form
      className="flex flex-wrap items-start gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        run()
      }}
    >
      <div className="min-w-0 flex-1 basis-80">
        <QueryField
          value={typed}
          onChange={(next) => {
            setTyped(next)
            void stop()
          }}
          onRun={run}
          error={tooLong ?? (fault && (fault.at ? text.at(fault.at.line, fault.at.column, fault.message) : fault.message))}
        />
        {fault?.at && (
          <p aria-hidden="true" className="mt-1 font-mono text-[0.9rem] text-soft [overflow-wrap:anywhere]">
            {fault.at.before}
            <mark className="rounded-sm bg-bad-ground text-bad underline decoration-wavy">{fault.at.rest || ' '}</mark>
          </p>
        )}
      </div>
      <Button type="submit" variant="primary" className="sm:mt-[1.6rem]">
        <Play size={15} aria-hidden="true" />
        {text.run}
      </Button>
    </form>
  )
}
