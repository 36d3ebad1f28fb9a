import { DAY_MS } from '@vedette/shared'
import {
  type Counts,
  NO_CHECKS,
  readDayCounts,
  readHourlyMeans,
  readPeriodCounts,
  readUptime,
} from '../../../monitoring/checks/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import type { FigurePeriod } from './model.ts'

type Uptimes = Awaited<ReturnType<typeof readUptime>>['uptimes']

/** What a page shows of the past, by the surrogates of its monitors. */
export interface PageFigures {
  readAtMs: number
  /** Of which monitors it was read, and of which day. */
  key: string
  uptimes: Uptimes
  /** Hourly, of the last day; absent where no section shows response times. */
  means: Map<number, (number | null)[]> | undefined
  /** Of the periods of badges. */
  counts: Record<FigurePeriod, Map<number, Counts>>
}

/** Those of the bars: whole UTC days, with today. */
const DAYS_SHOWN = 90

/** They are most of the cost of a page and change slowly, unlike its statuses. */
const KEEP_MS = 60_000

/** Those that are known, where they are less than a minute old, of the same monitors and of today. */
export async function readFigures(
  db: Db,
  organization: number,
  { monitors, withTimes }: { monitors: readonly number[]; withTimes: boolean },
  nowMs: number,
  known: PageFigures | undefined,
): Promise<PageFigures> {
  const key = [Math.floor(nowMs / DAY_MS), withTimes, ...monitors].join(' ')
  if (known?.key === key && nowMs - known.readAtMs < KEEP_MS) return known
  const { uptimes } = await readUptime(db, organization, monitors, nowMs, false)
  const means = withTimes ? (await readHourlyMeans(db, organization, monitors, nowMs)).means : undefined
  const read = (period: '24h' | '7d' | '30d') => readPeriodCounts(db, organization, monitors, period, nowMs)
  const days = withTimes
    ? await readDayCounts(db, organization, monitors, DAYS_SHOWN, nowMs)
    : new Map(uptimes.entries().map(([monitor, uptime]) => [monitor, { ...NO_CHECKS, ...uptime.counts }]))
  const counts = { '24h': await read('24h'), '7d': await read('7d'), '30d': await read('30d'), '90d': days }
  return { readAtMs: nowMs, key, uptimes, means, counts }
}
