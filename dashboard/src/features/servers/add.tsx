import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import { useState } from 'react'
import { Button, buttonClass } from '../../components/button.tsx'
import { CodeLines } from '../../components/copy.tsx'
import { FormFault } from '../../components/field.tsx'
import { Page, Panel } from '../../components/page.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { every, useScope, useViewer } from '../../lib/api.ts'
import { sentenceOf } from '../../lib/errors.ts'
import { fullDate } from '../../lib/time.ts'
import { text } from '../../messages/index.ts'
import { type HostSystem, hostLines, needsHttpLeave } from './host-lines.ts'

const words = text.servers.addPage
const DAY_MS = 86_400_000
/** Somebody waits for it, and one small request each. */
const LOOK_MS = 4_000

type Systems = readonly { value: HostSystem; label: string }[]
/** Where this backend hands out a release. */
const BY_SCRIPT: Systems = [
  { value: 'unix', label: 'Linux, macOS' },
  { value: 'windows', label: 'Windows' },
  { value: 'clone', label: 'From a clone' },
]
const BY_PROGRAM: Systems = [
  { value: 'linux', label: 'Linux' },
  { value: 'macos', label: 'macOS' },
  { value: 'clone', label: 'From a clone' },
]

/** A key made for it, lines to copy, and the page turns green when the first sample comes. */
export function AddServerPage() {
  const { can } = useViewer()
  const [made, setMade] = useState<{ key: string; at: number }>()
  return (
    <Page title={words.title} lead={words.lead}>
      <div className="grid max-w-5xl gap-4">
        {made ? (
          <>
            <Lines apiKey={made.key} />
            <Waiting since={made.at} onAnother={() => setMade(undefined)} />
          </>
        ) : (
          <Panel>{can('integrations:manage') ? <MakeKey onMade={setMade} /> : <p>{words.forbidden}</p>}</Panel>
        )}
      </div>
    </Page>
  )
}

function MakeKey({ onMade }: { onMade: (made: { key: string; at: number }) => void }) {
  const { client } = useViewer()
  const [fault, setFault] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const make = () => {
    const now = Date.now()
    setBusy(true)
    client.apiKeys
      .create({ name: words.keyName(fullDate(now)), scopes: ['agent'], expires_at: new Date(now + DAY_MS).toISOString() })
      .then(
        // By the backend's clock: what joins after the key was made joined by it.
        ({ key, created_at }) => onMade({ key, at: Date.parse(created_at) }),
        (error: unknown) => setFault(sentenceOf(error)),
      )
      .finally(() => setBusy(false))
  }
  return (
    <div className="grid gap-3">
      <p className="text-soft">{words.makeLead}</p>
      <p className="text-muted">{words.localNote}</p>
      <FormFault>{fault}</FormFault>
      <Button look="primary" className="justify-self-start" onClick={make} disabled={isBusy}>
        {words.make}
      </Button>
    </div>
  )
}

function Lines({ apiKey }: { apiKey: string }) {
  const { origin } = location
  const script = useQuery({
    queryKey: ['install.sh'],
    queryFn: async ({ signal }) => (await fetch(`${origin}/install.sh`, { method: 'HEAD', signal })).ok,
    retry: false,
  })
  const systems = script.data === true ? BY_SCRIPT : BY_PROGRAM
  const [chosen, setSystem] = useState<HostSystem>()
  const system = systems.find(({ value }) => value === chosen)?.value ?? systems[0]?.value ?? 'linux'
  if (script.isPending) return null
  return (
    <Panel title={words.steps} aside={<Segmented label={words.system} options={systems} value={system} onChoose={setSystem} />}>
      <div className="grid gap-2.5">
        {system === 'windows' && <p className="text-soft">{words.windows}</p>}
        {system === 'unix' && <p className="text-soft">{words.script}</p>}
        {system === 'clone' && <p className="text-soft">{words.clone}</p>}
        <CodeLines label={words.steps} lines={hostLines(system, { origin, key: apiKey })} />
        {needsHttpLeave(origin) && <p className="text-warn">{words.httpNote}</p>}
        <p className="text-muted">{words.expiry}</p>
      </div>
    </Panel>
  )
}

/** Looks at the newest servers until one of them has joined since the key was made and has a sample. */
function Waiting({ since, onAnother }: { since: number; onAnother: () => void }) {
  const { client } = useViewer()
  const list = useQuery({
    queryKey: [useScope(), 'servers', 'newest'],
    queryFn: ({ signal }) => client.servers.list({ limit: 5, include: 'metrics' }, { signal }),
    refetchInterval: (query) => every(joined(query.state.data?.servers, since) ? false : LOOK_MS)(query),
  })
  const server = joined(list.data?.servers, since)
  if (!server) {
    return (
      <div role="status" className="panel flex items-center gap-3 px-4 py-4 text-soft">
        <span className="skeleton size-3.5 rounded-full bg-field-line" />
        {words.waiting}
      </div>
    )
  }
  return (
    <div role="status" className="flex flex-wrap items-center gap-3 rounded-xl border border-good-bar bg-good-ground px-4 py-4">
      <CircleCheck className="text-good" aria-hidden="true" />
      <p className="flex-1">
        <span className="block font-semibold text-good">{words.joined(server.display_name ?? server.hostname)}</span>
        <span className="text-soft">{words.joinedLead}</span>
      </p>
      <Button onClick={onAnother}>{words.another}</Button>
      <Link to="/servers/$serverId" params={{ serverId: server.id }} className={buttonClass('primary')}>
        {words.open}
      </Link>
    </div>
  )
}

interface Newcomer {
  id: string
  hostname: string
  display_name: string | null
  registered_at: string
  metrics?: { sampled_at: string } | null
}

const joined = <Server extends Newcomer>(servers: readonly Server[] | undefined, since: number): Server | undefined =>
  servers?.find(({ registered_at, metrics }) => metrics && Date.parse(registered_at) >= since)
