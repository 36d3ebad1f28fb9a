import type { Clock } from '../../platform/clock.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import type { StoredPiece } from '../aggregate.ts'
import { DAY_MS, toDay } from './day.ts'
import { HOUR_MS, toHour, toPiece } from './hour.ts'
import * as store from './store.ts'

/**
 * An hour is put together so long after its end. Samples of an hour that ended more than `LATE_AFTER_MS` before they came are
 * marked as late by the statement that stores them; the difference is how long such a statement may be under way.
 */
const SETTLE_MS = 10 * 60_000
export const LATE_AFTER_MS = 4 * 60_000
/** Servers in one transaction: an hour of 100 of them is some 6,000 pushes and 2 MB. */
const CHUNK = 100
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
 * left it: an hour counts as done only when it is done for every server.
 */
export async function compactSamples(db: Db, clock: Clock): Promise<Compaction> {
  const done = { hours: 0, days: 0, late: await mendLate(db) }
  const now = clock.now()
  const lastHour = dueUntilMs(now) / HOUR_MS - 1
  const firstDay = Math.floor(now / DAY_MS) - OLDEST_DAYS
  const { hour, day } = await store.readProgress(db)
  let next = hour < 0 ? firstDay * 24 : hour + 1
  for (; next <= lastHour; next += 1, done.hours += 1) {
    // An installation that was off for long goes on with what it took last; between that and now there is nothing.
    if (next < firstDay * 24) next = Math.min(firstDay * 24, (await store.nextPushedHour(db, next)) ?? lastHour)
    await compactHour(db, next)
  }
  const openDay = day < 0 ? firstDay : day + 1
  for (let open = openDay; (open + 1) * 24 - 1 <= lastHour; open += 1, done.days += 1) await compactDay(db, open)
  return done
}

async function compactHour(db: Db, hour: number): Promise<void> {
  await eachChunk(db, (servers) =>
    inTransaction(db, async (transaction) => {
      await store.lockHour(transaction, hour)
      if ((await store.readProgress(transaction)).hour >= hour) return
      await store.upsertHours(transaction, toHours(hour, await store.readHourPushes(transaction, servers, hour)))
    }),
  )
  await inTransaction(db, async (transaction) => {
    await store.lockHour(transaction, hour)
    if ((await store.readProgress(transaction)).hour < hour) await store.setProgress(transaction, 'hour', hour)
  })
}

function toHours(hour: number, found: readonly (store.ServerKey & { pieces: readonly StoredPiece[] })[]) {
  return found.flatMap(({ organization, server, pieces }) => {
    const stored = toHour(hour, pieces)
    return stored ? [{ organization, server, ...stored }] : []
  })
}

async function compactDay(db: Db, day: number): Promise<void> {
  await eachChunk(db, (servers) =>
    inTransaction(db, async (transaction) => {
      await store.lockDay(transaction, day)
      if ((await store.readProgress(transaction)).day < day) await rebuildDays(transaction, servers, day)
    }),
  )
  await inTransaction(db, async (transaction) => {
    await store.lockDay(transaction, day)
    if ((await store.readProgress(transaction)).day < day) await store.setProgress(transaction, 'day', day)
  })
}

async function rebuildDays(db: Db, servers: readonly store.ServerKey[], day: number): Promise<void> {
  const hours = await store.readHourData(db, servers, { from: day * 24, to: (day + 1) * 24 })
  const byServer = Map.groupBy(hours, ({ organization, server }) => `${organization}/${server}`)
  for (const own of byServer.values()) {
    const [first] = own
    if (!first) continue
    await store.replaceDay(db, first, day, toDay(day, own))
  }
}

async function eachChunk(db: Db, work: (servers: store.ServerKey[]) => Promise<void>): Promise<void> {
  let after: store.ServerKey | undefined = { organization: 0, server: 0 }
  while (after) {
    const servers: store.ServerKey[] = await store.listServers(db, after, CHUNK)
    if (servers.length > 0) await work(servers)
    after = servers.length === CHUNK ? servers.at(-1) : undefined
  }
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
    if (merged) await store.upsertHours(transaction, [{ organization: mark.organization, server: mark.server, ...merged }])
    if ((await store.readProgress(transaction)).day >= day) await rebuildDays(transaction, [mark], day)
  })
}
