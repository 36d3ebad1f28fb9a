import { VedetteError } from '@vedette/client'
import { text } from '../messages/index.ts'

/** What to say to who leaves: nothing, unless the backend could not be told. Who is refused has no session any more. */
export async function noteOfLeaving(logout: Promise<unknown>): Promise<string | undefined> {
  try {
    await logout
    return undefined
  } catch (error) {
    return error instanceof VedetteError ? undefined : text.wayIn.signIn.notTold
  }
}
