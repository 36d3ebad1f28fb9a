import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import fastifyStatic from '@fastify/static'
import { ApiError, notFound } from '../../platform/errors.ts'
import { HOME_FOLDER } from '../../platform/home-folder.ts'
import type { App } from '../../platform/http/index.ts'
import type { Log } from '../../platform/logging/log.ts'
import type { Release, Releases } from './release.ts'
import { fillPowerShell, fillShell, type ScriptAddresses } from './script.ts'

const SCRIPTS = new URL('installers/scripts/', HOME_FOLDER)

export interface ReleaseRouteDeps {
  releases: Releases
  /** Undefined: nothing is handed out. */
  folder: string | undefined
  addresses(): ScriptAddresses
  log: Log
}

/** What a host needs to get the agent: the scripts, and the files that a release lists. For people and shells: not in the description. */
export async function releaseRoutes(app: App, deps: ReleaseRouteDeps): Promise<void> {
  const answerWith =
    (name: string, fill: typeof fillShell) => (reply: { headers(headers: object): { send(text: string): unknown } }) => {
      const text = fill(readFileSync(new URL(name, SCRIPTS), 'utf8'), deps.addresses(), goodRelease(deps))
      const digest = createHash('sha256').update(text).digest('base64')
      return reply
        .headers({
          'Content-Type': 'text/plain; charset=utf-8',
          'Cache-Control': 'no-store',
          'Repr-Digest': `sha-256=:${digest}:`,
        })
        .send(text)
    }
  const shell = answerWith('install.sh', fillShell)
  const powerShell = answerWith('install.ps1', fillPowerShell)
  app.get('/install.sh', { schema: { hide: true } }, async (_request, reply) => shell(reply))
  app.get('/install.ps1', { schema: { hide: true } }, async (_request, reply) => powerShell(reply))

  const { folder } = deps
  if (folder === undefined) return
  // Its `sendFile` alone is used: what is not listed by a good manifest is not handed out, whatever else lies in the folder.
  await app.register(async (app) => {
    await app.register(fastifyStatic, { root: folder, serve: false, cacheControl: false })
    app.get('/releases/:name', { schema: { hide: true } }, async (request, reply) => {
      const { name } = request.params as { name: string }
      if (!goodRelease(deps).files.has(name)) throw notFound()
      return reply.header('Cache-Control', 'no-cache').sendFile(name)
    })
  })
}

function goodRelease({ releases, log }: ReleaseRouteDeps): Release {
  let release: Release | undefined
  try {
    release = releases.read()
  } catch (error) {
    log.error({ err: error }, 'the release is invalid: installers and files of it are not served')
    throw new ApiError('unavailable', 'The release that this Vedette distributes is invalid; its log has the reason.', {
      cause: error,
    })
  }
  if (!release) throw new ApiError('not_found', 'This Vedette distributes no release: VEDETTE_RELEASES_DIR is not set.')
  return release
}
