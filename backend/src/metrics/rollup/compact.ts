import type { Clock } from '../../platform/clock.ts'
import { type Db, inTransaction, type Pool } from '../../platform/db/index.ts'
import { nextTurn } from '../../platform/turn.ts'
import { listMeasuredAfter, type MeasuredServer } from '../../servers/index.ts'
import { DAY_MS, type HourOfDay, type StoredDay, toDay } from './day.ts'
import { HOUR_MS, joinHour, type StoredHour, toHour, toPiece } from './hour.ts'
import { createMeans, type Means } from './means.ts'
import * as store from './store.ts'

/**
 * An hour is put together so long after its end. Samples of an hour that ended more than `LATE_AFTER_MS` before they came are
 * marked as late by the statement that stores them; the difference is how long such a statement may be under way.
 */
const SETTLE_MS = 10 * 60_000
export const LATE_AFTER_MS = 4 * 60_000
/** Servers in one transaction: an hour of 100 of them is some 6,000 pushes and 2 MB. */
const CHUNK = 100
/** A day of 25 servers is some 7 MB. */
const DAY_CHUNK = 25
const LATE_AT_ONCE = 500
/** A new installation begins with the oldest sample that it may be sent. */
const OLDEST_DAYS = 8

/** Everything before is due to be put together, ms: the end of an hour. */
export const dueUntilMs = (nowMs: number): number => Math.floor((nowMs - SETTLE_MS) / HOUR_MS) * HOUR_MS

export interface Compaction {
  hours: number
  days: number
  /** Hours of servers that took late samples in. */
  late: number
}

/**
 * Puts ended hours and days together and takes late samples in. Safe at several instances at once, and goes on where a crash
 * left it: an hour counts as done only when it is done for every server. With `means` that are kept from call to call days cost less.
 */
export async function compactSamples(
  pool: Pick<Pool, 'db' | 'pg'>,
  clock: Clock,
  means: Means = createMeans(),
): Promise<Compaction> {
  const { db } = pool
  const done = { hours: 0, days: 0, late: await mendLate(db) }
  const now = clock.now()
  const lastHour = dueUntilMs(now) / HOUR_MS - 1
  const firstDay = Math.floor(now / DAY_MS) - OLDEST_DAYS
  const { hour, day } = await store.readProgress(db)
  const firstOpen = hour < 0 ? await firstHour(db, firstDay * 24, lastHour) : hour + 1
  const doneDay = day < 0 ? Math.floor(firstOpen / 24) - 1 : day
  // Before any hour is done: who goes on after a crash would take the day of the next hour for the first, and leave out those before.
  if (day < 0) await noteDone(db, 'day', doneDay)
  if (hour < 0 && firstOpen > lastHour) await noteDone(db, 'hour', lastHour)
  let next = firstOpen
  for (; next <= lastHour; next += 1, done.hours += 1) {
    // An installation that was off for long goes on with what it took last; between that and now there is nothing.
    if (next < firstDay * 24) next = Math.min(firstDay * 24, (await store.nextPushedHour(db, next)) ?? lastHour)
    await compactHour(pool, next, means)
  }
  for (let open = doneDay + 1; (open + 1) * 24 - 1 <= lastHour; open += 1, done.days += 1) await compactDay(pool, open, means)
  means.forgetBefore(((await store.readProgress(db)).day + 1) * 24)
  return done
}

/** In a new installation nothing is before its first sample: to look through a fleet for each of 200 hours takes many minutes. */
const firstHour = async (db: Db, oldest: number, last: number): Promise<number> =>
  Math.min(last + 1, (await store.nextPushedHour(db, oldest)) ?? last + 1)

async function noteDone(db: Db, name: 'hour' | 'day', done: number): Promise<void> {
  await inTransaction(db, async (transaction) => {
    if (name === 'hour') await store.lockHour(transaction, done)
    else await store.lockDay(transaction, done)
    if ((await store.readProgress(transaction))[name] < done) await store.setProgress(transaction, name, done)
  })
}

async function compactHour(pool: Pick<Pool, 'db' | 'pg'>, hour: number, means: Means): Promise<void> {
  const { db } = pool
  await eachChunk(db, CHUNK, (servers) =>
    inTransaction(db, async (transaction) => {
      await store.lockHour(transaction, hour)
      if ((await store.readProgress(transaction)).hour >= hour) return
      const hours = await hoursOf(pool, servers, hour)
      await store.upsertHours(transaction, hour, hours)
      for (const own of hours) if (own.means) means.keep(own, own.means)
    }),
  )
  await noteDone(db, 'hour', hour)
}

/** Each of them is some milliseconds of work: whoever pushes or reads meanwhile does not wait for all. */
async function hoursOf(
  pool: Pick<Pool, 'db' | 'pg'>,
  servers: readonly store.ServerKey[],
  hour: number,
): Promise<(store.ServerKey & StoredHour)[]> {
  const hours: (store.ServerKey & StoredHour)[] = []
  for (const { organization, server, blocks } of await store.readHourBlocks(pool, servers, hour)) {
    const key = { organization, server }
    // What overlaps is told apart by more than its blocks; it is rare.
    const stored = joinHour(hour, blocks) ?? toHour(hour, await store.readPushesOf(pool.db, key, hour))
    if (stored) hours.push({ ...key, ...stored })
    await nextTurn()
  }
  return hours
}

async function compactDay(pool: Pick<Pool, 'db' | 'pg'>, day: number, means: Means): Promise<void> {
  const { db } = pool
  await eachChunk(db, DAY_CHUNK, (servers) =>
    inTransaction(db, async (transaction) => {
      await store.lockDay(transaction, day)
      if ((await store.readProgress(transaction)).day >= day) return
      const { known, others } = await knownHours(pool, servers, hoursIn(day), means)
      const read = others.length === 0 ? [] : await store.copyHourData(pool, others, hoursIn(day))
      await rebuildDays(transaction, day, [...known, ...read])
    }),
  )
  await noteDone(db, 'day', day)
}

/** The hours of servers of which the means of each are kept, and the other servers. */
async function knownHours(pool: Pick<Pool, 'pg'>, servers: readonly store.ServerKey[], span: store.HourSpan, means: Means) {
  const kept = servers.filter((server) => means.knows(server, span))
  const headers = kept.length === 0 ? [] : await store.copyHourHeaders(pool, kept, span)
  const hours = headers.map((hour) => ({ ...hour, means: means.find(hour) }))
  const others = new Set(
    [...servers.filter((server) => !kept.includes(server)), ...hours.filter((hour) => !hour.means)].map(nameOf),
  )
  const known = hours.flatMap(({ means: parts, ...hour }) =>
    parts && !others.has(nameOf(hour)) ? [{ ...hour, means: parts }] : [],
  )
  return { known, others: servers.filter((server) => others.has(nameOf(server))) }
}

const nameOf = ({ organization, server }: store.ServerKey): string => `${organization}/${server}`
const hoursIn = (day: number): store.HourSpan => ({ from: day * 24, to: (day + 1) * 24 })

async function rebuildDays(db: Db, day: number, hours: readonly (store.ServerKey & HourOfDay)[]): Promise<void> {
  const byServer = Map.groupBy(hours, nameOf)
  const days: (store.ServerKey & { groups: StoredDay[] })[] = []
  for (const own of byServer.values()) {
    const [first] = own
    if (first) days.push({ organization: first.organization, server: first.server, groups: toDay(day, own) })
    await nextTurn()
  }
  await store.replaceDays(db, day, days)
}

async function eachChunk(db: Db, size: number, work: (servers: store.ServerKey[]) => Promise<void>): Promise<void> {
  let last: MeasuredServer | undefined
  do {
    const some: MeasuredServer[] = await listMeasuredAfter(db, last, size)
    if (some.length > 0) await work(some.map(({ organization, number }) => ({ organization, server: number })))
    last = some.length < size ? undefined : some.at(-1)
  } while (last)
}

async function mendLate(db: Db): Promise<number> {
  let mended = 0
  for (;;) {
    const marks = await store.listLate(db, await store.readProgress(db), LATE_AT_ONCE)
    for (const mark of marks) await mendHour(db, mark)
    mended += marks.length
    if (marks.length < LATE_AT_ONCE) return mended
  }
}

/** What stands in the hour goes before what came late: no answer changes. */
async function mendHour(db: Db, mark: store.LateMark): Promise<void> {
  const { hour } = mark
  const day = Math.floor(hour / 24)
  await inTransaction(db, async (transaction) => {
    await store.lockDay(transaction, day)
    await store.lockHour(transaction, hour)
    if (!(await store.takeLate(transaction, mark))) return
    const [standing] = await store.readHourData(transaction, [mark], { from: hour, to: hour + 1 })
    const pushes = await store.readPushesOf(transaction, mark, hour)
    const pieces = [...(standing ? [toPiece(standing)] : []), ...pushes].sort((a, b) => a.t0Ms - b.t0Ms)
    const merged = toHour(hour, pieces)
    if (merged) await store.upsertHours(transaction, hour, [{ organization: mark.organization, server: mark.server, ...merged }])
    if ((await store.readProgress(transaction)).day < day) return
    await rebuildDays(transaction, day, await store.readHourData(transaction, [mark], hoursIn(day)))
  })
}
