import { hashSecret } from '../../../access/auth/index.ts'
import { ApiError } from '../../../platform/errors.ts'
import type { Intake } from '../intake.ts'
import type { IntakeLimits } from '../limits.ts'
import type { Deliver } from './conversation.ts'

/** All mails come from the mail server in front: those with unknown tokens count together. */
const SENDER = 'mail'

/** Hands the alerts of mails to their sources, within the limits of those. */
export const createMailDelivery =
  ({ intake, limits }: { intake: Intake; limits: IntakeLimits }): Deliver =>
  async (token, alert) => {
    const name = hashSecret(token).toString('latin1')
    try {
      limits.admit(SENDER, name)
    } catch (error) {
      if (error instanceof ApiError && error.code === 'rate_limited') return 'limited'
      throw error
    }
    const bytes = Buffer.from(JSON.stringify(alert))
    const taken = await intake
      .take({ token, bytes, body: undefined, headers: {}, type: 'email', read: () => [alert] })
      .catch((error: unknown) => {
        // A token of a source of another type.
        if (error instanceof ApiError && error.code === 'validation_error') return undefined
        throw error
      })
    limits.learn(name, taken !== undefined)
    if (taken === undefined) limits.refused(SENDER, name)
    return taken ? 'stored' : 'unknown'
  }
