import { useEffect, useState } from 'react'
import { isReachable } from '../lib/when-reachable.ts'
import { messages } from '../messages/index.ts'

const POLL_MS = 3_000

/** A quiet bar while the backend cannot be reached. Rendered while the event stream is broken, which alone proves nothing. */
export function ConnectionBar() {
  const [isUnreachable, setUnreachable] = useState(false)
  useEffect(() => {
    const ending = new AbortController()
    const poll = async () => {
      const answers = await isReachable()
      if (!ending.signal.aborted) setUnreachable(!answers)
    }
    const timer = setInterval(() => void poll(), POLL_MS)
    return () => {
      ending.abort()
      clearInterval(timer)
    }
  }, [])
  return (
    <div role="status">
      {isUnreachable && (
        <p className="-translate-x-1/2 fixed bottom-18 left-1/2 z-50 w-max max-w-[92vw] rounded-lg bg-warn-ground px-4 py-2 text-center text-warn shadow-lift lg:bottom-4">
          {messages.errors.unreachable} {messages.errors.retrying}
        </p>
      )}
    </div>
  )
}
