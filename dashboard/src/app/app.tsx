import { createClient } from '@vedette/client'
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react'
import { ErrorPanel } from '../components/page.tsx'
import { toast, Toasts } from '../components/toast.tsx'
import { SignInFrame } from '../features/sign-in/frame.tsx'
import { AcceptInvitation } from '../features/sign-in/invitation.tsx'
import type { MailLink } from '../features/sign-in/mail-link.ts'
import { RequestReset, ConfirmReset } from '../features/sign-in/password-reset.tsx'
import { Setup } from '../features/sign-in/setup.tsx'
import { SignIn } from '../features/sign-in/sign-in.tsx'
import { VerifyEmail } from '../features/sign-in/verify-email.tsx'
import { retryAfterMs } from '../lib/api.ts'
import { createPart } from '../lib/create-part.tsx'
import { dropToken } from '../lib/enrollment-token.ts'
import type { SessionStore } from '../lib/session.ts'
import { messages } from '../messages/index.ts'
import { ErrorBoundary } from './error-boundary.tsx'

/** Loaded after the sign-in. */
const { Part: SignedInPage } = createPart(() => import('./signed-in.tsx'))

type State =
  | { kind: 'loading' }
  | { kind: 'setup' }
  | { kind: 'signed-in' }
  | { kind: 'signed-out'; note?: string }
  | { kind: 'failed'; error: unknown }

const text = messages.signIn.login
/** Where the backend names no wait. */
const RETRY_MS = 5_000

interface Props {
  session: SessionStore
  /** The set-up code of the URL; empty without one. */
  code: string
  link: MailLink | undefined
}

/** Shows the set-up, the sign-in or the signed-in pages. A deep link stays in the address bar until the user is signed in. */
export function App({ session, code, link: initialLink }: Props) {
  const [state, setState] = useState<State>(session.credentials() ? { kind: 'signed-in' } : { kind: 'loading' })
  const [link, setLink] = useState(initialLink)

  const client = useMemo(() => createClient({ baseUrl: location.origin }), [])

  useEffect(() => {
    session.onEnd(() => {
      dropToken()
      setState({ kind: 'signed-out', note: text.signedOutElsewhere })
    })
    session.onBegin(() => setState({ kind: 'signed-in' }))
  }, [session])
  useEffect(() => {
    if (state.kind !== 'loading' && state.kind !== 'failed') return
    const findState = async (): Promise<State> => {
      const note = session.isRemembered() ? { note: text.sessionEnded } : {}
      if (await session.renew()) return { kind: 'signed-in' }
      const { required } = await client.setup.read()
      // Another tab may have answered meanwhile.
      if (session.credentials()) return { kind: 'signed-in' }
      return required ? { kind: 'setup' } : { kind: 'signed-out', ...note }
    }
    const find = () => void findState().then(setState, (error: unknown) => setState({ kind: 'failed', error }))
    if (state.kind === 'loading') return find()
    // A busy or restarting backend is found again without a press of the button.
    const timer = setTimeout(find, retryAfterMs(state.error) ?? RETRY_MS)
    return () => clearTimeout(timer)
  }, [state, client, session])

  const start = (token: string, isRemembered = false) => {
    session.begin(token, isRemembered)
    if (link) history.replaceState(null, '', '/')
    setLink(undefined)
    setState({ kind: 'signed-in' })
  }
  const signOut = useCallback(
    (note?: string) => {
      session.end()
      dropToken()
      setState({ kind: 'signed-out', ...(note === undefined ? {} : { note }) })
    },
    [session],
  )

  const framed = (form: ReactNode) => <SignInFrame>{form}</SignInFrame>
  let view: ReactNode
  if (link?.path === '/invitations/accept')
    view = framed(<AcceptInvitation client={client} token={link.token} onSession={start} />)
  else if (link?.path === '/verify-email') {
    const done = (email: string) => {
      history.replaceState(null, '', '/')
      setLink(undefined)
      toast(messages.signIn.verifyEmail.done(email))
    }
    view = framed(<VerifyEmail client={client} token={link.token} onDone={done} />)
  } else if (link && link.token !== '') view = framed(<ConfirmReset client={client} token={link.token} onSession={start} />)
  else if (link) view = framed(<RequestReset client={client} />)
  else if (state.kind === 'failed')
    view = framed(<ErrorPanel error={state.error} onRetry={() => setState({ kind: 'loading' })} />)
  else if (state.kind === 'loading') view = <p className="sr-only">{messages.loading}</p>
  else if (state.kind === 'setup') view = framed(<Setup client={client} code={code} onSession={start} />)
  else if (state.kind === 'signed-out')
    view = framed(<SignIn key={state.note ?? ''} client={client} note={state.note} onSession={start} />)
  else view = <SignedInPage placeholder={<p className="sr-only">{messages.loading}</p>} session={session} onSignOut={signOut} />

  return (
    <ErrorBoundary>
      {view}
      <Toasts />
    </ErrorBoundary>
  )
}
