import type { ReplaySetResult } from '@vedette/shared'
import { CHANNEL_TYPES } from '@vedette/shared/tables'
import { replays as text } from '../../messages/replays.ts'

/** What is configured, then each changed set. */
export interface NamedSet {
  name: string
  result: ReplaySetResult
}

export const channelType = (type: string): string =>
  type === 'browser' ? text.browser : (CHANNEL_TYPES[type as keyof typeof CHANNEL_TYPES]?.label ?? type)

/** A name that was pasted, unless another set has it: the columns go by it. */
export function setNames(results: readonly ReplaySetResult[]): string[] {
  const own = results.map(({ name }) => name).filter((name) => name !== null)
  const isOfOne = (name: string) => own.indexOf(name) === own.lastIndexOf(name) && name !== text.current
  return results.map(({ name }, index) => (name !== null && isOfOne(name) ? name : text.set(index + 1)))
}
