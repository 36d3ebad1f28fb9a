import { endOf, withoutKey } from '../address.ts'
import { SourceFault } from '../files.ts'

/** `incident_key` of PagerDuty says which alerts are the same one. */
const SECRET_NAME = /(?<!^incident_)(key|token|secret|password|authorization|credentials?|headers?)$/i
const ADDRESS = /^(https?|webcal):\/\//i

/**
 * JSON as it is saved: values of fields that are named for a secret are cut to their last characters, and addresses to what is no key.
 * Throws SourceFault where it is nested too deeply. Pure.
 */
export function toSavedJson(content: unknown): string {
  try {
    return `${JSON.stringify(content, (name, value: unknown) => (typeof value === 'string' ? withoutSecret(name, value) : value), 1)}\n`
  } catch (error) {
    if (error instanceof RangeError) throw new SourceFault('An answer is nested too deeply', { cause: error })
    throw error
  }
}

function withoutSecret(name: string, value: string): string {
  if (value !== '' && SECRET_NAME.test(name)) return endOf(value)
  return ADDRESS.test(value) ? withoutKey(value) : value
}
