import { text } from '../../messages/index.ts'

/** Beside an agent of which a newer version is known. */
export function Outdated() {
  return (
    <span
      title={text.servers.outdatedLead}
      className="relative z-10 inline-block shrink-0 rounded-full bg-warn-ground px-2 py-0.5 text-[0.82rem] text-warn leading-4"
    >
      {text.servers.outdated}
    </span>
  )
}
