import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import fastifyStatic from '@fastify/static'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, notFound } from '../../platform/errors.ts'
import { HOME_FOLDER } from '../../platform/home-folder.ts'
import type { App } from '../../platform/http/index.ts'
import type { Log } from '../../platform/logging/log.ts'
import { agentNotBuilt, agentRoutes, type OwnAgents } from './agents/index.ts'
import type { Release, Releases } from './release.ts'
import { fillPowerShell, fillShell, type ScriptContents } from './script.ts'

const SCRIPTS = new URL('installers/scripts/', HOME_FOLDER)

export interface ReleaseRouteDeps {
  releases: Releases
  /** What is handed out where no folder is set. */
  agents: OwnAgents
  /** Of the release; undefined: none is set. */
  folder: string | undefined
  /** Where hosts reach this backend; undefined: where the request reached it. */
  configuredUrl: string | undefined
  /** Undefined: on this backend. */
  releasesUrl: string | undefined
  publicUrl(): string
  log: Log
}

/** What a host needs to get the agent: the scripts, and the files that a release lists. For people and shells: not in the description. */
export async function releaseRoutes(app: App, deps: ReleaseRouteDeps): Promise<void> {
  const answerWith = (name: string, fill: typeof fillShell) => async (request: FastifyRequest, reply: FastifyReply) => {
    const text = fill(readFileSync(new URL(name, SCRIPTS), 'utf8'), contentsOf(deps, addressOf(deps, request)))
    const digest = createHash('sha256').update(text).digest('base64')
    return reply
      .headers({
        'Content-Type': 'text/plain; charset=utf-8',
        'Cache-Control': 'no-store',
        'Repr-Digest': `sha-256=:${digest}:`,
      })
      .send(text)
  }
  app.get('/install.sh', { schema: { hide: true } }, answerWith('install.sh', fillShell))
  app.get('/install.ps1', { schema: { hide: true } }, answerWith('install.ps1', fillPowerShell))
  agentRoutes(app, deps.agents)

  const { folder } = deps
  if (folder === undefined) return
  // Its `sendFile` alone is used: what is not listed by a good manifest is not handed out, whatever else lies in the folder.
  await app.register(async (app) => {
    await app.register(fastifyStatic, { root: folder, serve: false, cacheControl: false })
    app.get('/releases/:name', { schema: { hide: true } }, async (request, reply) => {
      const { name } = request.params as { name: string }
      if (!goodRelease(deps)?.files.has(name)) throw notFound()
      return reply.header('Cache-Control', 'no-cache').sendFile(name)
    })
  })
}

/** Where the host that sends the request reaches this backend: the script is the requester's own. */
function addressOf({ configuredUrl, publicUrl }: ReleaseRouteDeps, { protocol, host }: FastifyRequest): string {
  return configuredUrl ?? (host ? `${protocol}://${host}` : publicUrl())
}

/** What the script installs: the release of the folder, else the agent of this backend. */
function contentsOf(deps: ReleaseRouteDeps, url: string): ScriptContents {
  const release = goodRelease(deps)
  if (release) {
    const { manifestSha256, keys } = release
    return { url, releasesUrl: deps.releasesUrl ?? `${url}/releases`, manifestSha256, keys, agentVersion: '' }
  }
  const agentVersion = deps.agents.version()
  if (agentVersion === undefined) throw agentNotBuilt()
  return { url, releasesUrl: '', manifestSha256: '', keys: deps.agents.signingKey.publicKeys, agentVersion }
}

/** Undefined where no folder is set. */
function goodRelease({ releases, log }: Pick<ReleaseRouteDeps, 'releases' | 'log'>): Release | undefined {
  try {
    return releases.read()
  } catch (error) {
    log.error({ err: error }, 'the release is invalid: installers and files of it are not served')
    throw new ApiError('unavailable', 'The release that this Vedette distributes is invalid; its log has the reason.', {
      cause: error,
    })
  }
}
