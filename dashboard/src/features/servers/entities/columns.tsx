import type { Entity } from '@vedette/shared'
import { ENTITY_KINDS, type EntityKindName } from '@vedette/shared/tables'
import type { ReactNode } from 'react'
import { StatusBadge } from '../../../components/status.tsx'
import type { Column } from '../../../components/table.tsx'
import { Ago } from '../../../components/time.tsx'
import { attributeName, fieldName, fieldsOf, formatOf } from '../../../lib/entity-texts.ts'
import { bytes, count, orDash, percent, rate } from '../../../lib/format.ts'
import { entities as text } from '../../../messages/entities.ts'
import { temperatureTone } from './charts.ts'

/** The attributes in the table of a kind; the others are shown with the entity. */
const ATTRIBUTES: Partial<Record<EntityKindName, readonly string[]>> = {
  unit: ['state', 'last_result'],
  sensor: ['chip'],
  disk: ['model', 'state'],
  array: ['level', 'state', 'action'],
  battery: ['model', 'state'],
  gpu: ['model'],
  metric: ['type'],
}

/** The columns of a kind by its description: name, attributes and the fields that one of the rows has. */
export function columnsOf(kind: EntityKindName, rows: readonly Entity[], name: (entity: Entity) => ReactNode): Column<Entity>[] {
  const first: Column<Entity> = { head: text.name, cell: name, sort: 'name', isText: true }
  if (kind === 'container') return [first, ...CONTAINER_COLUMNS]
  const attributes = (ATTRIBUTES[kind] ?? [])
    .filter((attribute) => rows.some((row) => row.attributes[attribute] !== undefined))
    .map(
      (attribute): Column<Entity> => ({
        head: attributeName(attribute),
        cell: ({ attributes: own }) => own[attribute] ?? '–',
        sort: attribute,
      }),
    )
  const fields = fieldsOf(kind)
    .filter(([field]) => rows.some(({ values }) => typeof values[field] === 'number'))
    .map(
      ([field, { unit }]): Column<Entity> => ({
        head: fieldName(field),
        cell: ({ values }) => <span className={temperatureTone(field, values)}>{formatOf(unit)(values[field])}</span>,
        isFigure: true,
        sort: field,
      }),
    )
  return [first, ...attributes, ...fields]
}

const CONTAINER_COLUMNS: readonly Column<Entity>[] = [
  { head: attributeName('image'), cell: (row) => <Image entity={row} />, sort: 'image', isExtra: true },
  { head: attributeName('state'), cell: (row) => <State entity={row} />, sort: 'state' },
  { head: fieldName('cpu_percent'), cell: ({ values }) => percent(values['cpu_percent']), isFigure: true, sort: 'cpu_percent' },
  {
    head: fieldName('memory_bytes'),
    cell: ({ values: { memory_bytes, memory_percent } }) => (
      <>
        {orDash(memory_bytes, bytes)} <span className="text-muted">{percent(memory_percent)}</span>
      </>
    ),
    isFigure: true,
    sort: 'memory_bytes',
  },
  {
    head: text.columns.network,
    cell: ({ values }) => `${rate(values['network_rx_bytes_per_sec'])} · ${rate(values['network_tx_bytes_per_sec'])}`,
    isFigure: true,
    sort: 'network_rx_bytes_per_sec',
  },
  {
    head: text.columns.io,
    cell: ({ values }) => `${rate(values['read_bytes_per_sec'])} · ${rate(values['write_bytes_per_sec'])}`,
    isFigure: true,
    sort: 'write_bytes_per_sec',
  },
  { head: fieldName('restarts'), cell: ({ values }) => count(values['restarts']), isFigure: true, sort: 'restarts' },
  {
    head: attributeName('started_at'),
    cell: ({ attributes }) => <TextOrTime value={attributes['started_at']} />,
    sort: 'started_at',
  },
]

function Image({ entity: { attributes, values } }: { entity: Entity }) {
  return (
    <span className="flex flex-wrap items-center gap-x-1.5 max-sm:justify-end">
      <span title={attributes['image']} className="sm:max-w-56 sm:truncate">
        {attributes['image'] ?? '–'}
      </span>
      {values['update_available'] === 1 && (
        <span className="rounded-md bg-warn-ground px-1.5 text-[0.82rem] text-warn">{fieldName('update_available')}</span>
      )}
    </span>
  )
}

const STATES: Readonly<Record<string, string>> = {
  running: 'up',
  active: 'up',
  restarting: 'degraded',
  dead: 'down',
  failed: 'down',
}

/** The state as its engine names it, with the health; nothing for what has none. */
export function State({ entity: { attributes, values, present, sampled_at } }: { entity: Entity }) {
  const { state, health } = attributes
  if (!present && sampled_at === null) return <StatusBadge status="paused" label={text.gone} />
  if (state === undefined) return null
  const isFailed =
    values['failed'] === 1 || values['healthy'] === 0 || (values['running'] === 0 && (values['exit_code'] ?? 0) !== 0)
  const shown = health !== undefined && health !== 'none' && state === 'running' ? `${state} · ${health}` : state
  return <StatusBadge status={isFailed ? 'down' : (STATES[state] ?? 'paused')} label={shown} />
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T/

/** How long ago an instant was; any other text as it is. */
export function TextOrTime({ value }: { value: string | undefined }) {
  if (value === undefined) return '–'
  return INSTANT.test(value) && !Number.isNaN(Date.parse(value)) ? <Ago at={value} /> : value
}

/** The attributes and figures of an entity by their names, in the order of its kind. */
export function factsOf({ kind, attributes, values }: Entity): [name: string, value: ReactNode][] {
  const texts: readonly string[] = ENTITY_KINDS[kind].attributes
  return [
    ...texts.flatMap((name): [string, ReactNode][] =>
      attributes[name] === undefined ? [] : [[attributeName(name), <TextOrTime key={name} value={attributes[name]} />]],
    ),
    ...fieldsOf(kind).flatMap(([name, { unit }]): [string, ReactNode][] =>
      typeof values[name] === 'number' ? [[fieldName(name), formatOf(unit)(values[name])]] : [],
    ),
  ]
}
