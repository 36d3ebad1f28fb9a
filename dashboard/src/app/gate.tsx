import { createClient } from '@vedette/client'
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useMemo, useState } from 'react'
import { Trouble } from '../components/page.tsx'
import { Toasts } from '../components/toast.tsx'
import { WayInFrame } from '../features/way-in/frame.tsx'
import { Invitation } from '../features/way-in/invitation.tsx'
import type { MailLink } from '../features/way-in/link.ts'
import { AskForReset, ConfirmReset } from '../features/way-in/reset.tsx'
import { Setup } from '../features/way-in/setup.tsx'
import { SignIn } from '../features/way-in/sign-in.tsx'
import type { SignedIn } from '../lib/session.ts'
import { text } from '../messages/index.ts'
import { Boundary } from './boundary.tsx'

/** What only who is signed in needs is not loaded before. */
const SignedInPage = lazy(() => import('./signed-in.tsx'))

type State =
  | { kind: 'asking' }
  | { kind: 'setup' }
  | { kind: 'in' }
  | { kind: 'out'; note?: string }
  | { kind: 'failed'; error: unknown }

const words = text.wayIn.signIn

interface Props {
  session: SignedIn
  /** Of the set-up; empty where the URL had none. */
  code: string
  link: MailLink | undefined
}

/** Decides who sees what: the set-up, a way in, or the pages. A deep link stays in the address bar until somebody is in. */
export function Gate({ session, code, link: given }: Props) {
  const [state, setState] = useState<State>(session.credentials() ? { kind: 'in' } : { kind: 'asking' })
  const [link, setLink] = useState(given)

  const client = useMemo(() => createClient({ baseUrl: location.origin }), [])

  useEffect(() => {
    session.onEnd(() => setState({ kind: 'out', note: words.endedElsewhere }))
  }, [session])
  useEffect(() => {
    if (state.kind !== 'asking') return
    client.setup.read().then(
      ({ required }) => setState({ kind: required ? 'setup' : 'out' }),
      (error: unknown) => setState({ kind: 'failed', error }),
    )
  }, [state.kind, client])

  const begin = (token: string) => {
    session.begin(token)
    if (link) history.replaceState(null, '', '/')
    setLink(undefined)
    setState({ kind: 'in' })
  }
  const leave = useCallback(
    (note?: string) => {
      session.end()
      setState({ kind: 'out', ...(note === undefined ? {} : { note }) })
    },
    [session],
  )

  const wayIn = (form: ReactNode) => <WayInFrame>{form}</WayInFrame>
  let view: ReactNode
  if (link?.path === '/invitations/accept') view = wayIn(<Invitation client={client} token={link.token} onSession={begin} />)
  else if (link && link.token !== '') view = wayIn(<ConfirmReset client={client} token={link.token} onSession={begin} />)
  else if (link) view = wayIn(<AskForReset client={client} />)
  else if (state.kind === 'failed') view = wayIn(<Trouble error={state.error} onRetry={() => setState({ kind: 'asking' })} />)
  else if (state.kind === 'asking') view = <p className="sr-only">{text.wayIn.loading}</p>
  else if (state.kind === 'setup') view = wayIn(<Setup client={client} code={code} onSession={begin} />)
  else if (state.kind === 'out')
    view = wayIn(<SignIn key={state.note ?? ''} client={client} note={state.note} onSession={begin} />)
  else view = <SignedInPage session={session} onLeave={leave} />

  return (
    <Boundary>
      <Suspense fallback={<p className="sr-only">{text.wayIn.loading}</p>}>{view}</Suspense>
      <Toasts />
    </Boundary>
  )
}
