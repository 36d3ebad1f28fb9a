import { DAY_MS } from '@vedette/shared'
import type { ApiClient, SaveFile } from '../api.ts'
import { type Json, textOf } from '../json.ts'
import { MAX_MOVED_ALERTS } from '../history.ts'
import type { Range } from '../tool.ts'
import { findFirstPages, type Paging } from './pages.ts'
import { isFileName } from './target-folder.ts'

/** A list of what has happened. */
export interface PastList {
  /** Of its files. */
  name: string
  /** How the objects of a time are read. */
  pagingOf(range: Range): Paging
  /** What is kept of one; undefined: nothing. */
  keep(one: Json): Json | undefined
  /** The API gives out no more objects of one time. */
  most: number
}

/** No API reads a longer time at once. */
const SPAN_MS = 30 * DAY_MS
/** So many that all are of it have one instant. */
const LEAST_SPAN_MS = 1_000

/** The newest 100,000 objects of a time, the newest time first, each once. Of a time with too many, parts are read. Notes what is left. */
export async function readPast(client: ApiClient, list: PastList, { fromMs, toMs }: Range): Promise<Json[]> {
  const found = new Map<string, Json>()
  const spans: Range[] = []
  for (let at = toMs; at > fromMs; at -= SPAN_MS) spans.push({ fromMs: Math.max(fromMs, at - SPAN_MS), toMs: at })
  for (let span = spans.shift(); span; span = spans.shift()) {
    const { items, isWhole } = await findFirstPages(client, list.pagingOf(span), list.most)
    const middleMs = Math.floor((span.fromMs + span.toMs) / 2)
    if (!isWhole && span.toMs - span.fromMs > LEAST_SPAN_MS) {
      spans.unshift({ fromMs: middleMs, toMs: span.toMs }, { fromMs: span.fromMs, toMs: middleMs })
      continue
    }
    if (!isWhole) client.miss(list.name, `more than ${list.most} are of ${new Date(span.fromMs).toISOString()}`)
    for (const one of items) {
      const [id, kept] = [textOf(one['id']), list.keep(one)]
      if (kept && isFileName(id)) found.set(id, kept)
    }
    if (found.size < MAX_MOVED_ALERTS) continue
    client.miss(list.name, `those before ${new Date(span.fromMs).toISOString()}: ${found.size} newer ones are`)
    break
  }
  return [...found.values()]
}

/** Their texts and notes have requests of their own. */
export const MAX_DETAILED = 20_000

/** Adds to the newest what other addresses say of each. Notes how many have nothing added. */
export async function addDetails(
  client: ApiClient,
  what: string,
  all: readonly Json[],
  detailsOf: (one: Json) => Promise<Json>,
): Promise<void> {
  await client.forEach(all.slice(0, MAX_DETAILED), async (one) => void Object.assign(one, await detailsOf(one)))
  if (all.length > MAX_DETAILED) client.miss(what, `only the newest ${MAX_DETAILED} have them`)
}

const A_FILE = 1_000

/** Saves the objects of a list as `past/<name>-<number>.json`. */
export function savePast(save: SaveFile, name: string, all: readonly Json[]): void {
  for (let at = 0; at < all.length; at += A_FILE) save(`past/${name}-${1 + at / A_FILE}.json`, all.slice(at, at + A_FILE))
}
