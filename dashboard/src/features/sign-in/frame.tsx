import type { ReactNode } from 'react'
import { messages } from '../../messages/index.ts'

/** The frame of all forms before the sign-in. */
export function SignInFrame({ children }: { children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col items-center px-3 pt-[max(1.5rem,9vh)] pb-10">
      <header className="mb-7">
        <a href="/" className="flex items-center gap-3 font-bold text-[1.45rem] tracking-tight">
          <img src="/icon.svg" alt="" width="34" height="34" />
          {messages.brand}
        </a>
      </header>
      <main className="flex w-full justify-center">{children}</main>
      <footer className="mt-6 text-muted">
        <a href="/docs/" className="hover:text-text hover:underline">
          {messages.nav.api}
        </a>
      </footer>
    </div>
  )
}
