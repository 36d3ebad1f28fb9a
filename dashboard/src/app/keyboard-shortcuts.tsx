import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { ROW_EVENT } from '../lib/open-row.ts'
import { useNavigation, WITHOUT_SECTION } from './navigation.ts'

const loadPalette = () => import('./command-palette.tsx')
/** Both are rarely opened. */
const KeyboardHelp = lazy(async () => ({ default: (await import('./keyboard-help.tsx')).KeyboardHelp }))
const CommandPalette = lazy(async () => ({ default: (await loadPalette()).CommandPalette }))

/** Opens the palette from a button. */
export const PALETTE_EVENT = 'vedette-palette'

/** The longest pause between `g` and the next key. */
const SEQUENCE_MS = 1_200

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** Focuses the link of the next or the previous row of the page; Enter opens it. */
function focusRow(step: number): void {
  const links = [...document.querySelectorAll('main [data-rows] > li')].flatMap((row) => row.querySelector('a') ?? [])
  const at = links.findIndex((link) => link.closest('li')?.contains(document.activeElement))
  const next = links[at === -1 && step < 0 ? links.length - 1 : Math.min(Math.max(at + step, 0), links.length - 1)]
  next?.focus()
  next?.closest('li')?.scrollIntoView({ block: 'nearest' })
  next?.dispatchEvent(new CustomEvent(ROW_EVENT, { bubbles: true }))
}

/** The keyboard shortcuts of all pages; inactive while the user types, and while a dialog is open. */
export function KeyboardShortcuts() {
  const navigate = useNavigate()
  const entries = useNavigation()
  const [isHelp, setHelp] = useState(false)
  const [isPalette, setPalette] = useState(false)
  /** What is typed before the palette is loaded. */
  const early = useRef<string>(undefined)
  useEffect(() => {
    let prefixAt = 0
    const openPalette = () => {
      early.current ??= ''
      loadPalette().catch(() => {
        early.current = undefined
      })
      setPalette(true)
    }
    const press = (event: KeyboardEvent) => {
      // Loaded before the K, so that what is typed right after it arrives.
      if (event.key === 'Control' || event.key === 'Meta') void loadPalette()
      // The page behind a dialog stays: what the dialog shows may be a secret that is shown once.
      const isBehind = document.querySelector('dialog[open]') !== null
      // Also while one types.
      if ((event.ctrlKey || event.metaKey) && event.key === 'k') {
        event.preventDefault()
        if (!isBehind) openPalette()
        return
      }
      if (isBehind || event.ctrlKey || event.metaKey || event.altKey) return
      if (early.current !== undefined && event.key.length === 1) {
        event.preventDefault()
        early.current += event.key
        return
      }
      if (isTyping(event.target)) return
      const entry =
        performance.now() - prefixAt < SEQUENCE_MS ? entries.find(({ shortcut }) => shortcut === event.key) : undefined
      prefixAt = event.key === 'g' ? performance.now() : 0
      if (event.key === 'j' || event.key === 'k') return focusRow(event.key === 'j' ? 1 : -1)
      const search = event.key === '/' ? document.querySelector<HTMLElement>('[data-search]') : null
      if (!entry && !search && event.key !== '?') return
      event.preventDefault()
      if (entry) void navigate({ to: entry.to, params: WITHOUT_SECTION })
      else if (search) search.focus()
      else setHelp(true)
    }
    document.addEventListener('keydown', press)
    document.addEventListener(PALETTE_EVENT, openPalette)
    return () => {
      document.removeEventListener('keydown', press)
      document.removeEventListener(PALETTE_EVENT, openPalette)
    }
  }, [navigate, entries])
  if (isPalette)
    return (
      <Suspense fallback={null}>
        <CommandPalette early={early} onClose={() => setPalette(false)} />
      </Suspense>
    )
  if (!isHelp) return null
  return (
    <Suspense fallback={null}>
      <KeyboardHelp onClose={() => setHelp(false)} />
    </Suspense>
  )
}
