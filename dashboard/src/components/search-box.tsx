import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'

/** As long as a pause between two words: each letter is not a request. */
const PAUSE_MS = 300

/** Found by the key `/`. What is typed arrives after a short pause. */
export function SearchBox({ value, label, onSearch }: { value: string; label: string; onSearch: (value: string) => void }) {
  const [typed, setTyped] = useState(value)
  const told = useRef(value)
  if (value !== told.current) {
    // Changed from outside: the back button, or the filters were cleared.
    told.current = value
    setTyped(value)
  }
  useEffect(() => {
    const wanted = typed.trim()
    if (wanted === told.current) return
    const timer = setTimeout(() => {
      told.current = wanted
      onSearch(wanted)
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed, onSearch])
  return (
    <div className="relative w-full sm:w-72">
      <Search
        size={15}
        aria-hidden="true"
        className="-translate-y-1/2 pointer-events-none absolute top-1/2 left-2.5 text-muted"
      />
      <input
        type="search"
        data-search=""
        aria-label={label}
        placeholder={label}
        value={typed}
        maxLength={200}
        onChange={(event) => setTyped(event.target.value)}
        className="field min-h-9 py-1 pl-8"
      />
      <kbd
        aria-hidden="true"
        className="-translate-y-1/2 pointer-events-none absolute top-1/2 right-2.5 hidden rounded border border-line px-1.5 font-sans text-[0.8rem] text-muted sm:block"
      >
        /
      </kbd>
    </div>
  )
}
