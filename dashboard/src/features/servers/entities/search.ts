import { ENTITY_KINDS, type EntityKindName, type EntityKindSpec } from '@vedette/shared/tables'
import { pageSearch, textOf } from '../../../lib/list-search.ts'
import { PAGE_LIMIT } from './queries.ts'
import { type ComparedSearch, comparedSearch } from '../../../lib/range.ts'

/** The parameters of a tab with entities in the URL, without defaults. */
interface EntitySearch {
  q?: string
  sort?: string
  page?: number
  /** Only these. */
  kind?: EntityKindName
  /** Those that are gone. */
  gone?: boolean
  /** The instant of the values, ms. */
  at?: number
  /** The id of the one on display. */
  entity?: string
}

export interface ServerSearch extends ComparedSearch, EntitySearch {}

/** Reads the query string of a server's page; anything else is left out. */
export function serverSearch(search: Record<string, unknown>): ServerSearch {
  const { kind, gone, entity } = search
  const [q, sort] = [textOf(search['q']), textOf(search['sort'])]
  const at = Number(search['at'])
  return {
    ...comparedSearch(search),
    ...pageSearch(search),
    ...(q === undefined ? {} : { q }),
    ...(sort === undefined ? {} : { sort }),
    ...(typeof kind === 'string' && Object.hasOwn(ENTITY_KINDS, kind) ? { kind: kind as EntityKindName } : {}),
    ...(gone === true || gone === 'true' ? { gone: true } : {}),
    ...(Number.isSafeInteger(at) && at > 0 ? { at } : {}),
    ...(typeof entity === 'string' && /^ent_\w+$/.test(entity) ? { entity } : {}),
  }
}

/** A sort that the kind has; else undefined. */
export function sortOf(kind: EntityKindName, sort: string | undefined): string | undefined {
  const { fields, attributes }: EntityKindSpec = ENTITY_KINDS[kind]
  const name = sort?.replace(/^-/, '') ?? ''
  return name === 'name' || attributes.includes(name) || Object.hasOwn(fields, name) ? sort : undefined
}

/** The list of one kind as its tab shows it alone: with pages and a sort. */
export const wholeList = (kind: EntityKindName, { q, sort, at, gone, page = 1 }: ServerSearch) => ({
  kind,
  q,
  sort: sortOf(kind, sort),
  at,
  gone,
  limit: PAGE_LIMIT,
  page,
})
