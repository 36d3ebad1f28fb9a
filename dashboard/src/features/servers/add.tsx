import { DAY_MS, MINUTE_MS } from '@vedette/shared/tables'
import type { ServerItem } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck } from '../../components/icons.tsx'
import { useEffect, useState } from 'react'
import { Button, buttonClass } from '../../components/button.tsx'
import { CodeLines } from '../../components/copy.tsx'
import { Form } from '../../components/form.tsx'
import { ErrorPanel, Page, Panel } from '../../components/page.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { useNow } from '../../components/time.tsx'
import { createPart } from '../../lib/create-part.tsx'
import { ownerOf, pollEvery, useViewer } from '../../lib/api.ts'
import { dropToken, keepToken, type KeptToken, keptToken } from '../../lib/enrollment-token.ts'
import { serverName } from '../../lib/server-name.ts'
import { dayAndClock } from '../../lib/time.ts'
import { useForm } from '../../lib/use-form.ts'
import { addServer } from '../../messages/add-server.ts'
import { serverQuery } from './queries.ts'
import {
  addressForHosts,
  INSTALL_METHODS,
  type InstallMethod,
  installCommands,
  isLoopback,
  needsAllowHttp,
  urlInScript,
} from './install-commands.ts'

const { Part: Sources } = createPart(() => import('./sources.tsx'))

const text = addServer

/** The same in each language. */
const NAMES: Readonly<Partial<Record<InstallMethod, string>>> = {
  unix: 'Linux, macOS',
  windows: 'Windows',
  docker: 'Docker',
  compose: 'Compose',
  cloudInit: 'cloud-init',
  ansible: 'Ansible',
}
const POLL_MS = 4_000
const USES_POLL_MS = 30_000
/** The same commands work on so many hosts. */
const USES = 10

/** Creates an enrollment token, shows the commands, and waits for the first sample. The tab keeps the token until it ends. */
export function AddServerPage() {
  const viewer = useViewer()
  const owner = ownerOf(viewer)
  return (
    <Page title={text.title} lead={text.lead}>
      <div className="grid max-w-5xl gap-4">
        {viewer.can('integrations:manage') ? (
          <WithToken key={owner} owner={owner} />
        ) : (
          <Panel>
            <p>{text.forbidden}</p>
          </Panel>
        )}
      </div>
    </Page>
  )
}

function WithToken({ owner }: { owner: string }) {
  const now = useNow()
  const [created, setCreated] = useState(() => keptToken(owner, Date.now()))
  const usesLeft = useUsesLeft(created)
  const hasEnded = created !== undefined && (now >= created.endsAtMs || usesLeft === 0)
  useEffect(() => {
    if (hasEnded) dropToken()
  }, [hasEnded])
  const create = (token: KeptToken) => {
    keepToken(token)
    setCreated(token)
  }
  return (
    <>
      {created && !hasEnded ? (
        <InstallPanel token={created} usesLeft={usesLeft} />
      ) : (
        <Panel>
          {hasEnded && <p className="mb-2.5 font-semibold">{text.ended}</p>}
          <CreateToken owner={owner} onCreated={create} />
        </Panel>
      )}
      {created && <FirstSample key={created.id} sinceMs={created.createdAtMs} />}
    </>
  )
}

/** How many servers a token can still register; 0 after its revocation, undefined where it is not known. */
function useUsesLeft(created: KeptToken | undefined): number | undefined {
  const { client, organizationId } = useViewer()
  const { data } = useQuery({
    queryKey: [organizationId, 'enrollment-tokens'],
    queryFn: ({ signal }) => client.enrollmentTokens.list({}, { signal }),
    enabled: created !== undefined,
    refetchInterval: pollEvery(USES_POLL_MS),
  })
  const found = data?.enrollment_tokens.find(({ id }) => id === created?.id)
  return found && (found.revoked_at === null ? found.uses_left : 0)
}

function CreateToken({ owner, onCreated }: { owner: string; onCreated: (created: KeptToken) => void }) {
  const { client } = useViewer()
  const form = useForm({}, async (_input, idempotencyKey) => {
    const body = { uses: USES, expires_in_minutes: DAY_MS / MINUTE_MS }
    const { id, token, created_at } = await client.enrollmentTokens.create(body, { idempotencyKey })
    onCreated({ owner, id, token, createdAtMs: Date.parse(created_at), endsAtMs: Date.now() + DAY_MS })
  })
  return (
    <Form form={form} action={text.createToken}>
      <p className="text-soft">{text.createTokenLead}</p>
      <p className="text-muted">{text.localNote}</p>
    </Form>
  )
}

function InstallPanel({ token: { token, endsAtMs }, usesLeft = USES }: { token: KeptToken; usesLeft?: number | undefined }) {
  const script = useQuery({
    queryKey: ['install.sh'],
    queryFn: async ({ signal }) => {
      const answer = await fetch(`${location.origin}/install.sh`, { signal })
      if (!answer.ok) throw new Error(`install.sh: ${answer.status}`)
      return { url: urlInScript(await answer.text()) }
    },
    retry: false,
  })
  const [method, setMethod] = useState<InstallMethod>('unix')
  const options = INSTALL_METHODS.map((value) => ({ value, label: NAMES[value] ?? text.clone }))
  if (script.isPending) return null
  if (script.isError) return <ErrorPanel error={script.error} onRetry={() => void script.refetch()} />
  const url = addressForHosts(script.data.url, location.origin)
  return (
    <Panel title={text.commands} aside={<Segmented label={text.system} options={options} value={method} onChoose={setMethod} />}>
      <div className="grid gap-2.5">
        <p className="text-soft">{text.notes[method]}</p>
        <CodeLines label={text.commands} lines={installCommands(method, { url, scriptUrl: script.data.url ?? '', token })} />
        {isLoopback(url) && <p className="text-warn">{text.loopback(url)}</p>}
        {needsAllowHttp(url) && <p className="text-warn">{text.plainHttp}</p>}
        <p className="text-muted">{text.expiry(usesLeft, dayAndClock(endsAtMs))}</p>
        {method === 'unix' && <p className="text-muted">{text.again}</p>}
      </div>
    </Panel>
  )
}

/** Polls the newest servers until one has registered since then and sent a sample. */
function FirstSample({ sinceMs: firstMs }: { sinceMs: number }) {
  const [sinceMs, setSinceMs] = useState(firstMs)
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
    <>
      <div role="status" className="flex flex-wrap items-center gap-3 rounded-xl border border-good-bar bg-good-ground px-4 py-4">
        <CircleCheck className="text-good" aria-hidden="true" />
        <p className="flex-1">
          <span className="block font-semibold text-good">{text.connected(serverName(server))}</span>
          <span className="text-soft">{text.connectedLead}</span>
        </p>
        <Button onClick={() => setSinceMs(Date.parse(server.registered_at) + 1)}>{text.another}</Button>
        <Link to="/servers/$serverId" params={{ serverId: server.id }} className={buttonClass('primary')}>
          {text.open}
        </Link>
      </div>
      <SourcesOfServer serverId={server.id} />
    </>
  )
}

/** What the agent found on the new host, as switches. */
function SourcesOfServer({ serverId }: { serverId: string }) {
  const { data } = useQuery(serverQuery(useViewer(), serverId))
  return data && <Sources server={data} />
}

const findConnected = (servers: readonly ServerItem[] | undefined, sinceMs: number): ServerItem | undefined =>
  servers?.find(({ registered_at, metrics }) => metrics && Date.parse(registered_at) >= sinceMs)
