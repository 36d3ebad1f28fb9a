import type { Client } from '@vedette/client'
import { VedetteError } from '@vedette/client'
import type { Me } from '@vedette/shared'
import { QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { language } from '../messages/language.ts'
import { isLive } from './live-state.ts'

type Membership = Me['organizations'][number]
export type Permission = Membership['permissions'][number]

/** The signed-in user, and the organization on display. */
export interface Viewer {
  client: Client
  me: Me
  /** Undefined for a user without an organization. */
  organization: Membership | undefined
  /** The first part of the query keys of everything that belongs to the organization; `none` without one. */
  organizationId: string
  can(permission: Permission): boolean
  chooseOrganization(id: string): void
  signOut(): void
  /** Of a request that the client has no method for. */
  headers(): Promise<Record<string, string>>
  /** Continues with another session of the same user. */
  renew(token: string): void
  /** Whether this device stays signed in. */
  isRemembered(): boolean
}

/** What a query needs of the viewer. */
export type Api = Pick<Viewer, 'client' | 'organizationId'>

export const ViewerContext = createContext<Viewer | undefined>(undefined)

export function useViewer(): Viewer {
  const viewer = useContext(ViewerContext)
  if (!viewer) throw new Error('useViewer outside of the signed-in page')
  return viewer
}

/** The person and the organization on display: whose something in the browser's storage is. */
export const ownerOf = ({ me, organizationId }: Pick<Viewer, 'me' | 'organizationId'>): string => `${me.id} ${organizationId}`

/** The cached answers of the organization on display. Keys are given without the organization. */
export function useCache() {
  const queries = useQueryClient()
  const { organizationId } = useViewer()
  return {
    invalidate: (...key: string[]) => queries.invalidateQueries({ queryKey: [organizationId, ...key] }),
    /** Reads the user with the roles and permissions again. */
    invalidateViewer: () => queries.invalidateQueries({ queryKey: ['me'] }),
    set: (key: readonly string[], data: unknown) => queries.setQueryData([organizationId, ...key], data),
    remove: (...key: string[]) => queries.removeQueries({ queryKey: [organizationId, ...key] }),
  }
}

/**
 * Says to the backend that the dashboard sends a request, whose reads do not use up what the person's scripts may read, and in which
 * language the sentences of the answer are.
 */
export const OWN_HEADERS: Readonly<Record<string, string>> = { 'X-Vedette-Client': 'dashboard', 'Accept-Language': language }

/** Errors that may pass are retried after the wait that the backend names; all others are shown at once. */
const RETRYABLE = new Set([429, 502, 503, 504])
const MAX_RETRIES = 3

export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        gcTime: 5 * 60_000,
        retry: (retries, error) => retries < MAX_RETRIES && (!(error instanceof VedetteError) || RETRYABLE.has(error.status)),
        retryDelay: (retries, error) => retryAfterMs(error) ?? Math.min(1_000 * 2 ** retries, 15_000),
        refetchOnWindowFocus: true,
      },
      mutations: { retry: false },
    },
  })
}

/** Reads a resource for an editor, as the API sent it, with its ETag: at each opening, and not again while the user types. */
export function useEditedQuery<Resource>(
  noun: string,
  id: string,
  read: (client: Client, signal: AbortSignal) => Promise<Resource>,
) {
  const { client, organizationId } = useViewer()
  return useQuery({
    queryKey: [organizationId, 'edited', noun, id],
    queryFn: ({ signal }) => read(client, signal),
    structuralSharing: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
}

/** How long the backend asks to wait, ms. */
export function retryAfterMs(error: unknown): number | undefined {
  const seconds = error instanceof VedetteError ? error.retryAfterSeconds : undefined
  return seconds === undefined ? undefined : seconds * 1_000 + Math.random() * 1_000
}

/**
 * A `refetchInterval` that is longer while the backend asks to wait. `liveMs` is the interval while the event stream is connected:
 * give it where events report the changes. Hidden tabs do not poll.
 */
export const pollEvery =
  (ms: number | false, liveMs: number | false = ms) =>
  ({ state }: { state: { error: unknown } }): number | false => {
    const intervalMs = isLive() ? liveMs : ms
    return intervalMs === false ? false : Math.max(intervalMs, retryAfterMs(state.error) ?? 0)
  }
