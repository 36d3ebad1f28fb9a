import type { ReplayChannel, ReplayPerson, ReplaySetResult } from '@vedette/shared'
import { Panel } from '../../components/page.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { count, duration } from '../../lib/format.ts'
import { personText } from '../../lib/person.ts'
import { replays as text } from '../../messages/replays.ts'
import { channelType, type NamedSet } from './named-sets.ts'

/** The rows of all sets, those of the first set first; each with what the sets have of it. */
function rowsOf<Row>(
  sets: readonly NamedSet[],
  listOf: (result: ReplaySetResult) => readonly Row[],
  keyOf: (row: Row) => string,
) {
  const all = new Map(sets.flatMap(({ result }) => listOf(result).map((row) => [keyOf(row), row] as const)))
  return [...all].map(([key, row]) => ({
    key,
    row,
    ofSets: sets.map(({ result }) => listOf(result).find((each) => keyOf(each) === key)),
  }))
}
type Compared<Row> = ReturnType<typeof rowsOf<Row>>[number]

export function People({ sets }: { sets: readonly NamedSet[] }) {
  const rows = rowsOf(
    sets,
    ({ people }) => people,
    ({ user_id }) => user_id,
  )
  const columns: Column<Compared<ReplayPerson>>[] = [
    { head: text.person, cell: ({ row }) => <PersonCell person={row} /> },
    ...sets.map(
      ({ name }, index): Column<Compared<ReplayPerson>> => ({
        head: name,
        isFigure: true,
        cell: ({ ofSets }) => <PersonFigures person={ofSets[index]} />,
      }),
    ),
  ]
  return (
    <Panel title={text.people} flush>
      {rows.length === 0 ? (
        <p className="border-line border-t px-4 py-3 text-muted">{text.nobody}</p>
      ) : (
        <Table label={text.people} columns={columns} rows={rows} keyOf={({ key }) => key} />
      )}
    </Panel>
  )
}

/** Cut on a phone, where the title has all of it. */
function PersonCell({ person }: { person: ReplayPerson }) {
  const name = personText(person)
  return (
    <span className="block truncate max-sm:max-w-28" title={name}>
      {name}
    </span>
  )
}

function PersonFigures({ person }: { person: ReplayPerson | undefined }) {
  if (!person) return count(0)
  const { notifications, at_night: nights, held, longest_held_seconds: longest } = person
  return (
    <>
      <span className="font-semibold">{count(notifications)}</span>
      {nights > 0 && <span className="block text-[0.88rem] text-muted">{text.nights(count(nights))}</span>}
      {held > 0 && (
        <span className="ml-auto block text-[0.88rem] text-muted max-sm:max-w-20 max-sm:whitespace-normal">
          {text.waits(count(held), duration(longest))}
        </span>
      )}
    </>
  )
}

export function Channels({ sets }: { sets: readonly NamedSet[] }) {
  const rows = rowsOf(
    sets,
    ({ channels }) => channels,
    ({ channel_id }) => channel_id,
  )
  const columns: Column<Compared<ReplayChannel>>[] = [
    {
      head: text.channel,
      isText: true,
      cell: ({ row: { name, type } }) => (
        <>
          {name} <span className="text-muted">{channelType(type)}</span>
        </>
      ),
    },
    ...sets.map(
      ({ name }, index): Column<Compared<ReplayChannel>> => ({
        head: name,
        isFigure: true,
        cell: ({ ofSets }) => <span className="font-semibold">{count(ofSets[index]?.notifications ?? 0)}</span>,
      }),
    ),
  ]
  return (
    <Panel title={text.channels} flush>
      {rows.length === 0 ? (
        <p className="border-line border-t px-4 py-3 text-muted">{text.noChannels}</p>
      ) : (
        <Table label={text.channels} columns={columns} rows={rows} keyOf={({ key }) => key} />
      )}
    </Panel>
  )
}
