import { DAY_MS } from '@vedette/shared'
import { type MaintenanceSpan, mergeSpans } from '../../../alerting/alerts/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import { countTime, type TimeCounts } from '../composites/times.ts'
import { readStatusSpans } from '../composites/times-store.ts'
import { NOTHING_EXCLUDED, readExclusions, type Reclassified } from '../reclassified/exclusions.ts'
import type { CountedGroup, GoodCounts } from './counts.ts'
import type { GroupDay } from './window-counts-store.ts'
import type { Span } from './window-plan.ts'

// An objective of composites counts seconds: those in which they were not down are good. Composites have no response times, so that
// one with a threshold counts nothing.

/** What is out of an objective, by windows and by people; in order. */
async function readQuiet(
  db: Db,
  organization: number,
  composites: readonly number[],
  span: MaintenanceSpan,
  reclassified: readonly Reclassified[],
): Promise<Map<number, MaintenanceSpan[]>> {
  const all = await readExclusions(db, organization, composites, span, reclassified)
  return new Map(
    composites.map((monitor) => {
      const { maintenance, asMaintenance, excluded } = all.get(monitor) ?? NOTHING_EXCLUDED
      return [monitor, mergeSpans([...maintenance, ...asMaintenance, ...excluded])]
    }),
  )
}

const toSeconds = (ms: number): number => Math.round(ms / 1_000)

function goodOf(counts: readonly TimeCounts[]): GoodCounts {
  const total = toSeconds(counts.reduce((sum, { counted }) => sum + counted, 0))
  return { total, good: total - toSeconds(counts.reduce((sum, { down }) => sum + down, 0)) }
}

/** Good seconds of composites outside maintenance, by the windows as they are now. */
export async function countGoodTime(
  db: Db,
  organization: number,
  composites: readonly number[],
  span: MaintenanceSpan,
  thresholdUs: number | undefined,
  reclassified: readonly Reclassified[],
): Promise<GoodCounts> {
  if (thresholdUs !== undefined || span.fromMs >= span.toMs) return { good: 0, total: 0, isTime: true }
  const spans = await readStatusSpans(db, organization, composites, span)
  const excluded = await readQuiet(db, organization, composites, span, reclassified)
  const counts = [...spans].map(([monitor, own]) => countTime(own, span, excluded.get(monitor)))
  return { ...goodOf(counts), isTime: true }
}

/** The same of each UTC day in [from, to), by the index of the group; of groups of composites alone. */
export async function countGoodTimeDays(
  db: Db,
  organization: number,
  groups: readonly CountedGroup[],
  composites: ReadonlySet<number>,
  reclassified: readonly Reclassified[],
  { from, to }: Span,
): Promise<GroupDay[]> {
  const ofTime = groups.flatMap(({ monitors, thresholdUs }, group) =>
    thresholdUs === undefined && monitors.length > 0 && monitors.every((monitor) => composites.has(monitor))
      ? [{ group, monitors }]
      : [],
  )
  if (ofTime.length === 0) return []
  const window = { fromMs: from * DAY_MS, toMs: to * DAY_MS }
  const spans = await readStatusSpans(db, organization, [...composites], window)
  const excluded = await readQuiet(db, organization, [...composites], window, reclassified)
  return ofTime.flatMap(({ group, monitors }) =>
    Array.from({ length: to - from }, (_, index): GroupDay => {
      const day = { fromMs: (from + index) * DAY_MS, toMs: (from + index + 1) * DAY_MS }
      const counts = monitors.map((monitor) => countTime(spans.get(monitor) ?? [], day, excluded.get(monitor)))
      return { group, day: from + index, ...goodOf(counts) }
    }).filter(({ total }) => total > 0),
  )
}
