import { useEffect, useMemo, useState } from 'react'
import { kindLabel } from '../../lib/kind-texts.ts'
import { viewerZone } from '../../lib/time.ts'
import { whenReachable } from '../../lib/when-reachable.ts'
import { monitorEditor } from '../../messages/monitor-editor.ts'
import type { Draft } from './draft.ts'
import { KIND_FORMS } from './kind-forms.ts'
import type { proposalsFor } from './proposals/index.ts'

const text = monitorEditor.start
export const kindTexts: Readonly<Record<string, { name: string; lead: string }>> = text.kinds
export const presetTexts: Readonly<Record<string, string>> = text.presets

export const nameOfKind = (type: string): string => kindTexts[type]?.name ?? kindLabel(type)

/** What the search of a kind looks at, in small letters. */
const WORDS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(KIND_FORMS).map(([type, { words, presets = {} }]) => [
    type,
    [nameOfKind(type), kindLabel(type), kindTexts[type]?.lead, words, ...Object.keys(presets).map((name) => presetTexts[name])]
      .join(' ')
      .toLowerCase(),
  ]),
)

/** The kinds that have every word; none for a text that is no search. */
function kindsMatching(typed: string): string[] {
  const words = typed.trim().toLowerCase().split(/\s+/)
  if (typed.length > 60) return []
  return Object.keys(KIND_FORMS).filter((type) => words.every((word) => WORDS[type]?.includes(word)))
}

/** Undefined before it is loaded. */
type Reader = typeof proposalsFor | undefined

/** What a text may mean: monitors to begin with, or else the kinds that have its words. */
function meaningOf(typed: string, read: Reader) {
  const matching = kindsMatching(typed)
  const isEmpty = typed.trim() === ''
  const found = read?.(typed, viewerZone()) ?? []
  // A word such as "redis" is a search, though a host could be called so.
  const proposals = /^[\p{L}-]+$/u.test(typed.trim()) && matching.length > 0 ? [] : found
  const isSearch = !isEmpty && proposals.length === 0 && matching.length > 0
  const [first] = isSearch ? matching : []
  const best: Draft | undefined = proposals[0] ?? (first === undefined ? undefined : { type: first })
  return {
    proposals,
    shown: isSearch ? matching : Object.keys(KIND_FORMS),
    best,
    isUnknown: read !== undefined && !isEmpty && best === undefined,
    canRead: read !== undefined,
  }
}

let loaded: Reader

/** The meaning of what is typed. The readers of pasted texts, larger than the page, are loaded with its first letter. */
export function useMeaning(typed: string) {
  const [read, setRead] = useState<Reader>(() => loaded)
  const isEmpty = typed === ''
  useEffect(() => {
    if (isEmpty || loaded) return
    whenReachable(() => import('./proposals/index.ts')).then(
      ({ proposalsFor: reader }) => setRead(() => (loaded = reader)),
      (error: unknown) =>
        setRead(() => {
          throw error
        }),
    )
  }, [isEmpty])
  return useMemo(() => meaningOf(typed, read), [typed, read])
}
