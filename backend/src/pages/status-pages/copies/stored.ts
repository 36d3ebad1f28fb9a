import { join } from 'node:path'
import { DAY_MS } from '@vedette/shared'
import { unavailable } from '../../../platform/errors.ts'
import {
  listFolder,
  makePrivateFolder,
  readPrivateFile,
  removePrivateFile,
  replacePrivateFile,
} from '../../../platform/system/private-file.ts'
import { type KeptPage, keepPage, monitorIdsOf, type PageCopy, type VisitedCopies } from './kept-page.ts'
import type { View } from './views.ts'

/** An older copy may show what was withdrawn long ago. */
const OLDEST_MS = DAY_MS

const SUFFIX = '.json'
const fileOf = (folder: string, id: string) => join(folder, id + SUFFIX)

/** A damaged copy is none. */
function readCopy(file: string): PageCopy | undefined {
  try {
    const text = readPrivateFile(file)
    return text === undefined ? undefined : (JSON.parse(text) as PageCopy)
  } catch {
    return undefined
  }
}

const listIds = (folder: string): string[] =>
  listFolder(folder).flatMap((name) => (name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : []))

/** Copies as files of this user alone, by the stored ids of their pages. */
export function openFolder(folder: string) {
  makePrivateFolder(folder)
  return {
    ids: () => listIds(folder),
    read: (id: string) => readCopy(fileOf(folder, id)),
    write: (id: string, text: string) => replacePrivateFile(fileOf(folder, id), text),
    remove: (id: string) => removePrivateFile(fileOf(folder, id)),
  }
}

/**
 * The copies that an earlier process left, for the time until the database answers. Undefined where there is none of the last day.
 * `find` throws unavailable for every other slug: a page may have been published since.
 */
export function readStoredPages(folder: string, nowMs: number): VisitedCopies | undefined {
  const bySlug = new Map<string, KeptPage>()
  const copies = listIds(folder).flatMap((id) => {
    const copy = readCopy(fileOf(folder, id))
    return copy && copy.model.readAtMs > nowMs - OLDEST_MS ? [{ id, copy }] : []
  })
  // Where a slug has moved to another page the later one has it.
  for (const { id, copy } of copies.toSorted((one, other) => one.copy.model.readAtMs - other.copy.model.readAtMs)) {
    const views = new Map<string, View>()
    bySlug.set(
      copy.model.slug,
      keepPage({ id, isBehind: true }, copy, () => views),
    )
  }
  if (bySlug.size === 0) return undefined
  const pages = [...bySlug.values()]
  return {
    find: async (slug) => {
      const page = bySlug.get(slug)
      if (!page) throw unavailable()
      return page
    },
    slugOf: (domain) => pages.find(({ copy }) => copy.model.domain === domain)?.copy.model.slug,
    slugsWith: (monitorId) => pages.filter(({ copy }) => monitorIdsOf(copy).has(monitorId)).map(({ copy }) => copy.model.slug),
  }
}
