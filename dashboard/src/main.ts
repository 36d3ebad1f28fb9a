// The first page: set-up, sign-in, and the hosts with their newest sample. The whole dashboard comes in its own step.

import { createClient, VedetteError } from '@vedette/client'
import type { App, View } from './app.ts'
import { find, paragraph } from './components/elements.ts'
import { watchServers } from './features/servers.ts'
import { showSetup } from './features/setup.ts'
import { signIn } from './features/sign-in.ts'
import { keepSession } from './session.ts'

const NOT_TOLD = 'This tab has forgotten the session. Vedette could not be told: there it ends by itself within twelve hours.'

const session = keepSession()
const view = find(document, '#view')
const signOut = find(document, '#sign-out')
const client = createClient({
  baseUrl: location.origin,
  credentials: session.credentials,
  onUnauthorized: () => leave('Your session has ended. Sign in again.'),
})

const app: App = {
  client,
  show: (...nodes) => {
    // What is shown already stays: a reader of the screen would lose its place.
    if (nodes.length !== 1 || nodes[0] !== view.firstChild) view.replaceChildren(...nodes)
  },
  signedIn: (token) => {
    session.begin(token)
    history.replaceState(null, '', '/')
    enter(watchServers)
  },
}

let ending = new AbortController()

/** Goes over to another view; the one before ends. */
function enter(next: View): void {
  ending.abort()
  ending = new AbortController()
  signOut.hidden = session.credentials() === undefined
  void next(app, ending.signal)
}

function leave(note?: string): void {
  session.end()
  enter(signIn(note))
}

signOut.addEventListener('click', () => {
  const ended = client.auth.logout()
  ended.then(
    () => leave(),
    // Who is refused has no session any more.
    (error: unknown) => leave(error instanceof VedetteError ? undefined : NOT_TOLD),
  )
})

async function begin(): Promise<void> {
  const { required } = await client.setup.read()
  if (required) enter(showSetup)
  else enter(session.credentials() ? watchServers : signIn())
}

begin().catch((error: Error) => app.show(paragraph('error', error.message)))
