import { Search } from './icons.tsx'
import { type AriaAttributes, useEffect, useRef, useState } from 'react'

/** Waits for a pause in typing, so that not each letter is a request. */
const PAUSE_MS = 300

interface Props extends Pick<AriaAttributes, 'aria-invalid' | 'aria-describedby'> {
  value: string
  label: string
  onSearch: (value: string) => void
}

/** The shortcut `/` focuses it. `onSearch` is called after a short pause. */
export function SearchBox({ value, label, onSearch, ...aria }: Props) {
  const [typed, setTyped] = useState(value)
  const reported = useRef(value)
  if (value !== reported.current) {
    // Changed by the back button, or because the filters were cleared.
    reported.current = value
    setTyped(value)
  }
  useEffect(() => {
    const query = typed.trim()
    if (query === reported.current) return
    const timer = setTimeout(() => {
      reported.current = query
      onSearch(query)
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
        {...aria}
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
