import { SourceFault } from '../files.ts'
import { type Json, listOf } from '../json.ts'
import type { ApiClient } from '../api.ts'

/** How the answers of a list go on. */
export interface Paging {
  /** Path of the first page. */
  first: string
  itemsOf(answer: unknown): unknown
  /** The path of the page after an answer, the `page`th one; undefined after the last one. */
  nextOf(answer: unknown, page: number): string | undefined
}

/** All objects of a list. Throws SourceFault for a list that does not end, and for an answer without a list. */
export const readPages = async (client: ApiClient, paging: Paging): Promise<Json[]> =>
  (await goOn(client, paging, await client.get(paging.first))).items

/** The same; none, and noted, where the account does not have the list. */
export async function findPages(client: ApiClient, paging: Paging): Promise<Json[] | undefined> {
  const answer = await client.find(paging.first)
  return answer === undefined ? undefined : (await goOn(client, paging, answer)).items
}

/** The same up to a number of objects. */
export async function findFirstPages(client: ApiClient, paging: Paging, most: number): Promise<Pages> {
  const answer = await client.find(paging.first)
  return answer === undefined ? { items: [], isWhole: true } : goOn(client, paging, answer, most)
}

interface Pages {
  items: Json[]
  /** No page follows. */
  isWhole: boolean
}

async function goOn(
  client: ApiClient,
  { first, itemsOf, nextOf }: Paging,
  firstAnswer: unknown,
  most = Infinity,
): Promise<Pages> {
  const items: Json[] = []
  const seen = new Set([first])
  for (let [path, answer] = [first, firstAnswer]; ; answer = await client.get(path)) {
    const found = itemsOf(answer)
    if (!Array.isArray(found)) throw new SourceFault(`GET ${path}: its answer has no list`)
    items.push(...listOf(found))
    const next = nextOf(answer, seen.size)
    if (next === undefined || items.length >= most) return { items, isWhole: next === undefined }
    if (found.length === 0) throw new SourceFault(`GET ${path}: has nothing, and says that more follows`)
    if (seen.has(next) || seen.size >= client.maxPages)
      throw new SourceFault(`GET ${first}: its pages do not end (${seen.size} of them were read)`)
    seen.add(next)
    path = next
  }
}
