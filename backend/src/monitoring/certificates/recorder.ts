import { HOUR_MS } from '@vedette/shared'
import { type Db, inTransaction, isLostConnection } from '../../platform/db/index.ts'
import { identityOf, isReported, nextSighting, type SeenCertificate, toColumns } from './sighting.ts'
import * as store from './sighting-store.ts'

/** Stores the certificates that checks saw, and what has changed. Remembers what it stored, so that most checks cost no statement. */
export interface CertificateRecorder {
  record(db: Db, seen: readonly SeenCertificate[]): Promise<void>
}

/** Also the precision of `seen_at`. What another process stored meanwhile is noticed after it. */
const REPEAT_AFTER_MS = HOUR_MS
/** Changes of one region that are stored within that time: a target may show another certificate at each check. */
const MAX_CHANGES = 6
/** Regions of monitors; some 300 bytes each. */
const MAX_REMEMBERED = 50_000

interface Remembered {
  fromMs: number
  /** What was stored last. */
  identity: string
  /** How often something was stored since `fromMs`. */
  stored: number
}

export function createCertificateRecorder(): CertificateRecorder {
  const remembered = new Map<string, Remembered>()

  const isDue = (seen: SeenCertificate): boolean => {
    if (!isReported(seen.certificate)) return false
    const entry = remembered.get(keyOf(seen))
    // Checks from before a step of the clock are late ones.
    if (!entry || Math.abs(seen.atMs - entry.fromMs) >= REPEAT_AFTER_MS) return true
    return entry.stored < MAX_CHANGES && entry.identity !== identityOf(seen.certificate)
  }

  const remember = (seen: SeenCertificate): void => {
    const [key, identity] = [keyOf(seen), identityOf(seen.certificate)]
    const entry = remembered.get(key)
    const isOfHour = entry !== undefined && Math.abs(seen.atMs - entry.fromMs) < REPEAT_AFTER_MS
    if (!entry && remembered.size >= MAX_REMEMBERED) remembered.clear()
    remembered.set(key, isOfHour ? { ...entry, identity, stored: entry.stored + 1 } : { fromMs: seen.atMs, identity, stored: 1 })
  }

  return {
    async record(db, seen) {
      const newest = new Map(seen.filter(isDue).map((one) => [keyOf(one), one]))
      if (newest.size === 0) return
      const due = [...newest.values()]
      try {
        const stored = await inTransaction(db, (transaction) => storeSeen(transaction, due))
        for (const one of stored) remember(one)
      } catch (error) {
        if (due.length > 1 && !isLostConnection(error)) {
          // One that cannot be stored must not keep the others from it.
          for (const one of due) await this.record(db, [one]).catch(() => undefined)
        } else if (!isLostConnection(error)) due.forEach(remember)
        throw error
      }
    },
  }
}

const keyOf = ({ monitor, region }: SeenCertificate): string => `${monitor}.${region}`

/** Returns those that were stored. */
async function storeSeen(db: Db, seen: readonly SeenCertificate[]): Promise<SeenCertificate[]> {
  const before = await store.lockSightings(db, seen)
  const given = seen.map((one) => ({ ...toColumns(one), organization: one.organization, seenAt: new Date(one.atMs) }))
  const distinct = new Map(given.map((one) => [`${one.organization} ${one.fingerprint.toString('hex')}`, one]))
  const ids = await store.insertCertificates(db, [...distinct.values()])
  const byMonitor = Map.groupBy(before, ({ organization, monitor }) => `${organization}.${monitor}`)
  const next = seen.flatMap((one, index) => {
    const columns = given[index]
    const id = columns && ids.get(`${one.organization} ${columns.fingerprint.toString('hex')}`)
    if (id === undefined) return []
    const regions = byMonitor.get(`${one.organization}.${one.monitor}`) ?? []
    const own = regions.find(({ region }) => region === one.region)
    const known = new Set(regions.flatMap(({ certificateId, previous }) => [certificateId, ...previous]))
    return [{ one, row: nextSighting(one, id, own, known) }]
  })
  if (next.length > 0)
    await store.storeSightings(
      db,
      next.map(({ row }) => row),
    )
  return next.map(({ one }) => one)
}
