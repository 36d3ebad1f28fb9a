import type { Clock } from '../../../platform/time/clock.ts'
import { type Db, inTransaction, type Pool, type Progress } from '../../../platform/db/index.ts'
import { yieldToEventLoop } from '../../../platform/concurrency/yield-to-event-loop.ts'
import { listServersAfter, type ServerIdentity } from '../../servers/index.ts'
import { ALL_STORED } from '@vedette/shared/metrics/block'
import { DAY_MS, dueUntilMs, HOUR_MS } from '../storage/schedule.ts'
import { type StoredDay, toDay } from '../storage/day.ts'
import { joinHour, type StoredHour, toHour, toPiece } from '../storage/hour.ts'
import { copyHoursOfDay, readHourBlocks, upsertHours, withoutHour } from '../storage/hour-store.ts'
import { claimServers, lockDay, lockHour, lockServers, readProgress, setProgress } from '../storage/progress-store.ts'
import { deleteMarksOf } from '../storage/late-store.ts'
import { readPushesOf, nextPushedHour } from '../storage/push-store.ts'
import { upsertDays, withoutDay } from '../storage/day-store.ts'
import type { ServerKey } from '../storage/keys.ts'
import { mergeLate } from './merge-late.ts'

/** Servers in one transaction: an hour of 100 of them is some 6,000 pushes and 2 MB. */
const CHUNK = 100
/** A day of 25 servers is some 7 MB. */
const DAY_CHUNK = 25
/** A backlog of a day arrives with less time between two of its hours, and is taken in as a whole. */
export const LATE_SETTLES_MS = 5 * 60_000
/** A new installation begins with the oldest sample that it may be sent. */
const OLDEST_DAYS = 8

export interface Compaction {
  hours: number
  days: number
  /** Hours of servers that took late samples in. */
  late: number
}

export interface CompactionOptions {
  reportProgress?: (done: number, of: number, what: string) => void
  /** How long the late samples of a server and day wait after the last of its hours got some, ms: more may follow. */
  lateSettlesMs?: number
}

/**
 * Compacts ended hours and days and takes late samples in. Several instances share the work by server, and go on where a crash left
 * it: an hour counts as done only when it is done for every server.
 */
export async function compactSamples(
  pool: Pick<Pool, 'db' | 'pg'>,
  clock: Clock,
  { reportProgress = () => undefined, lateSettlesMs = 0 }: CompactionOptions = {},
): Promise<Compaction> {
  const { db } = pool
  const done = { hours: 0, days: 0, late: 0 }
  const now = clock.now()
  const lastHour = dueUntilMs(now) / HOUR_MS - 1
  const firstDay = Math.floor(now / DAY_MS) - OLDEST_DAYS
  const { hour, day } = await readProgress(db)
  const firstOpen = hour < 0 ? await firstHour(db, firstDay * 24, lastHour) : hour + 1
  const doneDay = day < 0 ? Math.floor(firstOpen / 24) - 1 : day
  // Before any hour is done: who goes on after a crash would take the day of the next hour for the first, and leave out those before.
  if (day < 0) await recordProgress(db, 'day', doneDay)
  if (hour < 0 && firstOpen > lastHour) await recordProgress(db, 'hour', lastHour)
  let next = firstOpen
  for (; next <= lastHour; next += 1, done.hours += 1) {
    // An installation that was off for long goes on with what it took last; between that and now there is nothing.
    if (next < firstDay * 24) next = Math.min(firstDay * 24, (await nextPushedHour(db, next)) ?? lastHour)
    reportProgress(next - firstOpen, lastHour + 1 - firstOpen, 'hours of samples')
    await compactHour(pool, next)
  }
  for (let open = doneDay + 1; (open + 1) * 24 - 1 <= lastHour; open += 1, done.days += 1) await compactDay(pool, open)
  done.late = await mergeLate(db, now, lateSettlesMs)
  return done
}

/** In a new installation nothing is before its first sample: to look through a fleet for each of 200 hours takes many minutes. */
const firstHour = async (db: Db, oldest: number, last: number): Promise<number> =>
  Math.min(last + 1, (await nextPushedHour(db, oldest)) ?? last + 1)

async function recordProgress(db: Db, name: 'hour' | 'day', done: number): Promise<void> {
  await inTransaction(db, async (transaction) => {
    if (name === 'hour') await lockHour(transaction, done)
    else await lockDay(transaction, done)
    if ((await readProgress(transaction))[name] < done) await setProgress(transaction, name, done)
  })
}

async function compactHour(pool: Pick<Pool, 'db' | 'pg'>, hour: number): Promise<void> {
  const { db } = pool
  const isDone = (progress: Progress) => progress.hour >= hour
  await eachChunk(db, CHUNK, isDone, async (transaction, servers) => {
    const open = await withoutHour(transaction, servers, hour)
    if (open.length === 0) return
    await deleteMarksOf(transaction, open, hour)
    await upsertHours(transaction, hour, await hoursOf(pool, open, hour))
  })
  await recordProgress(db, 'hour', hour)
}

/** Yields after each hour, some milliseconds of work, so that pushes and reads are not delayed. */
async function hoursOf(
  pool: Pick<Pool, 'db' | 'pg'>,
  servers: readonly ServerKey[],
  hour: number,
): Promise<(ServerKey & StoredHour)[]> {
  const hours: (ServerKey & StoredHour)[] = []
  for (const { organization, server, blocks } of await readHourBlocks(pool, servers, hour)) {
    const key = { organization, server }
    // Overlapping blocks are rare; merging them needs the rows of the pushes.
    const stored = joinHour(hour, blocks) ?? toHour(hour, await readPushesOf(pool.db, key, [hour]))
    if (stored) hours.push({ ...key, ...stored })
    await yieldToEventLoop()
  }
  return hours
}

async function compactDay(pool: Pick<Pool, 'db' | 'pg'>, day: number): Promise<void> {
  const { db } = pool
  const isDone = (progress: Progress) => progress.day >= day
  await eachChunk(db, DAY_CHUNK, isDone, async (transaction, servers) => {
    const days: (ServerKey & StoredDay)[] = []
    // Those that another process has just done.
    const open = await withoutDay(transaction, servers, day)
    const found = open.length === 0 ? [] : await copyHoursOfDay(pool, open, day)
    for (const own of Map.groupBy(found, ({ server }) => server).values()) {
      const columns = own.map((row) => ({ hour: row.hour, columns: toPiece(row, ALL_STORED).columns }))
      for (const { organization, server } of own.slice(0, 1)) days.push({ organization, server, ...toDay(day, columns) })
      await yieldToEventLoop()
    }
    await upsertDays(transaction, day, days)
  })
  await recordProgress(db, 'day', day)
}

type Work = (transaction: Db, servers: readonly ServerKey[]) => Promise<void>

/**
 * Does the work for every server, unless it is done. What another instance works at is left to it, and done after the rest if that
 * one did not.
 */
async function eachChunk(db: Db, size: number, isDone: (progress: Progress) => boolean, work: Work): Promise<void> {
  const left: ServerKey[] = []
  let last: ServerIdentity | undefined
  do {
    const some: ServerIdentity[] = await listServersAfter(db, last, size)
    const servers = some.map(({ organization, number }) => ({ organization, server: number }))
    if (servers.length > 0)
      await inTransaction(db, async (transaction) => {
        const claimed = await claimServers(transaction, servers)
        if (isDone(await readProgress(transaction))) return
        left.push(...servers.filter((server) => !claimed.includes(server)))
        if (claimed.length > 0) await work(transaction, claimed)
      })
    last = some.length < size ? undefined : some.at(-1)
  } while (last)
  for (let at = 0; at < left.length; at += size)
    await inTransaction(db, async (transaction) => {
      const servers = left.slice(at, at + size)
      await lockServers(transaction, servers)
      if (!isDone(await readProgress(transaction))) await work(transaction, servers)
    })
}
