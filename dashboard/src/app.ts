import type { Client } from '@vedette/client'

/** What each view is given. */
export interface App {
  client: Client
  /** Puts the view's nodes in place of what is shown. */
  show(...nodes: Node[]): void
  /** Goes on with a session that was just begun. */
  signedIn(token: string): void
}

/** Shows itself, and ends what it does when the signal says that another view comes. */
export type View = (app: App, signal: AbortSignal) => void | Promise<void>
