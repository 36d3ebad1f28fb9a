import { ALL_FIELDS, type DimensionKind, METRIC_FIELDS, slotFields } from '@vedette/shared'
import type { FieldQuestion, SlotRow } from '../../../hosts/metrics/index.ts'
import { HOST_FAMILIES, HOST_FIGURES, slotFigure } from './families.ts'
import type { Family } from './format.ts'
import type { HostRow } from './store.ts'

export const LABEL_OF: Readonly<Record<DimensionKind, string>> = { mount: 'mountpoint', interface: 'device' }

type FieldGroup = FieldQuestion['groups'][number]

/** How the values of a series come about from fields. */
export interface Figure {
  group: FieldGroup
  fieldIds: readonly number[]
  valueOf(value: number, atMs: number, other: number): number
}

/** Of each host once: name, labels, and where the values come from. */
export interface HostFigure {
  family: Family
  more: Readonly<Record<string, string>>
  figure: Figure
}

export const same = (value: number): number => value
const fieldFigure = (group: FieldGroup, id: number, factor = 1): Figure => ({
  group,
  fieldIds: [id],
  valueOf: factor === 1 ? same : (value) => value * factor,
})

const { memory, cpu } = METRIC_FIELDS
const rest = (family: Family, total: { id: number }, used: { id: number }): HostFigure => ({
  family,
  more: {},
  figure: { group: 'memory', fieldIds: [total.id, used.id], valueOf: (all, _atMs, some) => all - some },
})
/** What is known of a host while there are samples of it. */
const always = (family: Family, valueOf: Figure['valueOf']): HostFigure => ({
  family,
  more: {},
  figure: { group: 'cpu', fieldIds: [cpu.percent.id], valueOf },
})

export const OF_SAMPLES: readonly HostFigure[] = [
  ...ALL_FIELDS.flatMap(({ id, group }) => {
    const published = HOST_FIGURES.get(id)
    if (!published) return []
    return [{ family: published.family, more: { ...published.labels }, figure: fieldFigure(group, id, published.factor) }]
  }),
  rest(HOST_FAMILIES.available, memory.total_bytes, memory.used_bytes),
  rest(HOST_FAMILIES.swapFree, memory.swap_total_bytes, memory.swap_used_bytes),
  always(HOST_FAMILIES.sampledAt, (_value, atMs) => atMs / 1_000),
]

export const OF_SLOTS = (['mount', 'interface'] as const).flatMap((kind) =>
  slotFields(kind, 0).flatMap(({ name }) => {
    const published = slotFigure(kind, name)
    return published ? [{ kind, name, published }] : []
  }),
)

/** All that samples of a host say, with its filesystems and interfaces. */
export type FiguresOf = (host: HostRow, slots: readonly SlotRow[]) => HostFigure[]

/** Those of some families alone: hosts may be many, and what is the same of all of them is chosen once. */
export function figuresOfFamilies(isWanted: (family: Family) => boolean): FiguresOf {
  const isOfWanted = ({ family }: HostFigure) => isWanted(family)
  const ofSamples = OF_SAMPLES.filter(isOfWanted)
  const ofSlots = OF_SLOTS.filter(({ published }) => isWanted(published.family))
  const hasDescribed = [HOST_FAMILIES.info, HOST_FAMILIES.bootTime].some(isWanted)
  return (host, slots) => [
    ...ofSamples,
    ...(hasDescribed ? described(host).filter(isOfWanted) : []),
    ...slots.flatMap((slot) =>
      ofSlots.flatMap(({ kind, name, published: { family, factor } }) => {
        const id = kind === slot.kind ? slotFields(kind, slot.slot).find((stored) => stored.name === name)?.id : undefined
        if (id === undefined) return []
        return [{ family, more: { [LABEL_OF[kind]]: slot.name }, figure: fieldFigure(kind, id, factor) }]
      }),
    ),
  ]
}

export const figuresOf: FiguresOf = figuresOfFamilies(() => true)

/** What does not change with samples. */
function described({ os, kernel, arch, agent_version, tags, boot_time: bootTime }: HostRow): HostFigure[] {
  const info = { os, kernel, arch, agent_version, tags: tags.length === 0 ? '' : `,${tags.join(',')},` }
  const bootMs = Date.parse(bootTime ?? '')
  return [
    { ...always(HOST_FAMILIES.info, () => 1), more: info },
    ...(Number.isNaN(bootMs) ? [] : [always(HOST_FAMILIES.bootTime, () => bootMs / 1_000)]),
  ]
}
