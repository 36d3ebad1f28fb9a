import { useState } from 'react'
import { MonitorView } from './details.tsx'

/** The page of a monitor next to the list, whose address is not its own. */
export default function MonitorAside({ monitorId }: { monitorId: string }) {
  const [search, setSearch] = useState({})
  return <MonitorView monitorId={monitorId} search={search} onSearch={setSearch} />
}
