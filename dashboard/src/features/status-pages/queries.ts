import type { StatusPage, StatusPageSection, States } from '@vedette/shared'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Api, pollEvery } from '../../lib/api.ts'

export const PAGE_LIMIT = 50
/** The status of a maintenance follows from its times. */
const POSTS_MS = 60_000

export const pagesQuery = ({ organizationId, client }: Api, page: number) =>
  queryOptions({
    queryKey: [organizationId, 'status-pages', 'list', page],
    queryFn: ({ signal }) => client.statusPages.list({ page, limit: PAGE_LIMIT }, { signal }),
    placeholderData: keepPreviousData,
  })

export const pageQuery = ({ organizationId, client }: Api, id: string) =>
  queryOptions({
    queryKey: [organizationId, 'status-pages', id],
    queryFn: ({ signal }) => client.statusPages.read(id, { signal }),
  })

/** Read again with each version of the page and of its posts. */
export const previewQuery = ({ organizationId, client }: Api, { id, updated_at: version }: StatusPage) =>
  queryOptions({
    queryKey: [organizationId, 'status-pages', id, 'preview', version],
    queryFn: ({ signal }) => client.statusPages.preview(id, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })

export const postsQuery = ({ organizationId, client }: Api, id: string, page: number) =>
  queryOptions({
    queryKey: [organizationId, 'status-pages', id, 'posts', page],
    queryFn: ({ signal }) => client.statusPosts.list(id, { page, limit: PAGE_LIMIT }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: pollEvery(POSTS_MS),
  })

export const postQuery = ({ organizationId, client }: Api, pageId: string, id: string) =>
  queryOptions({
    queryKey: [organizationId, 'status-pages', pageId, 'posts', id],
    queryFn: ({ signal }) => client.statusPosts.read(pageId, id, { signal }),
    refetchInterval: pollEvery(POSTS_MS),
  })

export const subscribersQuery = ({ organizationId, client }: Api, id: string, page: number) =>
  queryOptions({
    queryKey: [organizationId, 'status-pages', id, 'subscribers', page],
    queryFn: ({ signal }) => client.statusSubscribers.list(id, { page, limit: PAGE_LIMIT }, { signal }),
    placeholderData: keepPreviousData,
  })

/** A monitor on a page, with its public name. */
export interface Component {
  id: string
  name: string
}

/** What the sections show, each monitor once. `states`: of the organization, for names and tags. */
export function componentsOf(sections: readonly StatusPageSection[], states: States | undefined): Component[] {
  const monitors = states?.monitors ?? []
  const components = sections.flatMap(({ monitors: ids, tag, names = {} }) => {
    const shown = ids ?? monitors.filter(({ tags }) => tag !== undefined && tags.includes(tag)).map(({ id }) => id)
    return shown.map((id) => ({ id, name: names[id] ?? monitors.find((monitor) => monitor.id === id)?.name ?? id }))
  })
  return components.filter(({ id }, index) => components.findIndex((other) => other.id === id) === index)
}

/** Not read again while it is changed. */
export const draftQuery = ({ organizationId, client }: Api, pageId: string, incident: string) =>
  queryOptions({
    queryKey: [organizationId, 'edited', 'post-draft', pageId, incident],
    queryFn: ({ signal }) => client.statusPosts.draft(pageId, { incident }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
