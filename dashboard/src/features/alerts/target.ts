import type { AlertTarget } from '@vedette/shared'
import { text } from '../../messages/index.ts'

const words = text.alerts.target

/** What a rule or a window speaks of, as it is chosen. */
export interface TargetDraft {
  type: AlertTarget['type']
  scope: 'all' | 'tag' | 'one'
  tag: string
  id: string | undefined
}

export const ANY_SERVER: TargetDraft = { type: 'server', scope: 'all', tag: '', id: undefined }

export function targetDraftOf({ type, id, tag }: AlertTarget): TargetDraft {
  if (id !== null) return { type, scope: 'one', tag: '', id }
  return { type, scope: tag === null ? 'all' : 'tag', tag: tag ?? '', id: undefined }
}

/** As the API takes it. What is not chosen yet is sent as nothing, so that the API says what is missing. */
export function targetOf({ type, scope, tag, id }: TargetDraft): AlertTarget {
  return { type, id: scope === 'one' ? (id ?? '') : null, tag: scope === 'tag' ? tag.trim() : null }
}

/** In a line; of a single one the kind, where its name is not at hand. */
export function targetWords({ type, id, tag }: AlertTarget): string {
  if (id !== null) return words.one[type]
  return tag === null ? words.all[type] : words.tagged[type](tag)
}
