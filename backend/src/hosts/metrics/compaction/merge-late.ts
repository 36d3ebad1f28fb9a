import { type Db, inTransaction, vacuum } from '../../../platform/db/index.ts'
import { yieldToEventLoop } from '../../../platform/concurrency/yield-to-event-loop.ts'
import { ALL_STORED } from '@vedette/shared/metrics/block'
import { mergeSamples, type StoredPiece } from '../aggregate/index.ts'
import { toDay } from '../storage/day.ts'
import { readHoursOfDay } from '../storage/day-samples.ts'
import { readDaySamples, upsertDays } from '../storage/day-store.ts'
import { pieceOf, toHour, toPiece } from '../storage/hour.ts'
import { deleteHoursOf, upsertHours, readHourRows } from '../storage/hour-store.ts'
import type { ServerKey } from '../storage/keys.ts'
import { deleteLateMarks, type LateDay, listLateDays } from '../storage/late-store.ts'
import { partitionsOfDay } from '../storage/partitions.ts'
import { claimServers, readProgress } from '../storage/progress-store.ts'
import { readPushesOf } from '../storage/push-store.ts'
import { HOUR_MS } from '../storage/schedule.ts'

const DAYS_AT_ONCE = 500
/** Late samples that never settle are taken in after this time. */
const LATEST_MS = 30 * 60_000

/**
 * Takes the late samples of compacted hours in, those of one server and day at once: a day is written once, not for each of its hours.
 * With `settlesMs` those that got some more recently wait. Returns the number of hours.
 */
export async function mergeLate(db: Db, nowMs: number, settlesMs: number): Promise<number> {
  let merged = 0
  const written = new Set<number>()
  let after: LateDay | undefined
  for (;;) {
    const settled = { beforeMs: nowMs - settlesMs, latestMs: nowMs - Math.max(settlesMs, LATEST_MS) }
    const found = await listLateDays(db, await readProgress(db), settled, after, DAYS_AT_ONCE)
    for (const late of found) {
      const hours = await mergeDay(db, late)
      merged += hours
      if (hours > 0) written.add(late.day)
      await yieldToEventLoop()
    }
    after = found.at(-1)
    if (found.length < DAYS_AT_ONCE) break
  }
  // A row that was replaced leaves its room to the next one; nothing else is written to the partitions of old days.
  for (const day of written) await vacuum(db, partitionsOfDay(day))
  return merged
}

/** What is stored goes before what came late: no answer changes. Returns the number of hours that took samples in. */
async function mergeDay(db: Db, late: LateDay): Promise<number> {
  const { organization, server, day } = late
  const key = { organization, server }
  return inTransaction(db, async (transaction) => {
    const [claimed] = await claimServers(transaction, [key])
    const progress = await readProgress(transaction)
    // A day of which all hours are done is about to be written from them.
    if (!claimed || (progress.day < day && progress.hour >= day * 24 + 23)) return 0
    const hours = await deleteLateMarks(transaction, late, progress.hour)
    if (hours.length === 0) return 0
    if (day > progress.day) await mergeHours(transaction, key, hours)
    else await rebuildDay(transaction, key, day, hours)
    return hours.length
  })
}

async function mergeHours(db: Db, key: ServerKey, hours: readonly number[]): Promise<void> {
  const pushes = await readPushesOf(db, key, hours)
  for (const hour of hours) {
    const stored = await readHourRows(db, [key], { from: hour, to: hour + 1 })
    const pieces = [...stored.map((row) => toPiece(row, ALL_STORED)), ...pushes.filter(({ t0Ms }) => hourOf(t0Ms) === hour)]
    const merged = toHour(hour, pieces.sort(byStart))
    if (merged) await upsertHours(db, hour, [{ ...key, ...merged }])
  }
}

/** Hours of a finished day are there when it was imported from an installation that had not finished it. */
async function rebuildDay(db: Db, key: ServerKey, day: number, late: readonly number[]): Promise<void> {
  const stored = await readDaySamples(db, [key], day)
  const hours = await readHourRows(db, [key], { from: day * 24, to: (day + 1) * 24 })
  const pieces: StoredPiece[] = [
    ...readHoursOfDay(day * 24, stored, ALL_STORED).map(({ hour, columns }) => pieceOf(hour, columns)),
    ...hours.map((row) => toPiece(row, ALL_STORED)),
    ...(await readPushesOf(db, key, late)),
  ]
  const merged = [...Map.groupBy(pieces, ({ t0Ms }) => hourOf(t0Ms))]
    .sort(([one], [other]) => one - other)
    .map(([hour, own]) => ({ hour, columns: mergeSamples(own.sort(byStart), ALL_STORED) }))
  if (merged.length === 0) return
  await upsertDays(db, day, [{ ...key, ...toDay(day, merged) }])
  if (hours.length > 0) await deleteHoursOf(db, key, day)
}

const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS)
const byStart = (one: StoredPiece, other: StoredPiece): number => one.t0Ms - other.t0Ms
