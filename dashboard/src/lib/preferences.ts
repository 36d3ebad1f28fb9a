import { useSyncExternalStore } from 'react'

export type Theme = 'system' | 'light' | 'dark'

/** The preferences of this browser; nothing in them is secret. */
export interface Preferences {
  theme: Theme
  /** One of the page's languages; `browser` follows the browser. Another one shows after a reload. */
  language: string
  /** A name of the IANA database; `browser` follows the browser. */
  timeZone: string
  /** The organization on display; undefined: the one joined first. */
  organizationId: string | undefined
  /** The groups of lists that are open. */
  openGroups: readonly string[]
  /** The person and organization of each checklist that is hidden or complete. */
  withoutChecklist: readonly string[]
  /** The person and organization of each delivered test of a channel that was not saved yet. */
  testedChannel: readonly string[]
  /** How the overview groups everything that is watched: not, by `tag`, or by the value of tags with a key: `key:site`. */
  stateGroups: string
}

/** public/theme.js reads it as well, before the first paint. */
const KEY = 'vedette-preferences'
const DEFAULTS: Preferences = {
  theme: 'system',
  language: 'browser',
  timeZone: 'browser',
  organizationId: undefined,
  openGroups: [],
  withoutChecklist: [],
  testedChannel: [],
  stateGroups: '',
}

const listeners = new Set<() => void>()
let current = read()

function read(): Preferences {
  try {
    return { ...DEFAULTS, ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Preferences>) }
  } catch {
    return DEFAULTS // a browser that keeps nothing, or text that is not ours
  }
}

export const preferences = (): Preferences => current

export function changePreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change }
  try {
    localStorage.setItem(KEY, JSON.stringify(current))
  } catch {
    // Without storage they last until the reload.
    current = { ...current }
  }
  showTheme()
  for (const listener of listeners) listener()
}

function showTheme(): void {
  const root = document.documentElement
  if (current.theme === 'system') delete root.dataset['theme']
  else root.dataset['theme'] = current.theme
}

export const usePreferences = (): Preferences => useSyncExternalStore(subscribe, preferences)

// One function for all: React subscribes again for another one.
function subscribe(changed: () => void): () => void {
  if (listeners.size === 0) window.addEventListener('storage', readChange)
  listeners.add(changed)
  return () => {
    listeners.delete(changed)
    if (listeners.size === 0) window.removeEventListener('storage', readChange)
  }
}

/** Another tab has changed them. */
function readChange({ key }: StorageEvent): void {
  if (key !== KEY) return
  current = read()
  showTheme()
  for (const listener of listeners) listener()
}

const systemDark = () => window.matchMedia('(prefers-color-scheme: dark)')

/** True where the dark theme is on display. */
export function useIsDark(): boolean {
  const { theme } = usePreferences()
  const system = useSyncExternalStore(
    (changed) => {
      const dark = systemDark()
      dark.addEventListener('change', changed)
      return () => dark.removeEventListener('change', changed)
    },
    () => systemDark().matches,
  )
  return theme === 'system' ? system : theme === 'dark'
}
