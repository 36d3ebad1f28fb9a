import { createClient } from '@vedette/client'
import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useCallback, useMemo, useRef, useState } from 'react'
import { Trouble } from '../components/page.tsx'
import { FirstOrganization } from '../features/way-in/first-organization.tsx'
import { createQueries, type Viewer, ViewerContext } from '../lib/api.ts'
import { changePreferences, usePreferences } from '../lib/preferences.ts'
import type { SignedIn } from '../lib/session.ts'
import { text } from '../messages/index.ts'
import { noteOfLeaving } from './leaving.ts'
import { Live } from './live.tsx'
import { createAppRouter } from './router.tsx'

interface Props {
  session: SignedIn
  onLeave: (note?: string) => void
}

/** What draws the page of this address is fetched while it is asked who looks at it. */
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

function WithViewer({ session, onLeave }: Props) {
  const { organizationId } = usePreferences()
  const [router] = useState(loadedRouter)
  const isLeaving = useRef(false)
  const clientOf = useCallback(
    (organizationId?: string) =>
      createClient({
        baseUrl: location.origin,
        credentials: session.credentials,
        organizationId,
        onUnauthorized: () => {
          if (!isLeaving.current) onLeave(text.wayIn.signIn.ended)
        },
      }),
    [session, onLeave],
  )
  const client = useMemo(() => clientOf(), [clientOf])
  const headers = useCallback((): Record<string, string> => {
    const known = session.credentials()
    return known && 'token' in known ? { Authorization: `Bearer ${known.token}` } : {}
  }, [session])
  const me = useQuery({ queryKey: ['me'], queryFn: ({ signal }) => client.me.read({ signal }), staleTime: 5 * 60_000 })
  // A membership that was looked at last may be over: then the one joined first.
  const organization = me.data?.organizations.find(({ id }) => id === organizationId) ?? me.data?.organizations[0]

  const viewer = useMemo((): Viewer | undefined => {
    if (!me.data) return undefined
    return {
      client: organization ? clientOf(organization.id) : client,
      me: me.data,
      organization,
      can: (permission) => organization?.permissions.includes(permission) ?? false,
      chooseOrganization: (id) => changePreferences({ organizationId: id }),
      signOut: () => {
        isLeaving.current = true
        void noteOfLeaving(client.auth.logout()).then(onLeave)
      },
      renew: (token) => session.begin(token),
    }
  }, [me.data, organization, client, clientOf, session, onLeave])

  // Also while it is tried again: a minute of nothing is a page that seems dead.
  if (me.failureReason && !me.data) {
    return (
      <div className="mx-auto mt-[12vh] max-w-xl px-4">
        <Trouble error={me.failureReason} {...(me.isError ? { onRetry: () => void me.refetch() } : {})} />
      </div>
    )
  }
  if (!viewer) return <p className="sr-only">{text.wayIn.loading}</p>
  return (
    <ViewerContext value={viewer}>
      {viewer.organization ? (
        <>
          <Live headers={headers} />
          <RouterProvider router={router} />
        </>
      ) : (
        <FirstOrganization />
      )}
    </ViewerContext>
  )
}
