import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { takeSetupCode } from './features/sign-in/setup-code.ts'
import { takeMailLink } from './features/sign-in/mail-link.ts'
import { language } from './messages/language.ts'
import { restoreSession } from './lib/session.ts'

document.documentElement.lang = language

// Removes secrets from the address bar before anything else.
const code = takeSetupCode()
const link = takeMailLink()
// A mailed link that opens in a tab with the same page changes the fragment alone.
addEventListener('hashchange', () => {
  if (location.hash.startsWith('#token=')) location.reload()
})
const session = await restoreSession()

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <App session={session} code={code} link={link} />
  </StrictMode>,
)

// Over plain HTTP there is none, and a browser may refuse it: then a load without a connection shows the browser's own page.
if ('serviceWorker' in navigator) navigator.serviceWorker.register('/sw.js').catch(() => undefined)
