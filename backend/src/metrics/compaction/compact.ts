import type { Clock } from '../../platform/time/clock.ts'
import { type Db, inTransaction, type Pool } from '../../platform/db/index.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { listServersAfter, type ServerIdentity } from '../../servers/index.ts'
import { DAY_MS, dueUntilMs, HOUR_MS } from '../storage/schedule.ts'
import { type HourOfDay, type StoredDay, toDay } from '../storage/day.ts'
import { joinHour, type StoredHour, toHour, toPiece } from '../storage/hour.ts'
import { upsertHours, readHourBlocks, readHourRows } from '../storage/hour-store.ts'
import { lockHour, lockDay, readProgress, setProgress } from '../storage/progress-store.ts'
import { type LateMark, listLateMarks, deleteLateMark } from '../storage/late-store.ts'
import { readPushesOf, nextPushedHour } from '../storage/push-store.ts'
import { replaceDays } from '../storage/day-store.ts'
import { type ServerKey, type HourSpan } from '../storage/keys.ts'

/** Servers in one transaction: an hour of 100 of them is some 6,000 pushes and 2 MB. */
const CHUNK = 100
/** A day of 25 servers is some 7 MB. */
const DAY_CHUNK = 25
const LATE_AT_ONCE = 500
/** A new installation begins with the oldest sample that it may be sent. */
const OLDEST_DAYS = 8

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
export async function compactSamples(
  pool: Pick<Pool, 'db' | 'pg'>,
  clock: Clock,
  reportProgress: (done: number, of: number, what: string) => void = () => undefined,
): Promise<Compaction> {
  const { db } = pool
  const done = { hours: 0, days: 0, late: await mergeLateHours(db) }
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
  for (let open = doneDay + 1; (open + 1) * 24 - 1 <= lastHour; open += 1, done.days += 1) await compactDay(db, open)
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
  await eachChunk(db, CHUNK, (servers) =>
    inTransaction(db, async (transaction) => {
      await lockHour(transaction, hour)
      if ((await readProgress(transaction)).hour >= hour) return
      await upsertHours(transaction, hour, await hoursOf(pool, servers, hour))
    }),
  )
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
    const stored = joinHour(hour, blocks) ?? toHour(hour, await readPushesOf(pool.db, key, hour))
    if (stored) hours.push({ ...key, ...stored })
    await yieldToEventLoop()
  }
  return hours
}

async function compactDay(db: Db, day: number): Promise<void> {
  await eachChunk(db, DAY_CHUNK, (servers) =>
    inTransaction(db, async (transaction) => {
      await lockDay(transaction, day)
      if ((await readProgress(transaction)).day >= day) return
      await rebuildDays(transaction, day, await readHourRows(transaction, servers, hoursIn(day)))
    }),
  )
  await recordProgress(db, 'day', day)
}

const nameOf = ({ organization, server }: ServerKey): string => `${organization}/${server}`
const hoursIn = (day: number): HourSpan => ({ from: day * 24, to: (day + 1) * 24 })

async function rebuildDays(db: Db, day: number, hours: readonly (ServerKey & HourOfDay)[]): Promise<void> {
  const byServer = Map.groupBy(hours, nameOf)
  const days: (ServerKey & { groups: StoredDay[] })[] = []
  for (const own of byServer.values()) {
    const [first] = own
    if (first) days.push({ organization: first.organization, server: first.server, groups: toDay(day, own) })
    await yieldToEventLoop()
  }
  await replaceDays(db, day, days)
}

async function eachChunk(db: Db, size: number, work: (servers: ServerKey[]) => Promise<void>): Promise<void> {
  let last: ServerIdentity | undefined
  do {
    const some: ServerIdentity[] = await listServersAfter(db, last, size)
    if (some.length > 0) await work(some.map(({ organization, number }) => ({ organization, server: number })))
    last = some.length < size ? undefined : some.at(-1)
  } while (last)
}

async function mergeLateHours(db: Db): Promise<number> {
  let mended = 0
  for (;;) {
    const marks = await listLateMarks(db, await readProgress(db), LATE_AT_ONCE)
    for (const mark of marks) await mergeLateHour(db, mark)
    mended += marks.length
    if (marks.length < LATE_AT_ONCE) return mended
  }
}

/** What stands in the hour goes before what came late: no answer changes. */
async function mergeLateHour(db: Db, mark: LateMark): Promise<void> {
  const { hour } = mark
  const day = Math.floor(hour / 24)
  await inTransaction(db, async (transaction) => {
    await lockDay(transaction, day)
    await lockHour(transaction, hour)
    if (!(await deleteLateMark(transaction, mark))) return
    const [stored] = await readHourRows(transaction, [mark], { from: hour, to: hour + 1 })
    const pushes = await readPushesOf(transaction, mark, hour)
    const pieces = [...(stored ? [toPiece(stored)] : []), ...pushes].sort((a, b) => a.t0Ms - b.t0Ms)
    const merged = toHour(hour, pieces)
    if (merged) await upsertHours(transaction, hour, [{ organization: mark.organization, server: mark.server, ...merged }])
    if ((await readProgress(transaction)).day < day) return
    await rebuildDays(transaction, day, await readHourRows(transaction, [mark], hoursIn(day)))
  })
}
