import { type FormEvent, useState } from 'react'

/** A thing as it is being edited, until it is saved. */
export interface DraftState<Draft> {
  draft: Draft
  setDraft: (next: Draft) => void
  change: (part: Partial<Draft>) => void
  /** What was refused last; undefined: nothing. */
  error: unknown
  setError: (error: unknown) => void
  isBusy: boolean
  /** Of the form. */
  onSubmit: (event: FormEvent) => void
}

export function useDraft<Draft extends object>(given: Draft, onSave: (draft: Draft) => Promise<void>): DraftState<Draft> {
  const [draft, setDraft] = useState(given)
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    onSave(draft)
      .catch(setError)
      .finally(() => setBusy(false))
  }
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  return { draft, setDraft, change, error, setError, isBusy, onSubmit }
}
