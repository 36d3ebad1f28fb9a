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
import { readDownDays } from './store.ts'

type Uptimes = Awaited<ReturnType<typeof readUptime>>['uptimes']

/** What a page shows of the past, by the surrogates of its monitors. */
export interface PageFigures {
  readAtMs: number
  /** Of which monitors it was read, and of which day. */
  key: string
  uptimes: Uptimes
  /** Seconds of each of these days in which a monitor was down; monitors without a day below 100 % are absent. */
  downSeconds: Map<number, number[]>
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
  return { readAtMs: nowMs, key, uptimes, downSeconds: await readDownSeconds(db, organization, uptimes, nowMs), means, counts }
}

async function readDownSeconds(
  db: Db,
  organization: number,
  uptimes: Uptimes,
  nowMs: number,
): Promise<PageFigures['downSeconds']> {
  const failed = [...uptimes].filter(([, { days }]) => days.some((day) => day !== null && day < 100)).map(([monitor]) => monitor)
  if (failed.length === 0) return new Map()
  const firstDay = Math.floor(nowMs / DAY_MS) - DAYS_SHOWN + 1
  const all = new Map(failed.map((monitor) => [monitor, Array.from({ length: DAYS_SHOWN }, () => 0)]))
  for (const { monitor, day, seconds } of await readDownDays(db, organization, failed, firstDay * DAY_MS, nowMs)) {
    const days = all.get(monitor)
    if (days) days[day - firstDay] = seconds
  }
  return all
}
