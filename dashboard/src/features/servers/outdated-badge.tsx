import { messages } from '../../messages/index.ts'

/** Marks an agent that is older than the version of the backend. */
export function OutdatedBadge() {
  return (
    <span
      title={messages.servers.outdatedLead}
      className="relative z-10 inline-block shrink-0 rounded-full bg-warn-ground px-2 py-0.5 text-[0.82rem] text-warn leading-4"
    >
      {messages.servers.outdated}
    </span>
  )
}
