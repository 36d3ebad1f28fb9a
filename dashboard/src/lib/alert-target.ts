import type { AlertTarget } from '@vedette/shared'

/** The target of a rule or window while it is edited. */
export interface TargetInput {
  type: AlertTarget['type']
  scope: 'all' | 'tag' | 'single'
  tag: string
  id: string | undefined
}

export const ALL_SERVERS: TargetInput = { type: 'server', scope: 'all', tag: '', id: undefined }

export function toTargetInput({ type, id, tag }: AlertTarget): TargetInput {
  if (id !== null) return { type, scope: 'single', tag: '', id }
  return { type, scope: tag === null ? 'all' : 'tag', tag: tag ?? '', id: undefined }
}

/** The path of the one target where none is chosen. */
export const missingTarget = ({ target }: { target: TargetInput }): string[] =>
  target.scope === 'single' && target.id === undefined ? ['target.id'] : []

/** A target that is not chosen is empty. */
export function toTarget({ type, scope, tag, id }: TargetInput): AlertTarget {
  return { type, id: scope === 'single' ? (id ?? '') : null, tag: scope === 'tag' ? tag.trim() : null }
}
