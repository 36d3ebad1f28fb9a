import { DAY_MS, MINUTE_MS } from '@vedette/shared/tables'
import type { ServerItem } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import { useState } from 'react'
import { Button, buttonClass } from '../../components/button.tsx'
import { CodeLines } from '../../components/copy.tsx'
import { Form } from '../../components/form.tsx'
import { Page, Panel } from '../../components/page.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { pollEvery, useViewer } from '../../lib/api.ts'
import { serverName } from '../../lib/server-name.ts'
import { useForm } from '../../lib/use-form.ts'
import { messages } from '../../messages/index.ts'
import { type InstallMethod, installCommands, isLoopback, needsAllowHttp } from './install-commands.ts'

const text = messages.servers.addPage
const POLL_MS = 4_000
/** The same commands work on so many hosts. */
const USES = 10

/** With a release that this backend serves; without one, the program or a clone has to be on the host already. */
const WITH_RELEASE: readonly InstallMethod[] = ['unix', 'windows', 'clone']
const WITHOUT_RELEASE: readonly InstallMethod[] = ['linux', 'macos', 'clone']

interface CreatedToken {
  token: string
  /** By the clock of the backend: a server that registers later used the token. */
  createdAtMs: number
}

/** Creates an enrollment token, shows the commands, and waits for the first sample. */
export function AddServerPage() {
  const { can } = useViewer()
  const [created, setCreated] = useState<CreatedToken>()
  return (
    <Page title={text.title} lead={text.lead}>
      <div className="grid max-w-5xl gap-4">
        {created ? (
          <>
            <InstallPanel token={created.token} />
            <FirstSample sinceMs={created.createdAtMs} onAnother={() => setCreated(undefined)} />
          </>
        ) : (
          <Panel>{can('integrations:manage') ? <CreateToken onCreated={setCreated} /> : <p>{text.forbidden}</p>}</Panel>
        )}
      </div>
    </Page>
  )
}

function CreateToken({ onCreated }: { onCreated: (created: CreatedToken) => void }) {
  const { client } = useViewer()
  const form = useForm({}, async (_input, idempotencyKey) => {
    const body = { uses: USES, expires_in_minutes: DAY_MS / MINUTE_MS }
    const { token, created_at } = await client.enrollmentTokens.create(body, { idempotencyKey })
    onCreated({ token, createdAtMs: Date.parse(created_at) })
  })
  return (
    <Form form={form} action={text.createToken}>
      <p className="text-soft">{text.createTokenLead}</p>
      <p className="text-muted">{text.localNote}</p>
    </Form>
  )
}

function InstallPanel({ token }: { token: string }) {
  const { origin } = location
  const script = useQuery({
    queryKey: ['install.sh'],
    queryFn: async ({ signal }) => (await fetch(`${origin}/install.sh`, { method: 'HEAD', signal })).ok,
    retry: false,
  })
  const systems = script.data === true ? WITH_RELEASE : WITHOUT_RELEASE
  const [chosen, setSystem] = useState<InstallMethod>()
  const system = systems.find((each) => each === chosen) ?? systems[0] ?? 'linux'
  const options = systems.map((value) => ({ value, label: text.systems[value] }))
  if (script.isPending) return null
  return (
    <Panel title={text.commands} aside={<Segmented label={text.system} options={options} value={system} onChoose={setSystem} />}>
      <div className="grid gap-2.5">
        {text.notes[system] !== undefined && <p className="text-soft">{text.notes[system]}</p>}
        <CodeLines label={text.commands} lines={installCommands(system, { origin, key: token })} />
        {isLoopback(origin) && <p className="text-warn">{text.loopback(origin)}</p>}
        {needsAllowHttp(origin) && <p className="text-warn">{text.plainHttp}</p>}
        <p className="text-muted">{text.expiry}</p>
      </div>
    </Panel>
  )
}

/** Polls the newest servers until one has registered with the key and sent a sample. */
function FirstSample({ sinceMs, onAnother }: { sinceMs: number; onAnother: () => void }) {
  const { client, organizationId } = useViewer()
  const list = useQuery({
    queryKey: [organizationId, 'servers', 'newest'],
    queryFn: ({ signal }) => client.servers.list({ limit: 5, include: 'metrics' }, { signal }),
    refetchInterval: (query) => pollEvery(findConnected(query.state.data?.servers, sinceMs) ? false : POLL_MS)(query),
  })
  const server = findConnected(list.data?.servers, sinceMs)
  if (!server) {
    return (
      <div role="status" className="panel flex items-center gap-3 px-4 py-4 text-soft">
        <span className="skeleton size-3.5 rounded-full bg-field-line" />
        {text.waiting}
      </div>
    )
  }
  return (
    <div role="status" className="flex flex-wrap items-center gap-3 rounded-xl border border-good-bar bg-good-ground px-4 py-4">
      <CircleCheck className="text-good" aria-hidden="true" />
      <p className="flex-1">
        <span className="block font-semibold text-good">{text.connected(serverName(server))}</span>
        <span className="text-soft">{text.connectedLead}</span>
      </p>
      <Button onClick={onAnother}>{text.another}</Button>
      <Link to="/servers/$serverId" params={{ serverId: server.id }} className={buttonClass('primary')}>
        {text.open}
      </Link>
    </div>
  )
}

const findConnected = (servers: readonly ServerItem[] | undefined, sinceMs: number): ServerItem | undefined =>
  servers?.find(({ registered_at, metrics }) => metrics && Date.parse(registered_at) >= sinceMs)
