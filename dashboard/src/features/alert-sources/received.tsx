import type { AlertSource } from '@vedette/shared'
import { Ago } from '../../components/time.tsx'
import { count } from '../../lib/format.ts'
import { alertSources as text } from '../../messages/alert-sources.ts'

/** How much a source has sent, and when last. */
export function Received({ source: { last_received_at: at, received_count: requests } }: { source: AlertSource }) {
  return (
    <p className="text-[0.92rem] text-muted">
      {at === null ? (
        text.never
      ) : (
        <>
          {text.received(count(requests))} <Ago at={at} />
        </>
      )}
    </p>
  )
}
