import type { CheckErrorCode } from '@vedette/shared'
import type { Fault } from '../../phases/fault.ts'

/** Ends a check from within a conversation with a target. */
export class CheckFault extends Error {
  readonly fault: Fault
  constructor(code: CheckErrorCode, message: string) {
    super(message)
    this.fault = { code, message }
  }
}

/** The target breaks the rules of its protocol, or refuses. */
export const protocolFault = (message: string): CheckFault => new CheckFault('protocol', message)

/** The same text for each kind, without the name of the user. `reason` comes from the target. */
export const loginRefused = (reason = ''): CheckFault =>
  protocolFault(`the server refused the login of the configured user${reason === '' ? '' : ` (${reason})`}`)
