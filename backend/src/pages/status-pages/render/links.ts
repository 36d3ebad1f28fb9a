import { DAY_MS } from '@vedette/shared'
import type { PageModel, PagePost } from '../reading/model.ts'
import type { Formats } from './formats.ts'

/** How a view refers to its page. */
export interface LinkContext {
  /** The absolute address of the page without a slash at its end. */
  url: string
  /** What addresses of the page carry: `?key=…` or nothing. */
  query: string
}

/** Addresses in the documents that leave the page, for example feeds: absolute, with the key of a page that has one. */
export const absolute = ({ url, query }: LinkContext, path: string): string => `${url}${path}${query}`

/** First and last month of the history of a page, in its time zone. */
export function historyOf({ readAtMs }: Pick<PageModel, 'readAtMs'>, { monthOf }: Formats): { first: string; last: string } {
  return { first: monthOf(readAtMs - 366 * DAY_MS), last: monthOf(readAtMs) }
}

/** The absolute address of a post: in the history, or on the page before its month has begun. */
export function postLinks(model: PageModel, context: LinkContext, formats: Formats): (post: PagePost) => string {
  const { first, last } = historyOf(model, formats)
  return ({ id, startsAtMs }) => {
    const month = formats.monthOf(startsAtMs)
    return `${absolute(context, month >= first && month <= last ? `/history/${month}` : '')}#${id}`
  }
}

/** Names of components by their ids. */
export const namesOf = ({ sections }: Pick<PageModel, 'sections'>): Map<string, string> =>
  new Map(sections.flatMap(({ components }) => components.map(({ id, name }) => [id, name])))
