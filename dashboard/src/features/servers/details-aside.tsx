import { useState } from 'react'
import { type Change, ServerView } from './details.tsx'
import { serverSearch } from './entities/search.ts'

/** The overview of a host next to the list, whose address is not its own. Its tabs lead to its page. */
export default function ServerAside({ serverId }: { serverId: string }) {
  const [search, setSearch] = useState<Change>({})
  const change = (next: Change) => setSearch((before) => ({ ...before, ...next }))
  return <ServerView serverId={serverId} tab="overview" search={serverSearch(search)} onChange={change} />
}
