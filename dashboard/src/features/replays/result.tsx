import type { Replay, ReplaySetResult } from '@vedette/shared'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { Notice } from '../../components/notice.tsx'
import { EmptyState, Panel } from '../../components/page.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { count, duration } from '../../lib/format.ts'
import { clock, fullDate } from '../../lib/time.ts'
import { replays as text } from '../../messages/replays.ts'
import { type NamedSet, setNames } from './named-sets.ts'
import { Differences, SetNotifications } from './notifications.tsx'
import { Channels, People } from './recipients.tsx'

interface Props {
  replays: readonly Replay[]
  isOld: boolean
}

export function Result({ replays, isOld }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [replays])
  const [first] = replays
  if (!first?.sets[0]) return null
  const changed = replays.flatMap(({ sets }) => sets[1] ?? [])
  const names = setNames(changed)
  const sets: NamedSet[] = [
    { name: text.current, result: first.sets[0] },
    ...changed.map((result, index) => ({ name: names[index] ?? '', result })),
  ]
  const instant = (at: string) => `${fullDate(Date.parse(at))} ${clock(Date.parse(at))}`
  return (
    <>
      <div>
        <h2 ref={heading} tabIndex={-1} className="text-[1.2rem] outline-none">
          {text.result}
        </h2>
        <p className="text-muted">{text.covers(instant(first.from), instant(first.to))}</p>
        {isOld && <p className="text-warn">{text.outdated}</p>}
      </div>
      {sets.map(({ name, result }) => (
        <NotReplayed key={name} name={name} result={result} />
      ))}
      {sets.every(({ result }) => result.incidents === 0) ? (
        <section className="panel">
          <EmptyState title={text.none}>
            <p className="max-w-lg text-soft">{text.noneLead}</p>
          </EmptyState>
        </section>
      ) : (
        <>
          <Totals sets={sets} />
          <People sets={sets} />
          <Channels sets={sets} />
          {replays.map((replay, index) => (
            <Differences key={names[index] ?? ''} name={names[index] ?? ''} replay={replay} />
          ))}
          <SetNotifications sets={sets} />
        </>
      )}
    </>
  )
}

function NotReplayed({ name, result: { not_replayed: limits } }: NamedSet) {
  if (limits.length === 0) return null
  return (
    <Notice status="degraded" title={text.notReplayed(name)}>
      <ul>
        {limits.map(({ alert_rule_id: id, alert_rule_name: rule, reason }, index) => (
          <li key={id ?? `${index} ${rule}`}>
            {id === null ? (
              <b>{rule}</b>
            ) : (
              <Link to="/alerts/rules/$ruleId" params={{ ruleId: id }} className="font-semibold underline">
                {rule}
              </Link>
            )}
            : {reason}
          </li>
        ))}
      </ul>
    </Notice>
  )
}

type Figure = keyof typeof text.figures
const FIGURES = Object.keys(text.figures) as Figure[]
/** Shown only where a set has some. */
const RARE: ReadonlySet<Figure> = new Set([
  'suppressed_by_dependency',
  'suppressed_by_maintenance',
  'held',
  'longest_held_seconds',
  'to_owners',
])

const figureOf = (result: ReplaySetResult, figure: Figure): number =>
  figure === 'woken' ? result.people.filter(({ at_night: nights }) => nights > 0).length : result[figure]

const signed = (difference: number): string => (difference > 0 ? `+${count(difference)}` : `−${count(-difference)}`)

function Totals({ sets }: { sets: readonly NamedSet[] }) {
  const shown = FIGURES.filter((figure) => !RARE.has(figure) || sets.some(({ result }) => figureOf(result, figure) > 0))
  const [current] = sets
  const columns: Column<Figure>[] = [
    { head: text.figure, isText: true, cell: (figure) => text.figures[figure] },
    ...sets.map(
      ({ name, result }): Column<Figure> => ({
        head: name,
        isFigure: true,
        cell: (figure) => {
          const value = figureOf(result, figure)
          const difference = current ? value - figureOf(current.result, figure) : 0
          if (figure === 'longest_held_seconds') return value === 0 ? '–' : duration(value)
          return (
            <>
              {difference !== 0 && <span className="text-[0.88rem] text-muted">{signed(difference)} </span>}
              <span className="font-semibold">{count(value)}</span>
            </>
          )
        },
      }),
    ),
  ]
  return (
    <Panel title={text.totals} flush>
      <Table label={text.totals} columns={columns} rows={shown} keyOf={(figure) => figure} />
      <p className="border-line border-t px-4 py-2.5 text-[0.92rem] text-muted">{text.night}</p>
    </Panel>
  )
}
