import type { Replay, ReplayNotification } from '@vedette/shared'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/page.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Instant } from '../../components/time.tsx'
import { count } from '../../lib/format.ts'
import { actorText } from '../../lib/person.ts'
import { dayAndClock } from '../../lib/time.ts'
import { messages } from '../../messages/index.ts'
import { replays as text } from '../../messages/replays.ts'
import { channelType, type NamedSet } from './named-sets.ts'

const FEW = 20

interface Row {
  key: string
  notification: ReplayNotification
  /** Of a difference: only the changed set sends it. */
  isNew?: boolean
}

type Names = ReadonlyMap<string, string>

const namesOf = (results: readonly NamedSet['result'][]): Names =>
  new Map(results.flatMap(({ channels }) => channels.map(({ channel_id: id, name }) => [id, name] as const)))

const toRows = (list: readonly ReplayNotification[], isNew?: boolean): Row[] =>
  list.map((notification, index) => ({ key: `${isNew} ${index}`, notification, ...(isNew !== undefined && { isNew }) }))

/** What only one of what is configured and a changed set sends, in order of time. */
export function Differences({ name, replay: { sets, only_in: onlyIn } }: { name: string; replay: Replay }) {
  const [before, after] = onlyIn
  if (!before || !after) return null
  const rows = [...toRows(before.list, false), ...toRows(after.list, true)].toSorted(
    (one, other) => Date.parse(one.notification.at) - Date.parse(other.notification.at),
  )
  return (
    <Panel title={text.differences(name)} flush>
      <p className="px-4 pb-3 text-muted">
        {rows.length === 0 ? text.same : text.changes(count(after.notifications), count(before.notifications))}
      </p>
      {rows.length > 0 && (
        <NotificationTable
          key={rows.length}
          label={text.differences(name)}
          rows={rows}
          names={namesOf(sets)}
          hasMore={before.has_more || after.has_more}
        />
      )}
    </Panel>
  )
}

/** All notifications of the set that is chosen. */
export function SetNotifications({ sets }: { sets: readonly NamedSet[] }) {
  const [chosen, setChosen] = useState(text.current)
  const shown = sets.find(({ name }) => name === chosen) ?? sets[0]
  if (!shown) return null
  const { list, has_more: hasMore } = shown.result
  return (
    <Panel
      title={text.notifications}
      flush
      aside={
        sets.length > 1 && (
          <Segmented
            label={text.notifications}
            value={shown.name}
            options={sets.map(({ name }) => ({ value: name, label: name }))}
            onChoose={setChosen}
          />
        )
      }
    >
      {list.length === 0 ? (
        <p className="border-line border-t px-4 py-3 text-muted">{text.noNotifications}</p>
      ) : (
        <NotificationTable
          key={shown.name}
          label={text.notifications}
          rows={toRows(list)}
          names={namesOf([shown.result])}
          hasMore={hasMore}
        />
      )}
    </Panel>
  )
}

interface TableProps {
  label: string
  rows: readonly Row[]
  names: Names
  hasMore: boolean
}

function NotificationTable({ label, rows, names, hasMore }: TableProps) {
  const [isWhole, setWhole] = useState(false)
  const isDifference = rows.some(({ isNew }) => isNew !== undefined)
  const columns: Column<Row>[] = [
    ...(isDifference ? [{ head: text.difference, cell: ({ isNew }: Row) => <DifferenceBadge isNew={isNew === true} /> }] : []),
    { head: text.time, cell: ({ notification }) => <Time notification={notification} /> },
    {
      head: text.incident,
      cell: ({ notification }) => (
        <span className="block max-sm:max-w-40">
          <TwoLines first={notification.target.name} second={notification.alert_rule_name} />
          <span className="block truncate text-[0.88rem] sm:hidden">{recipientOf(notification, names)}</span>
          <span className="block truncate text-[0.88rem] text-muted sm:hidden">{reasonOf(notification)}</span>
        </span>
      ),
    },
    {
      head: text.recipient,
      isExtra: true,
      cell: ({ notification }) => <TwoLines first={recipientOf(notification, names)} second={channelType(notification.via)} />,
    },
    { head: text.reason, isExtra: true, cell: ({ notification }) => reasonOf(notification) },
  ]
  return (
    <>
      <Table label={label} columns={columns} rows={isWhole ? rows : rows.slice(0, FEW)} keyOf={({ key }) => key} />
      {!isWhole && rows.length > FEW && (
        <div className="border-line border-t px-4 py-2.5">
          <Button small onClick={() => setWhole(true)}>
            {messages.list.showAll(rows.length)}
          </Button>
        </div>
      )}
      {hasMore && (isWhole || rows.length <= FEW) && (
        <p className="border-line border-t px-4 py-2.5 text-muted">{text.first(count(rows.length))}</p>
      )}
    </>
  )
}

const DifferenceBadge = ({ isNew }: { isNew: boolean }) => (
  <StatusBadge status={isNew ? 'in_progress' : 'ended'} label={isNew ? text.added : text.removed} />
)

function TwoLines({ first, second }: { first: string; second: string }) {
  return (
    <>
      <span className="block truncate" title={first}>
        {first}
      </span>
      <span className="block truncate text-[0.88rem] text-muted">{second}</span>
    </>
  )
}

function Time({ notification: { at, at_night: isAtNight, held_until: heldUntil } }: { notification: ReplayNotification }) {
  return (
    <>
      <Instant at={at} format={dayAndClock} />
      {isAtNight && <span className="ml-1.5 text-[0.88rem] text-muted max-sm:ml-0 max-sm:block">{text.atNight}</span>}
      {heldUntil !== null && (
        <span className="block text-[0.88rem] text-muted max-sm:max-w-24 max-sm:whitespace-normal">
          {text.heldUntil(dayAndClock(Date.parse(heldUntil)))}
        </span>
      )}
    </>
  )
}

const recipientOf = ({ channel_id: channel, via, ...person }: ReplayNotification, names: Names): string =>
  actorText(person) ?? names.get(channel ?? '') ?? channelType(via)

function reasonOf({ reason, step }: ReplayNotification): string {
  const name = text.reasons[reason]
  return step === null ? name : text.steps(name, step)
}
