import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Gate } from './app/gate.tsx'
import { takeCode } from './features/way-in/code.ts'
import { takeLink } from './features/way-in/link.ts'
import { findSession } from './lib/session.ts'

// Before anything waits: secrets leave the address bar first.
const code = takeCode()
const link = takeLink()
const session = await findSession()

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <Gate session={session} code={code} link={link} />
  </StrictMode>,
)
