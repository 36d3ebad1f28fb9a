import { createReadStream } from 'node:fs'
import { ApiError, notFound } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/index.ts'
import { AgentNotBuilt, type AgentArchive, type AgentArchives } from './archives.ts'
import { isPlatform, type Platform } from './node-packages.ts'
import { NodeMissing } from './node-source.ts'
import type { SigningKey } from './signing-key.ts'

export interface AgentRouteDeps {
  archives: AgentArchives
  signingKey: SigningKey
}

/** The agent of this backend, and its signature. For scripts: not in the description. */
export function agentRoutes(app: App, { archives, signingKey }: AgentRouteDeps): void {
  app.get('/agent/:platform', { schema: { hide: true } }, async (request, reply) => {
    const { platform: name } = request.params as { platform: string }
    const platform = name.replace(/\.sig$/, '')
    if (!isPlatform(platform)) throw notFound()
    const archive = await archives.read(platform).catch((error: unknown) => refuse(platform, error))
    reply.header('Cache-Control', 'no-cache')
    if (name !== platform) return reply.type('text/plain; charset=utf-8').send(signingKey.sign(archive.sha512))
    return reply
      .type('application/gzip')
      .headers({ 'Content-Length': archive.size, 'Repr-Digest': `sha-512=:${archive.sha512.toString('base64')}:` })
      .send(createReadStream(archive.path))
  })
}

function refuse(platform: Platform, error: unknown): AgentArchive {
  const cause = { cause: error, retryAfterSeconds: 30 }
  if (error instanceof NodeMissing)
    throw new ApiError('unavailable', `There is no agent for ${platform} here: ${error.message}.`, cause)
  if (error instanceof AgentNotBuilt) throw agentNotBuilt(error)
  throw new ApiError('unavailable', `The agent for ${platform} cannot be packed; the log of this Vedette has the reason.`, cause)
}

export const agentNotBuilt = (cause?: unknown): ApiError =>
  new ApiError('unavailable', 'The agent is not built here: run "npm run build", then request it again.', { cause })
