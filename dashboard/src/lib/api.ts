import type { Client } from '@vedette/client'
import { VedetteError } from '@vedette/client'
import type { Me } from '@vedette/shared'
import { QueryClient } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { isLive } from './live-state.ts'

type Membership = Me['organizations'][number]
export type Permission = Membership['permissions'][number]

/** Who looks at the page, and at which organization. */
export interface Viewer {
  client: Client
  me: Me
  /** Undefined for a user who belongs to none. */
  organization: Membership | undefined
  can(permission: Permission): boolean
  chooseOrganization(id: string): void
  signOut(): void
  /** Goes on with another session of the same user. */
  renew(token: string): void
}

export const ViewerContext = createContext<Viewer | undefined>(undefined)

export function useViewer(): Viewer {
  const viewer = useContext(ViewerContext)
  if (!viewer) throw new Error('useViewer outside of the signed-in page')
  return viewer
}

/** Begins the key of everything that belongs to an organization. */
export function useScope(): string {
  return useViewer().organization?.id ?? 'none'
}

/** What may pass by itself is tried again, after as long as the backend says; anything else is told at once. */
const PASSING = new Set([429, 502, 503, 504])
const MOST_TRIES = 3

export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        gcTime: 5 * 60_000,
        retry: (tries, error) => tries < MOST_TRIES && (!(error instanceof VedetteError) || PASSING.has(error.status)),
        retryDelay: (tries, error) => waitMs(error) ?? Math.min(1_000 * 2 ** tries, 15_000),
        refetchOnWindowFocus: true,
      },
      mutations: { retry: false },
    },
  })
}

/** What the backend asks to wait, in ms. */
export function waitMs(error: unknown): number | undefined {
  const seconds = error instanceof VedetteError ? error.retryAfterSeconds : undefined
  return seconds === undefined ? undefined : seconds * 1_000 + Math.random() * 1_000
}

/**
 * For `refetchInterval`: the pace, slower while the backend asks for it. `liveMs` is the pace while events tell at once of what
 * matters; without it, what is asked for changes by itself. A hidden tab asks nothing.
 */
export const every =
  (ms: number | false, liveMs: number | false = ms) =>
  ({ state }: { state: { error: unknown } }): number | false => {
    const pace = isLive() ? liveMs : ms
    return pace === false ? false : Math.max(pace, waitMs(state.error) ?? 0)
  }
