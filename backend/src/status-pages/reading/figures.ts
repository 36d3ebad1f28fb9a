import { DAY_MS } from '@vedette/shared'
import { type Counts, readHourlyMeans, readPeriodCounts, readUptime } from '../../checks/index.ts'
import type { Db } from '../../platform/db/index.ts'

type Uptimes = Awaited<ReturnType<typeof readUptime>>['uptimes']

/** What a page shows of the past, by the surrogates of its monitors. */
export interface PageFigures {
  readAtMs: number
  /** Of which monitors it was read, and of which day. */
  key: string
  uptimes: Uptimes
  /** Absent where no section shows response times. */
  times: { means: Map<number, (number | null)[]>; counts: Map<number, Counts> } | undefined
}

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
  const { uptimes } = await readUptime(db, organization, monitors, nowMs)
  if (!withTimes) return { readAtMs: nowMs, key, uptimes, times: undefined }
  const { means } = await readHourlyMeans(db, organization, monitors, nowMs)
  const counts = await readPeriodCounts(db, organization, monitors, '24h', nowMs)
  return { readAtMs: nowMs, key, uptimes, times: { means, counts } }
}
