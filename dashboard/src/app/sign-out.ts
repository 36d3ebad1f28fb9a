import { VedetteError } from '@vedette/client'
import { messages } from '../messages/index.ts'

/** The message after a sign-out: none, unless the backend was not reachable. A refusal means that the session had ended already. */
export async function signOutMessage(logout: Promise<unknown>): Promise<string | undefined> {
  try {
    await logout
    return undefined
  } catch (error) {
    return error instanceof VedetteError ? undefined : messages.signIn.login.logoutFailed
  }
}
