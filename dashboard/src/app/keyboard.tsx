import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Dialog } from '../components/dialog.tsx'
import { text } from '../messages/index.ts'

/** Between `g` and the letter behind it. */
const SEQUENCE_MS = 1_200

const { keys } = text
const HELP = [
  { keys: ['/'], does: keys.search },
  { keys: ['g', 'o'], does: keys.overview },
  { keys: ['g', 's'], does: keys.servers },
  { keys: ['g', 'm'], does: keys.monitors },
  { keys: ['g', 'i'], does: keys.incidents },
  { keys: ['g', 'a'], does: keys.alerts },
  { keys: ['g', ','], does: keys.settings },
  { keys: ['?'], does: keys.help },
]
type Place = '/' | '/servers' | '/monitors' | '/incidents' | '/alerts/{-$section}' | '/settings/{-$section}'
const PLACES: Readonly<Record<string, Place>> = {
  o: '/',
  s: '/servers',
  m: '/monitors',
  i: '/incidents',
  a: '/alerts/{-$section}',
  ',': '/settings/{-$section}',
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** Keys of the whole page. None of them does anything while somebody types. */
export function Keyboard() {
  const navigate = useNavigate()
  const [isHelp, setHelp] = useState(false)
  useEffect(() => {
    let wentAt = 0
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      const place = performance.now() - wentAt < SEQUENCE_MS ? PLACES[event.key] : undefined
      wentAt = event.key === 'g' ? performance.now() : 0
      const search = event.key === '/' ? document.querySelector<HTMLElement>('[data-search]') : null
      if (place === undefined && !search && event.key !== '?') return
      event.preventDefault()
      // Without the section of the page that is left.
      if (place !== undefined) void navigate({ to: place, params: { section: undefined } })
      else if (search) search.focus()
      else setHelp(true)
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [navigate])
  return (
    <Dialog title={keys.title} isOpen={isHelp} onClose={() => setHelp(false)}>
      <dl className="grid gap-2">
        {HELP.map(({ keys, does }) => (
          <div key={does} className="flex items-center justify-between gap-4">
            <dt className="text-soft">{does}</dt>
            <dd className="flex gap-1">
              {keys.map((key) => (
                <kbd key={key} className="min-w-7 rounded-md border border-line bg-sunken px-2 py-0.5 text-center font-sans">
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
