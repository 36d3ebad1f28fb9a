import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { pollEvery, useViewer } from '../lib/api.ts'
import { setOpenIncidents } from '../lib/window-title.ts'
import { messages } from '../messages/index.ts'

const POLL_MS = 60_000

/** The number of open incidents, in the navigation and in the title of the window. */
export function OpenIncidentCount() {
  const { client, organizationId } = useViewer()
  const open = useQuery({
    queryKey: [organizationId, 'incidents', 'open'],
    queryFn: ({ signal }) => client.incidents.list({ status: 'open', limit: 1 }, { signal }),
    refetchInterval: pollEvery(POLL_MS, 300_000),
    staleTime: POLL_MS,
  })
  const total = open.data?.total ?? 0
  useEffect(() => {
    setOpenIncidents(total)
    return () => setOpenIncidents(0)
  }, [total])
  if (total === 0) return null
  return (
    <span className="rounded-full bg-bad-ground px-1.5 font-semibold text-[0.82rem] text-bad leading-5 max-lg:absolute max-lg:top-0.5 max-lg:left-[calc(50%+0.4rem)] max-lg:px-1 max-lg:leading-4 lg:ml-auto">
      <span aria-hidden="true">{total > 99 ? '99+' : total}</span>
      <span className="sr-only">{messages.incidents.openCount(total)}</span>
    </span>
  )
}
