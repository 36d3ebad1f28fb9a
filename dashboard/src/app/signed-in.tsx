import { createClient } from '@vedette/client'
import { QueryClientProvider, useQuery, useQueryClient } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, type RefObject, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { ErrorPanel } from '../components/page.tsx'
import { FirstOrganization } from '../features/sign-in/first-organization.tsx'
import { createQueries, OWN_HEADERS, ownerOf, type Viewer, ViewerContext } from '../lib/api.ts'
import { keptToken } from '../lib/enrollment-token.ts'
import { changePreferences, usePreferences } from '../lib/preferences.ts'
import type { SessionStore } from '../lib/session.ts'
import { messages } from '../messages/index.ts'
import { signOutMessage } from './sign-out.ts'
import { LiveUpdates } from './live-updates.tsx'
import { createAppRouter } from './router.tsx'

/** Few people see it. */
const SecondFactorDemanded = lazy(async () => ({ default: (await import('./second-factor-demanded.tsx')).SecondFactorDemanded }))

interface Props {
  session: SessionStore
  onSignOut: (note?: string) => void
}

/** Loads the code of the page while the user is still being read. */
function loadedRouter() {
  const router = createAppRouter()
  void router.load()
  return router
}

export default function SignedInPage(props: Props) {
  const [queries] = useState(createQueries)
  return (
    <QueryClientProvider client={queries}>
      <WithViewer {...props} />
    </QueryClientProvider>
  )
}

/** Creates clients of an organization, or of none. A session that has ended is renewed, or ends here too. */
function useClients({ session, onSignOut }: Props, isSigningOut: RefObject<boolean>) {
  const queries = useQueryClient()
  return useCallback(
    (organizationId?: string) =>
      createClient({
        baseUrl: location.origin,
        credentials: session.currentCredentials,
        fetch: (url, init) => fetch(url, { ...init, headers: { ...(init.headers as Record<string, string>), ...OWN_HEADERS } }),
        organizationId,
        onUnauthorized: () => {
          if (isSigningOut.current) return
          session.renew().then(
            (isRenewed) => (isRenewed ? queries.invalidateQueries() : onSignOut(messages.signIn.login.sessionEnded)),
            () => undefined, // Vedette is away: the next request tries again
          )
        },
      }),
    [session, onSignOut, isSigningOut, queries],
  )
}

function WithViewer({ session, onSignOut }: Props) {
  const { organizationId } = usePreferences()
  const [router] = useState(loadedRouter)
  const isSigningOut = useRef(false)
  const createClientFor = useClients({ session, onSignOut }, isSigningOut)
  const client = useMemo(() => createClientFor(), [createClientFor])
  const headers = useCallback(async (): Promise<Record<string, string>> => {
    const credentials = await session.currentCredentials()
    return credentials && 'token' in credentials ? { ...OWN_HEADERS, Authorization: `Bearer ${credentials.token}` } : {}
  }, [session])
  const me = useQuery({ queryKey: ['me'], queryFn: ({ signal }) => client.me.read({ signal }), staleTime: 5 * 60_000 })
  // The user may have left the organization on display; then the one joined first is shown.
  const organization = me.data?.organizations.find(({ id }) => id === organizationId) ?? me.data?.organizations[0]

  const known = useMemo((): Viewer | undefined => {
    if (!me.data) return undefined
    const provider = me.data.identity_provider_id
    const signOut = async () => {
      isSigningOut.current = true
      const note = await signOutMessage(client.auth.logout())
      onSignOut(note)
      // The provider would sign in again without a question.
      if (provider !== null && note === undefined) location.href = `/v1/auth/oidc/${provider}/logout`
    }
    return {
      client: organization ? createClientFor(organization.id) : client,
      me: me.data,
      organization,
      organizationId: organization?.id ?? 'none',
      can: (permission) => organization?.permissions.includes(permission) ?? false,
      chooseOrganization: (id) => changePreferences({ organizationId: id }),
      signOut: () => void signOut(),
      renew: (token) => session.begin(token, session.isRemembered()),
      isRemembered: session.isRemembered,
      headers,
    }
  }, [me.data, organization, client, createClientFor, session, onSignOut, headers])
  // The first page is rendered in pieces, between which the browser can paint.
  const viewer = useDeferredValue(known)

  // Deletes the token of another organization.
  const owner = viewer && ownerOf(viewer)
  useEffect(() => {
    if (owner !== undefined) keptToken(owner, Date.now())
  }, [owner])

  const isSignedIn = viewer !== undefined
  useEffect(() => {
    // What fails is tried again by the next page load.
    if (isSignedIn)
      void import('../lib/browser-notifications.ts')
        .then(({ keepNotifications }) => keepNotifications(client))
        .catch(() => undefined)
  }, [isSignedIn, client])

  // Also between retries, since those can take a minute.
  if (me.failureReason && !me.data) {
    return (
      <div className="mx-auto mt-[12vh] max-w-xl px-4">
        <ErrorPanel error={me.failureReason} {...(me.isError ? { onRetry: () => void me.refetch() } : {})} />
      </div>
    )
  }
  if (!viewer) return <p className="sr-only">{messages.loading}</p>
  return (
    <ViewerContext value={viewer}>
      {viewer.organization?.needs_second_factor ? (
        <SecondFactorDemanded />
      ) : viewer.organization ? (
        <>
          <LiveUpdates sessionId={session.id} />
          <RouterProvider router={router} />
        </>
      ) : (
        <FirstOrganization />
      )}
    </ViewerContext>
  )
}
