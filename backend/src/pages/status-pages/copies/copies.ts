import { type Changes, createRereading, type Db } from '../../../platform/db/index.ts'
import type { Log } from '../../../platform/logging/log.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { PageFigures } from '../reading/figures.ts'
import { readPage } from '../reading/read.ts'
import { listPublished, type PublishedPage } from '../reading/store.ts'
import { keepPage, type KeptPage, monitorIdsOf, type PageCopy, type VisitedCopies } from './kept-page.ts'
import { openFolder } from './stored.ts'
import type { View } from './views.ts'

// Each process keeps a copy of every published page in memory and on its disk. Visitors get copies alone: they cost the database
// nothing, and are there while it is away. A copy is read again after a change, and by age; a page without visitors rarely.

export interface PageCopies extends VisitedCopies {
  /** By the stored id of a page, otherwise as `find`. */
  findById(id: string): Promise<KeptPage | undefined>
  /** Reads what is due; resolves with the ms until the next time. */
  run(): Promise<number>
  /** Calls back when something may be due before the time that was last resolved. */
  onDue(wake: () => void): void
}

interface Entry extends PublishedPage {
  copy: PageCopy | undefined
  /** Ids of the monitors in the copy. */
  monitorIds: ReadonlySet<string>
  figures: PageFigures | undefined
  views: Map<string, View>
  isBehind: boolean
  isChanged: boolean
  usedAtMs: number
  triedAtMs: number
  writtenAtMs: number
  /** What was last written, without the time. */
  written: string
  reading: Promise<void> | undefined
}

/** How old a copy may get while it is visited, and while it is not. */
const [VISITED_MS, UNVISITED_MS] = [15_000, 300_000]
/** How soon a change is shown, where the page has visitors and where it has none; and how soon a failed reading is tried again. */
const [CHANGED_MS, CHANGED_UNVISITED_MS, RETRY_MS] = [1_000, 60_000, 5_000]
const [LIST_EVERY_MS, ANNOUNCED_LIST_MS] = [5_000, 60_000]
/** Pages that are read at the same time: each takes a connection of the pool. */
const AT_ONCE = 4

export interface CopyDeps {
  db: Db
  clock: Clock
  log: Log
  changes: Pick<Changes, 'on' | 'isHeard'>
  /** Where copies are kept over a restart; undefined: nowhere. */
  folder: string | undefined
}

export function createPageCopies({ db, clock, log, changes, folder }: CopyDeps): PageCopies {
  const listing = createRereading({ changes, clock }, 'status_page', LIST_EVERY_MS, ANNOUNCED_LIST_MS)
  const stored = folder === undefined ? undefined : openFolder(folder)
  let [wake, listRetryAtMs] = [() => {}, 0]
  const { entries, bySlug, byDomain, list } = createIndex(stored)
  const readAgain = createReading({ db, clock, log }, stored)

  changes.on('status_page', (id) => {
    for (const entry of id === undefined ? entries.values() : [entries.get(id)]) if (entry) entry.isChanged = true
    wake()
  })
  // The status of a monitor has changed.
  changes.on('alert_signal', () => {
    for (const entry of entries.values()) entry.isChanged = true
    wake()
  })

  const listAtMs = () => Math.max(listing.dueMs(), listRetryAtMs)

  async function listAgain(): Promise<void> {
    if (listAtMs() > clock.now()) return
    try {
      list(await listing.read(() => listPublished(db)))
      listRetryAtMs = 0
    } catch (error) {
      log.debug({ err: error }, 'could not list the status pages')
      listRetryAtMs = clock.now() + RETRY_MS
    }
  }

  async function visit(entry: Entry | undefined): Promise<KeptPage | undefined> {
    if (!entry) return undefined
    // What a page shows may have been withdrawn since the copy of an earlier process.
    if (!entry.copy || (!isCurrent(entry) && !entry.isBehind)) await readAgain(entry)
    const { copy } = entry
    if (!copy) return undefined
    entry.usedAtMs = clock.now()
    if (dueMs(entry) <= entry.usedAtMs) wake()
    return keepPage(entry, copy, () => (entry.copy === copy ? entry.views : undefined))
  }

  return {
    find: (slug) => visit(bySlug.get(slug)),
    findById: (id) => visit(entries.get(id)),
    slugOf: (domain) => byDomain.get(domain),
    slugsWith: (monitorId) => [...entries.values()].filter(({ monitorIds }) => monitorIds.has(monitorId)).map(({ slug }) => slug),
    run: async () => {
      await listAgain()
      const due = [...entries.values()].filter((entry) => dueMs(entry) <= clock.now())
      await Promise.all(
        due
          .toSorted((one, other) => one.triedAtMs - other.triedAtMs)
          .slice(0, AT_ONCE)
          .map(readAgain),
      )
      const next = Math.min(listAtMs(), ...entries.values().map(dueMs))
      return Math.max(next - clock.now(), 0)
    },
    onDue: (onDue) => {
      wake = onDue
    },
  }
}

type Stored = ReturnType<typeof openFolder> | undefined

/** The published pages by what names them. */
function createIndex(stored: Stored) {
  const entries = new Map<string, Entry>()
  const bySlug = new Map<string, Entry>()
  const byDomain = new Map<string, string>()
  let isListed = false

  function list(pages: readonly PublishedPage[]): void {
    const published = new Set(pages.map(({ id }) => id))
    for (const [id] of entries) {
      if (published.has(id)) continue
      entries.delete(id)
      stored?.remove(id)
    }
    // Of pages that were withdrawn while no process ran here.
    if (!isListed) for (const id of stored?.ids() ?? []) if (!published.has(id)) stored?.remove(id)
    isListed = true
    for (const page of pages) {
      const known = entries.get(page.id)
      if (known) Object.assign(known, page)
      else entries.set(page.id, newEntry(page, stored?.read(page.id)))
    }
    bySlug.clear()
    byDomain.clear()
    for (const entry of entries.values()) {
      bySlug.set(entry.slug, entry)
      if (entry.domain !== null) byDomain.set(entry.domain, entry.slug)
    }
  }

  return { entries, bySlug, byDomain, list }
}

const isCurrent = ({ copy, updatedAtMs }: Entry): boolean => copy?.updatedAtMs === updatedAtMs

/** When a page is to be read again. */
function dueMs(entry: Entry): number {
  if (!entry.copy || !isCurrent(entry)) return entry.isBehind ? entry.triedAtMs + RETRY_MS : Number.NEGATIVE_INFINITY
  if (entry.isBehind) return entry.triedAtMs + RETRY_MS
  const readAtMs = entry.copy.model.readAtMs
  const isVisited = entry.usedAtMs >= readAtMs
  if (entry.isChanged) return readAtMs + (isVisited ? CHANGED_MS : CHANGED_UNVISITED_MS)
  return readAtMs + (isVisited ? VISITED_MS : UNVISITED_MS)
}

/** Reads a page into its entry, and keeps what was read on the disk. A page that is being read is not read a second time. */
function createReading({ db, clock, log }: Pick<CopyDeps, 'db' | 'clock' | 'log'>, stored: Stored) {
  async function attempt(entry: Entry): Promise<void> {
    entry.triedAtMs = clock.now()
    entry.isChanged = false
    try {
      const read = await readPage(db, entry.organization, entry.id, clock.now(), entry.figures)
      if (!read) return
      const { row, model, figures } = read
      entry.figures = figures
      entry.copy = {
        organization: entry.organization,
        model,
        passwordHash: row.password_hash,
        linkVersion: row.link_version,
        updatedAtMs: row.updated_at.getTime(),
      }
      // A page that was changed meanwhile is listed once more.
      entry.updatedAtMs = Math.max(entry.updatedAtMs, entry.copy.updatedAtMs)
      entry.monitorIds = monitorIdsOf(entry.copy)
      entry.isBehind = false
      entry.views.clear()
      write(entry, entry.copy)
    } catch (error) {
      if (!entry.isBehind) log.warn({ err: error, page: entry.slug }, 'could not read a status page; visitors get its last copy')
      if (!entry.isBehind) entry.views.clear()
      entry.isBehind = true
    }
  }

  function write(entry: Entry, copy: PageCopy): void {
    if (!stored) return
    const text = JSON.stringify({ ...copy, model: { ...copy.model, readAtMs: 0 } })
    if (text === entry.written && clock.now() < entry.writtenAtMs + UNVISITED_MS) return
    try {
      stored.write(entry.id, JSON.stringify(copy))
      entry.written = text
      entry.writtenAtMs = clock.now()
    } catch (error) {
      log.warn({ err: error, page: entry.slug }, 'could not store the copy of a status page')
    }
  }

  return (entry: Entry): Promise<void> => (entry.reading ??= attempt(entry).finally(() => (entry.reading = undefined)))
}

const newEntry = (page: PublishedPage, copy: PageCopy | undefined): Entry => ({
  ...page,
  copy,
  monitorIds: monitorIdsOf(copy),
  figures: undefined,
  views: new Map(),
  isBehind: false,
  isChanged: true,
  usedAtMs: 0,
  triedAtMs: 0,
  writtenAtMs: 0,
  written: '',
  reading: undefined,
})
