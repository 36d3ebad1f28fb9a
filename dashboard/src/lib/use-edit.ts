import { etagOf, VedetteError } from '@vedette/client'
import { useState } from 'react'
import { changedFields, conflictingFields } from './edits.ts'

export interface EditOptions<Resource extends object, Input, Body extends object> {
  /** As it was read when the editor opened. */
  resource: Resource
  read: () => Promise<Resource>
  toInput: (resource: Resource) => Input
  toBody: (input: Input) => Body
  patch: (changes: Partial<Body>, options: { ifMatch: string | undefined }) => Promise<unknown>
}

/** Fields that the user and somebody else changed, with both values. */
export interface EditConflict<Input> {
  fields: readonly { name: string; mine: unknown; theirs: unknown }[]
  /** What of the form changes with their values. */
  theirs: Partial<Input>
  close: () => void
}

interface Draft<Resource> {
  /** The version that the user has seen. */
  base: Resource
  /** The version with the changes of the user. */
  shown: Resource
  conflicts: EditConflict<never>['fields']
  /** Counts up when the form has to begin with other values. */
  revision: number
}

/** Saves may meet a version that is newer again. */
const ATTEMPTS = 5

/**
 * Edits a resource that others may change meanwhile. Only changed fields are sent, with `If-Match`. Where somebody else changed other
 * fields, both changes stay; where they changed the same ones, nothing is saved and the user chooses.
 */
export function useEdit<Resource extends object, Input extends object, Body extends object>(
  options: EditOptions<Resource, Input, Body>,
) {
  const { read, toInput, toBody, patch } = options
  const [draft, setDraft] = useState<Draft<Resource>>(() => ({
    base: options.resource,
    shown: options.resource,
    conflicts: [],
    revision: 0,
  }))
  const bodyOf = (resource: Resource): Body => toBody(toInput(resource))

  /** The fields that were sent; undefined where the user has to choose first. */
  async function save(input: Input): Promise<readonly string[] | undefined> {
    let base = draft.base
    const changes = changedFields(bodyOf(base), toBody(input))
    const sent = Object.keys(changes)
    if (sent.length === 0) return sent
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      try {
        await patch(changes, { ifMatch: etagOf(base) })
        return sent
      } catch (error) {
        if (!(error instanceof VedetteError) || error.code !== 'precondition_failed') throw error
      }
      const latest = await read()
      const theirs = changedFields(bodyOf(base), bodyOf(latest))
      const names = conflictingFields(changes, theirs)
      base = latest
      if (names.length === 0) continue
      const conflicts = names.map((name) => ({ name, mine: changes[name], theirs: theirs[name] }))
      setDraft(({ revision }) => ({ base: latest, shown: { ...latest, ...changes }, conflicts, revision: revision + 1 }))
      return undefined
    }
    throw new Error('changed by others with every attempt to save it')
  }

  return {
    /** For the key of the editor. */
    revision: draft.revision,
    input: toInput(draft.shown),
    /** What is stored: an input that differs from it is not saved yet. */
    saved: toInput(draft.base),
    save,
    conflict: conflictOf(draft, toInput, () => setDraft((now) => ({ ...now, conflicts: [] }))),
  }
}

function conflictOf<Resource extends object, Input extends object>(
  { shown, conflicts }: Draft<Resource>,
  toInput: (resource: Resource) => Input,
  close: () => void,
): EditConflict<Input> | undefined {
  if (conflicts.length === 0) return undefined
  const theirs = Object.fromEntries(conflicts.map((field) => [field.name, field.theirs]))
  return { fields: conflicts, theirs: changedFields(toInput(shown), toInput({ ...shown, ...theirs })), close }
}
