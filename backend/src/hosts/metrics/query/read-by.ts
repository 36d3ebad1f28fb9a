import { type DimensionKind, DIMENSIONS, type MetricGroup, type ServerMetrics, slotFields } from '@vedette/shared'
import type { Db } from '../../../platform/db/index.ts'
import { invalid } from '../../../platform/errors.ts'
import { readState } from '../../servers/index.ts'
import type { Series, SeriesPoints, Summary } from '../aggregate/index.ts'
import { toDimension } from './answer.ts'
import { readSlots } from '../storage/dimension-store.ts'
import type { StateBuffer } from '../ingest/state-buffer.ts'

/** Throws validation_error unless the requested metrics are exactly the group of `by`. */
export function checkBy(by: DimensionKind | undefined, groups: readonly MetricGroup[]): void {
  if (by === undefined) return
  const { group } = DIMENSIONS[by]
  if (groups.length !== 1 || groups[0] !== group) throw invalid({ path: 'by', message: `${by} requires metrics=${group}` })
}

export interface ByDeps {
  db: Db
  states: StateBuffer
}

/** What was read of each named thing of the server, by name; one that has no value in the period is absent. */
export async function readBy(
  { db, states }: ByDeps,
  server: { organization: number; number: number; id: string },
  by: DimensionKind,
  summary: Summary,
  series: Series | undefined,
): Promise<Pick<ServerMetrics, 'by_mount' | 'by_interface' | 'others'>> {
  const slots = await readSlots(db, server.organization, server.number, by)
  const totals = summary.totals()
  const points: SeriesPoints | undefined = series?.points()
  const dimensions = slots.flatMap(({ slot, name }) => {
    const fields = slotFields(by, slot)
    return fields.some(({ id }) => totals.has(id)) ? [toDimension(by, name, fields, totals, points)] : []
  })
  const known = new Set(slots.map(({ name }) => name))
  const state = await readState(db, server.organization, server.id, states.fresh(server.id))
  const names = by === 'mount' ? state?.filesystems.map(({ mount }) => mount) : state?.interfaces.map(({ name }) => name)
  const others = new Set(names?.filter((name) => !known.has(name))).size
  return { ...(by === 'mount' ? { by_mount: dimensions } : { by_interface: dimensions }), others } as Pick<
    ServerMetrics,
    'others'
  >
}
