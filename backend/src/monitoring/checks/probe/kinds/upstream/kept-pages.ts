import { DAY_MS } from '@vedette/shared'
import type { Reading } from './reading.ts'

/** Where a document was found, and what it was when it last changed. */
export interface FoundPage {
  place: string
  etag: string | undefined
  reading: Reading
}

/** Of all pages of a prober: some ten thousand of thirty components, and 512 of the largest that are kept. */
export const MAX_KEPT_BYTES = 67_108_864
/** Of a page: 700 components with names of usual length. One that is larger is read whole by each check. */
export const MAX_PAGE_BYTES = 131_072
/** Twice the longest interval: no check reads a page any more that was not read for that time. */
export const UNUSED_MS = 2 * DAY_MS

/** Of V8, with some room: an entry with its key and tag, and an object with a name and a time. */
const [ENTRY_BYTES, ITEM_BYTES] = [512, 128]

const textBytes = (text: string | undefined): number => (text === undefined ? 0 : 2 * text.length)

/** What a page takes in memory: the sum over its components, its incidents, and the components that those name. Pure. */
export function bytesOf(key: string, { etag, reading: { components, incidents } }: FoundPage): number {
  const names = [...components, ...incidents].map(({ name }) => name)
  const named = incidents.flatMap((incident) => incident.components ?? [])
  return [...names, ...named].reduce(
    (sum, name) => sum + ITEM_BYTES + textBytes(name),
    ENTRY_BYTES + textBytes(key) + textBytes(etag),
  )
}

interface Entry {
  page: FoundPage
  bytes: number
  usedAtMs: number
}

/**
 * Pages by keys, within a bound of memory. Where it is full, what is kept stays and more is not kept, until a page was not used for two
 * days: if the oldest gave way, one page more than there is room for, read in turn, would leave nothing to find for any of them.
 */
export class KeptPages {
  readonly #maxBytes: number
  /** The one that was used longest ago comes first. */
  readonly #pages = new Map<string, Entry>()
  #bytes = 0

  constructor(maxBytes = MAX_KEPT_BYTES) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  find(key: string, nowMs: number): FoundPage | undefined {
    const kept = this.#pages.get(key)
    if (!kept) return undefined
    this.#pages.delete(key)
    this.#pages.set(key, { ...kept, usedAtMs: nowMs })
    return kept.page
  }

  keep(key: string, page: FoundPage, nowMs: number): void {
    if (this.#pages.get(key)?.page === page) return
    this.remove(key)
    const bytes = bytesOf(key, page)
    if (bytes > MAX_PAGE_BYTES) return
    this.#removeUnused(nowMs)
    if (this.#bytes + bytes > this.#maxBytes) return
    // A text that was cut out of a document keeps all of the document in memory, a copy of it does not.
    this.#pages.set(key, { page: structuredClone(page), bytes, usedAtMs: nowMs })
    this.#bytes += bytes
  }

  remove(key: string): void {
    this.#bytes -= this.#pages.get(key)?.bytes ?? 0
    this.#pages.delete(key)
  }

  #removeUnused(nowMs: number): void {
    for (const [key, { usedAtMs }] of this.#pages) {
      if (usedAtMs > nowMs - UNUSED_MS) return
      this.remove(key)
    }
  }
}
