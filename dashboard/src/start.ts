import { createElement, StrictMode } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { App } from './app/app.tsx'
import { takeMailLink } from './features/sign-in/mail-link.ts'
import { takeSetupCode } from './features/sign-in/setup-code.ts'
import { titleCutTexts } from './lib/cut-text.ts'
import { restoreSession } from './lib/session.ts'

/** Shows the page of the address in an element, with the session of this tab or of another one. */
export async function startPage(element: Element): Promise<Root> {
  // Removes secrets from the address bar before anything else.
  const code = takeSetupCode()
  const link = takeMailLink()
  const session = await restoreSession()
  titleCutTexts(element.ownerDocument)
  const root = createRoot(element)
  root.render(createElement(StrictMode, null, createElement(App, { session, code, link })))
  return root
}
