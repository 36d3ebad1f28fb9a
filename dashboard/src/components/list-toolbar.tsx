import { Tags } from './icons.tsx'
import { isFiltered, type ListSearch, withChange } from '../lib/list-search.ts'
import { statusName } from '../lib/status.ts'
import { messages } from '../messages/index.ts'
import { Button } from './button.tsx'
import { SearchBox } from './search-box.tsx'
import { Segmented } from './segmented.tsx'
import { SavedViews } from './saved-views.tsx'
import { TagFilters } from './tags.tsx'

interface Props {
  search: ListSearch
  onChange: (search: ListSearch) => void
  list: 'monitors' | 'servers'
  label: string
  /** The worst first. */
  statuses: readonly string[]
  /** How many items there are of each status. */
  counts: Readonly<Record<string, number>> | undefined
  sorts: Readonly<Record<string, string>>
}

const sumOf = (counts: Readonly<Record<string, number>>): number => Object.values(counts).reduce((sum, each) => sum + each, 0)

/** Search, status, tags and order of a list; all of it is in the URL. */
export function ListToolbar({ search, onChange, list, label, statuses, counts, sorts }: Props) {
  const { q = '', status = '', tag = [], sort = '', group } = search
  const set = (change: Parameters<typeof withChange>[1]) => onChange(withChange(search, change))
  const orNone = (value: string) => (value === '' ? undefined : value)
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <SearchBox value={q} label={label} onSearch={(query) => set({ q: orNone(query) })} />
      <Segmented
        label={messages.list.status}
        value={status}
        options={[
          { value: '', label: messages.list.all, count: counts && sumOf(counts) },
          ...statuses.map((value) => ({ value, label: statusName(value), count: counts?.[value] })),
        ]}
        onChoose={(value) => set({ status: orNone(value) })}
      />
      <label className="flex min-w-0 max-w-full items-center gap-2">
        <span className="sr-only">{messages.list.sort}</span>
        <select
          value={sort}
          onChange={(event) => set({ sort: orNone(event.target.value) })}
          className="field min-h-9 w-auto min-w-0 py-1"
        >
          {Object.entries({ ...sorts, ...(sort in sorts ? {} : { [sort]: sort }) }).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <Button
        small
        aria-pressed={group !== undefined}
        variant={group === undefined ? 'plain' : 'primary'}
        disabled={q !== ''}
        onClick={() => set({ group: group === undefined ? 'tag' : undefined })}
      >
        <Tags size={14} aria-hidden="true" />
        {messages.list.groupByTag}
      </Button>
      <SavedViews list={list} />
      <TagFilters
        tags={tag}
        onRemove={(gone) => {
          const rest = tag.filter((each) => each !== gone)
          set({ tag: rest.length > 0 ? rest : undefined })
        }}
      />
      {isFiltered(search) && (
        <Button variant="quiet" small onClick={() => onChange(sort === '' ? {} : { sort })}>
          {messages.actions.clear}
        </Button>
      )}
    </div>
  )
}
