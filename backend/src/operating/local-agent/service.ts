import { existsSync, rmSync, watch } from 'node:fs'
import { join } from 'node:path'
import { createApiKey, revokeApiKey } from '../../access/api-keys/index.ts'
import { findFirstOrganization } from '../../access/organizations/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import type { Log } from '../../platform/logging/log.ts'
import { makePrivateFolder, readPrivateFile, writePrivateFile } from '../../platform/system/private-file.ts'
import { findOrganizationOfServer } from '../../hosts/servers/index.ts'
import { parseId } from '../../platform/ids.ts'
import { type AgentProcess, runAgentCommand, superviseAgent } from './process.ts'

export interface LocalAgentDeps {
  db: Db
  clock: Clock
  log: Log
  /** Folder of the local agent's config, identity and state. */
  folder: string
  /** Where the agent reaches this backend. */
  url: string
  /** The environment of this process; the agent gets a part of it. */
  environment: NodeJS.ProcessEnv
  /** Prints a line for the terminal. */
  announce(line: string): void
}

export interface LocalAgent {
  stop(): Promise<void>
}

/** How soon after the set-up the agent is registered. */
const POLL_INTERVAL_MS = 500

/** How often the state of the agent is read: at each of its changes too where its folder can be watched. */
const [REFUSAL_POLL_MS, WATCHED_POLL_MS] = [2_000, 60_000]
const RENEWAL_PAUSE_MS = 60_000

/**
 * Runs an agent for this host: registers it once, as soon as an organization exists, and supervises its process. After the server
 * was deleted the agent is not registered again.
 */
export function startLocalAgent(deps: LocalAgentDeps): LocalAgent {
  const stopping = new AbortController()
  const state: { process?: AgentProcess } = {}
  const starting = (async () => {
    const organization = await waitForOrganization(deps, stopping.signal)
    if (organization === undefined) return
    writeConfig(deps)
    if (!isRegistered(deps.folder)) await register(deps, organization, async () => true)
    if (stopping.signal.aborted) return
    state.process = superviseAgent(deps.clock, deps.log, ['run', '--config', configFile(deps.folder)], deps.environment)
    void renewRefusedTokens(deps, state.process, stopping.signal)
  })().catch((error: unknown) => {
    deps.log.error({ err: error }, 'the local agent could not be started')
    deps.announce(`the agent for this host could not be started: ${(error as Error).message}`)
  })
  return {
    stop: async () => {
      stopping.abort()
      await starting
      await state.process?.stop()
    },
  }
}

const configFile = (folder: string): string => join(folder, 'agent.yaml')
const isRegistered = (folder: string): boolean => existsSync(join(folder, 'identity.json'))

async function waitForOrganization({ db, clock }: LocalAgentDeps, signal: AbortSignal): Promise<number | undefined> {
  while (!signal.aborted) {
    const organization = await findFirstOrganization(db)
    if (organization) return organization.number
    await clock.sleep(POLL_INTERVAL_MS, signal)
  }
  return undefined
}

/** Written at each start: the port may have changed. JSON is valid YAML. */
function writeConfig({ folder, url }: LocalAgentDeps): void {
  makePrivateFolder(folder)
  const config = { url, state_dir: folder, allow_http: url.startsWith('http:') }
  writePrivateFile(configFile(folder), `# Written by vedette at each start.\n${JSON.stringify(config, undefined, 2)}\n`)
}

/**
 * Registers the host again when the backend refuses the token of its own agent: it was replaced. A deleted server stays deleted; the
 * log and `vedette doctor` say so.
 */
async function renewRefusedTokens(deps: LocalAgentDeps, process: AgentProcess, signal: AbortSignal): Promise<void> {
  const { clock, log, folder } = deps
  const changes = watchStatus(folder, signal)
  let changed = changes.next()
  for (let pause = 0; !signal.aborted; ) {
    if (pause > 0) await clock.sleep(pause, signal)
    else await clock.sleep(changes.areSeen() ? WATCHED_POLL_MS : REFUSAL_POLL_MS, AbortSignal.any([changed, signal]))
    pause = 0
    changed = changes.next()
    try {
      if (signal.aborted || !isRefused(folder, process.pid())) continue
      const serverId = readServerId(folder)
      const organization = serverId === undefined ? undefined : await findOrganizationOfServer(deps.db, serverId)
      if (serverId === undefined || organization === undefined) {
        log.error(
          {},
          'the server of the local agent was deleted: the agent keeps its samples and does not push. Set VEDETTE_LOCAL_AGENT=off',
        )
        return
      }
      const stillExists = async () => (await findOrganizationOfServer(deps.db, serverId)) !== undefined
      await register(deps, organization, stillExists)
      log.warn(
        {},
        'the token of the local agent was replaced: the agent was registered again, and the new token is no longer valid',
      )
      process.restart()
      // Until it has ended, the file is that of the one whose token was refused.
      pause = REFUSAL_POLL_MS
    } catch (error) {
      log.error(
        { err: error },
        'the token of the local agent is refused, and it could not be registered again; tried again in a minute',
      )
      pause = RENEWAL_PAUSE_MS
    }
  }
}

const STATUS_FILE = 'status.json'

/** `next`: aborts when the agent replaces its status the next time. */
function watchStatus(folder: string, signal: AbortSignal): { areSeen(): boolean; next(): AbortSignal } {
  let isSeen = false
  let next = new AbortController()
  try {
    const watcher = watch(folder, { persistent: false, signal }, (event, file) => {
      // Reading it changes its rights, which is no replacement.
      if (event !== 'rename' || file !== STATUS_FILE) return
      next.abort()
      next = new AbortController()
    })
    watcher.on('error', () => (isSeen = false))
    isSeen = true
  } catch {
    // As where the system has no more watches: then it is read more often.
  }
  return { areSeen: () => isSeen, next: () => next.signal }
}

/** Whether the running process says that its token is refused; a file of an earlier one says nothing. */
function isRefused(folder: string, pid: number | undefined): boolean {
  const text = readPrivateFile(join(folder, STATUS_FILE))
  const status = text === undefined ? {} : (JSON.parse(text) as { pid?: number; state?: string })
  return pid !== undefined && status.pid === pid && status.state === 'refused'
}

function readServerId(folder: string): string | undefined {
  const text = readPrivateFile(join(folder, 'identity.json'))
  const { server_id: id } = text === undefined ? {} : (JSON.parse(text) as { server_id?: string })
  return id === undefined ? undefined : parseId('server', id)
}

/**
 * Registers with an API key that is revoked after the registration. `mayRegister` is asked once the key exists: the backend refuses
 * the key for a server that is deleted later.
 */
async function register(
  { db, clock, folder, url, environment, announce }: LocalAgentDeps,
  organization: number,
  mayRegister: () => Promise<boolean>,
): Promise<void> {
  const key = await inTransaction(db, (transaction) =>
    createApiKey(transaction, clock, organization, { name: 'local agent', scopes: ['agent'], createdBy: null }),
  )
  const keyFile = join(folder, 'bootstrap.key')
  try {
    if (!(await mayRegister())) return
    writePrivateFile(keyFile, `${key.secret}\n`)
    await runAgentCommand(['register', '--url', url, '--api-key-file', keyFile, '--config', configFile(folder)], environment)
    announce('agent      this host is registered')
  } finally {
    rmSync(keyFile, { force: true })
    await inTransaction(db, (transaction) => revokeApiKey(transaction, clock, organization, key.id))
  }
}
